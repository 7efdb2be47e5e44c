package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An interrupt, here from the solver itself, ends a solver that is proving obligations; what was accepted before is
// reported.
func TestInterruptedVerify(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.sexp": "(input A (shape 2) sat8)\n(compute negative (compute negative (access A 1)))",
		"b.sexp": "(compute negative (compute negative (compute negative (compute negative (access A 1)))))",
		"cvc5":   "#!/bin/sh\ncase \"$1\" in --version) echo cvc5 9.9; exit;; esac\nkill -INT $PPID; exec sleep 3600\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		return Main(args, strings.NewReader(""), &stdout, &stderr), stdout.String(), stderr.String()
	}
	for name, pair := range map[string][]string{"same.cert": {"a.sexp", "a.sexp"}, "left.cert": {"a.sexp", "b.sexp"}} {
		if exit, _, stderr := run("check", "--arith", "exact", "--certificate", name, pair[0], pair[1]); exit != exitProved {
			t.Fatalf("%s: exit %d: %s", name, exit, stderr)
		}
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", here+string(os.PathListSeparator)+os.Getenv("PATH"))
	exit, stdout, stderr := run("verify", "-q", "--solver", "cvc5", "same.cert", "left.cert")
	if exit != exitInterrupted || stdout != "accepted: same.cert, pair 1 of 1 (exact, tensor)\n" ||
		!strings.Contains(stderr, "stopped with 1 of 2 certificates checked [interrupted]") {
		t.Errorf("exit %d\n%s%s", exit, stdout, stderr)
	}
}
