package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tv/fuzz/cluster/server"
	"tv/internal/tier"
	"tv/proofs"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tv":         func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"tv-cluster": func() { os.Exit(server.Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// The scripts run tv as a user does. Beside testscript's own commands they have
//
//	exits N command...   the command ends with exit status N
//	deep FILE N          writes a list nested N deep and not closed
//	entries DIR N        a directory holds N files
//	damage DIR           a byte is changed in the middle of each of a directory's files
//	forge FILE TO HOW    writes a certificate with its obligations changed, and its digest made anew; HOW is false,
//	                     negated, twice, exit, dropped, or the name of a certificate to take them from
func TestScripts(t *testing.T) {
	scripts(t, func(name string) bool { return !slices.Contains(slowScripts, name) })
}

// slowScripts prove what whole machines compute.
var slowScripts = []string{"contract.txtar", "ila.txtar", "machine-rules.txtar"}

func TestSlowScripts(t *testing.T) {
	tier.Sweep(t)
	scripts(t, func(name string) bool { return slices.Contains(slowScripts, name) })
}

// scripts runs those that has allows.
func scripts(t *testing.T, has func(name string) bool) {
	examples, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../../testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Files:           slices.DeleteFunc(files, func(f string) bool { return !has(filepath.Base(f)) }),
		ContinueOnError: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples+"/../../../../examples")
			e.Setenv("ACTION", examples+"/../../../../ci/action.sh")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "deep": deep, "entries": entries, "damage": damage, "forge": forge,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func entries(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: entries DIR N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	list, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*", "*-a"))
	ts.Check(err)
	if len(list) != want {
		ts.Fatalf("%d entries, want %d: %v", len(list), want, list)
	}
}

// damage changes a bit of every file of a folder of certificates, or of every entry of a cache.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage DIR")
	}
	list, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*", "*-d"))
	ts.Check(err)
	if list == nil {
		list, err = filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*"))
		ts.Check(err)
	}
	for _, name := range list {
		data, err := os.ReadFile(name)
		ts.Check(err)
		data[len(data)/2] ^= 1
		ts.Check(os.WriteFile(name, data, 0o666))
	}
}

func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: forge FILE TO HOW")
	}
	read := func(name string) []proofs.Pair {
		data, err := os.ReadFile(ts.MkAbs(name))
		ts.Check(err)
		pairs, err := proofs.Parse(name, data)
		ts.Check(err)
		return pairs
	}
	pairs := read(args[0])
	list := pairs[0].Obligations
	if len(list) == 0 {
		ts.Fatalf("%s has no obligations", args[0])
	}
	at := strings.LastIndex(list[0], "(assert ")
	switch goal := strings.TrimSuffix(strings.TrimPrefix(list[0][at:], "(assert "), ")\n(check-sat)\n"); args[2] {
	case "false":
		list[0] = list[0][:at] + "(assert false)\n(check-sat)\n"
	case "negated":
		list[0] = list[0][:at] + "(assert (not " + goal + "))\n(check-sat)\n"
	case "twice":
		list[0] += "(check-sat)\n"
	case "exit":
		list[0] = "(exit)\n" + list[0]
	case "dropped":
		list = list[1:]
	default:
		list = read(args[2])[0].Obligations
	}
	pairs[0].Obligations = list
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), proofs.Format(pairs), 0o666))
}

func deep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: deep FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("(access ", n)), 0o666))
}
