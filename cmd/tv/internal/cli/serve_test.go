package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServe: what is answered over a socket is what the command line says, of files on disk and of texts in the request.
func TestServe(t *testing.T) {
	dir, err := os.MkdirTemp("", "tv") // names of test directories are too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	t.Setenv("CI_NODE_INDEX", "2") // of the server, and not of what it is asked
	t.Setenv("CI_NODE_TOTAL", "2")
	ctx, cancel := context.WithCancel(context.Background())
	out, ready := io.Pipe()
	served := make(chan int)
	go func() {
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: ready}
		served <- a.run(ctx, []string{"serve", path})
	}()
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "tv serves "+path+"\n" {
		t.Fatal(line, err)
	}
	go io.Copy(io.Discard, said)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	ask := func(params any) (exit int, stdout, stderr, failed string) {
		t.Helper()
		line, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "run", "params": params})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s\n", line)
		answer, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Result struct {
				Exit           int
				Stdout, Stderr string
			}
			Error struct{ Message string }
		}
		if err := json.Unmarshal(answer, &v); err != nil {
			t.Fatal(err)
		}
		return v.Result.Exit, v.Result.Stdout, v.Result.Stderr, v.Error.Message
	}
	before, after := "(input A (shape 2 3))\n(access A 1)", "(access (access-transpose (access-transpose (access A 1) (list 1 0)) (list 1 0)) 1)"
	litmus := "kept\nwant: proved\n-- before.sexp --\n" + before + "\n-- after.sexp --\n" + after + "\n"
	onDisk := filepath.Join(dir, "before.sexp")
	if err := os.WriteFile(onDisk, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		params               object
		exit                 int
		stdout, stderr, fail string
	}{
		{object{"args": []string{"check", onDisk, "after.sexp"}, "files": object{"after.sexp": after}}, exitProved, "proved: ", "", ""},
		{object{"args": []string{"check", onDisk, "-"}, "stdin": "(access (access-slice (access A 1) 0 0 1) 1)"}, exitRefuted, "refuted: ", "", ""},
		{object{"args": []string{"check", "--expect", "one.txtar", "two.txtar"}, "files": object{"one.txtar": litmus, "two.txtar": litmus}}, exitProved, "proved: one", "", ""},
		{object{"args": []string{"check", onDisk, "gone.sexp"}}, exitError, "", "[file-unreadable]", ""},
		{object{"args": []string{"chekc"}}, 0, "", "", `"chekc" is not served`},
		{object{"args": []string{"fuzz", "tools", "--opt", "true"}}, 0, "", "", `"fuzz" is not served`},
	} {
		exit, stdout, stderr, failed := ask(tc.params)
		if exit != tc.exit || !strings.HasPrefix(stdout, tc.stdout) || !strings.Contains(stderr, tc.stderr) || !strings.HasPrefix(failed, tc.fail) {
			t.Errorf("%v: %d %q %q %q", tc.params, exit, stdout, stderr, failed)
		}
	}
	cancel()
	select {
	case exit := <-served:
		if exit != exitProved {
			t.Errorf("ended with %d", exit)
		}
	case <-time.After(10 * interruptGrace):
		t.Error("it does not end")
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left")
	}
	var errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &errs}
	if exit := a.run(context.Background(), []string{"serve", onDisk}); exit != exitError || !strings.Contains(errs.String(), "no socket") {
		t.Errorf("%d %s", exit, errs.String())
	}
}
