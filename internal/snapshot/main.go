// Command snapshot writes down everything that tv says about the tree's own corpus, and compares that with what another
// tv said: reports without times, certificates and counterexamples, byte for byte. It guards changes that are to change no
// answer.
//
//	main.go   the command line, and the questions run side by side
//	cases.go  which questions: litmus files, rules, examples, listings and drivers
//	diff.go   two snapshots compared
//
// Usage, in the root of the tree:
//
//	snapshot -o DIR TV              write what the binary TV says
//	snapshot -o DIR -against OLD TV write it, then compare it with the snapshot in OLD; 1 where they differ
//
// "make same BASE=REVISION" does both, with a tv built from that revision.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	out := flag.String("o", "", "the directory to write to; it is emptied first")
	against := flag.String("against", "", "a snapshot to compare with")
	only := flag.String("only", "", "ask only what holds this text in its name")
	flag.Parse()
	if flag.NArg() != 1 || *out == "" {
		fmt.Fprintln(os.Stderr, "usage: snapshot -o DIR [-against OLD] [-only TEXT] TV")
		os.Exit(2)
	}
	same, err := run(flag.Arg(0), *out, *against, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "snapshot:", err)
		os.Exit(2)
	}
	if !same {
		os.Exit(1)
	}
}

// run takes the snapshot and compares it, if there is something to compare it with.
func run(tv, out, against, only string) (same bool, err error) {
	if tv, err = filepath.Abs(tv); err != nil {
		return false, err
	}
	list, err := questions()
	if err != nil {
		return false, err
	}
	if err := os.RemoveAll(out); err != nil {
		return false, err
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	asked := 0
	for _, q := range list {
		if strings.Contains(q.name, only) {
			asked++
			group.Go(func() error { return q.ask(tv, filepath.Join(out, q.name)) })
		}
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	if asked == 0 {
		return false, fmt.Errorf("no question has %q in its name", only)
	}
	fmt.Printf("%d questions asked\n", asked)
	if against == "" {
		return true, nil
	}
	differences, err := compare(against, out, only)
	for _, d := range differences {
		fmt.Println(d)
	}
	return len(differences) == 0, err
}

// A question is a run of tv. Where its arguments hold the word "DIR", the directory to write files to stands there.
type question struct {
	name string
	args []string
}

// placeholder stands in reports for the directory that files were written to, which is another in each snapshot.
const placeholder = "DIR"

// ask runs tv and writes what it prints, and its exit status, into a directory.
func (q question) ask(tv, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	args := make([]string, len(q.args))
	for i, a := range q.args {
		args[i] = strings.Replace(a, placeholder, dir, 1)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(tv, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return err
	}
	fmt.Fprintf(&stdout, "exit status %d\n", cmd.ProcessState.ExitCode())
	said := bytes.ReplaceAll(append(stdout.Bytes(), stderr.Bytes()...), []byte(dir), []byte(placeholder))
	return os.WriteFile(filepath.Join(dir, "said"), said, 0o644)
}
