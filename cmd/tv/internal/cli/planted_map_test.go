//go:build planted

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/planted"
)

// A plantedMap is a program, and the flags that it is mapped with.
type plantedMap struct {
	flags []string
	file  string
}

// plantedMaps are the programs of the faults in what maps, by fault.
func plantedMaps(t *testing.T, faults []string) map[string]plantedMap {
	t.Helper()
	out, dir := map[string]plantedMap{}, t.TempDir()
	for _, f := range faults {
		a, err := txtar.ParseFile(filepath.Join("../../../..", filepath.Dir(planted.Maps), f+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		_, flags, found := strings.Cut(string(a.Comment), "args: ")
		if !found || len(a.Files) != 1 {
			t.Fatalf("%s: want flags and a program", f)
		}
		file := filepath.Join(dir, f+".sexp")
		if err := os.WriteFile(file, a.Files[0].Data, 0o600); err != nil {
			t.Fatal(err)
		}
		out[f] = plantedMap{strings.Fields(flags), file}
	}
	return out
}

// mapPlanted maps a program. An error of the command is no verdict.
func mapPlanted(t *testing.T, p plantedMap) (verdict, mapped string) {
	t.Helper()
	mapped = filepath.Join(t.TempDir(), "mapped.sexp")
	var out, log bytes.Buffer
	exit := Main(append([]string{"map", p.file, "--format", "json", "-o", mapped}, p.flags...), nil, &out, &log)
	var r struct{ Verdict string }
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Logf("exit %d: %s", exit, log.Bytes())
		return "", ""
	}
	if (exit == 0) != (r.Verdict == "proved") {
		t.Errorf("exit %d, and %s", exit, r.Verdict)
	}
	return r.Verdict, mapped
}

// TestPlantedMapper plants each fault in what maps. Its program is mapped and proved without it, or left as it is, and with it what comes out
// is not said to be proved. Of the other programs whatever is said to be proved is right.
func TestPlantedMapper(t *testing.T) {
	faults, err := planted.Read(filepath.Join("../../../..", planted.Maps))
	if err != nil {
		t.Fatal(err)
	}
	programs := plantedMaps(t, faults.Names)
	for _, f := range faults.Names {
		t.Run(f, func(t *testing.T) {
			if verdict, _ := mapPlanted(t, programs[f]); verdict != "proved" {
				t.Errorf("without the fault: %s", verdict)
			}
			for _, other := range faults.Names {
				remove := planted.Plant(f)
				verdict, mapped := mapPlanted(t, programs[other])
				remove()
				if other == f && verdict == "proved" {
					t.Errorf("with the fault its program is mapped and proved")
				}
				if verdict != "proved" {
					continue
				}
				var out, log bytes.Buffer
				if exit := Main([]string{"check", programs[other].file, mapped}, nil, &out, &log); exit != 0 {
					t.Errorf("%s: said to be proved, and that is not so:\n%s%s", other, out.Bytes(), log.Bytes())
				}
			}
		})
	}
}
