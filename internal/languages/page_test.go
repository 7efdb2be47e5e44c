package languages_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tv/internal/tier"
)

var block = regexp.MustCompile("(?s)```go\n// (\\S+\\.go)\n(.*?)```\n")

// TestPage adds the language of doc/languages.md section 4.8 to the tree as the page says, and asks about its programs.
func TestPage(t *testing.T) {
	tier.Sweep(t)
	page, err := os.ReadFile("../../doc/languages.md")
	if err != nil {
		t.Fatal(err)
	}
	registry, err := os.ReadFile("rows.go")
	if err != nil {
		t.Fatal(err)
	}
	const last = "\t{vta.Language, nil},\n"
	added := strings.NewReplacer(last, "\t{pointwise.Language, pointwisereading.Reading{}},\n"+last,
		"import (\n", "import (\n\tpointwisereading \"tv/proofs/pointwise\"\n\t\"tv/semantics/pointwise\"\n").Replace(string(registry))
	files := map[string]string{"internal/languages/rows.go": added}
	for _, b := range block.FindAllStringSubmatch(string(page), -1) {
		files[b[1]] = b[2]
	}
	_, program, _ := strings.Cut(string(page), "```pointwise\n")
	program, _, _ = strings.Cut(program, "```")
	if len(files) != 6 || program == "" || added == string(registry) {
		t.Fatalf("%d files, a program of %d bytes", len(files), len(program))
	}
	dir := t.TempDir()
	tv := overlaid(t, dir, files)
	for _, test := range []struct {
		after string
		want  int // 0 proved, 1 refuted, 2 an error
	}{
		{program, 0},
		{strings.Replace(program, "A * 3", "3 * A", 1), 0},
		{strings.Replace(program, "A * 3", "A * 2", 1), 1},
		{strings.Replace(program, "- D", "- D *", 1), 2},
	} {
		before, after := filepath.Join(dir, "before.pw"), filepath.Join(dir, "after.pw")
		write(t, before, program)
		write(t, after, test.after)
		out, _ := exec.Command(tv, "check", before, after).CombinedOutput()
		status := -1
		for i, word := range []string{"proved: ", "refuted: ", "[bad-syntax]"} {
			if strings.Contains(string(out), word) {
				status = i
			}
		}
		if status != test.want {
			t.Errorf("%s\n=>\n%s\n%s", program, test.after, out)
		}
	}
}

// overlaid builds tv with files of the tree replaced or added.
func overlaid(t *testing.T, dir string, files map[string]string) string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, text := range files {
		at := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		write(t, at, text)
		replace[filepath.Join(root, name)] = at
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	tv := filepath.Join(dir, "tv")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", tv, "tv/cmd/tv")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tv
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
