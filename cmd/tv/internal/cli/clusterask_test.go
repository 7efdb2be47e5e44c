package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/fuzz/cluster"
)

// TestClusterQuestions: questions that workers answer have the report and the exit status of one machine, in every format, also where a worker
// is killed and where all that workers sent was changed.
func TestClusterQuestions(t *testing.T) {
	s := clusterServer(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	work := func() func() {
		cmd := started(t, "tv", "fuzz", "work", "--cluster", s.URL(), "--jobs", "1", "--ack-wait", "1s")
		return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	}
	work()
	kill := work()
	check := filepath.Join(root, "testdata/check")
	before, after, wrong := filepath.Join(root, "examples/matmul.sexp"), filepath.Join(root, "examples/matmul-blocked.sexp"), filepath.Join(root, "examples/matmul-blocked-as-printed.sexp")
	questions := [][]string{
		{"check", "--expect", filepath.Join(check, "softmax*.txtar"), filepath.Join(check, "matmul*.txtar")},
		{"check", filepath.Join(check, "average-pool-after-1x1-with-bias-bad.txtar"), "--format", "json"},
		{"check", before, after, wrong},
		{"certify", filepath.Join(root, "glenside/rules/paper.rules"), "--format", "sarif"},
		{"certify", "--only", "slice-and-concatenate", "--arith", "exact", filepath.Join(root, "glenside/rules/paper.rules")},
		{"check", filepath.Join(root, "README.md"), before},
		{"check", filepath.Join(check, "softmax-axis.txtar"), "none.txtar"},
	}
	same := func(when string) {
		t.Helper()
		for i, q := range questions {
			q = append(q, "--no-timing")
			exit, want, stderr := run(q...)
			got, stdout, more := run(append(q, "--cluster", s.URL(), "--jobs", "1", "--ack-wait", "1s")...)
			if got != exit || stdout != want {
				t.Errorf("%s: tv %v: exit %d, want %d\n%s\n%s\nwant\n%s\n%s", when, q, got, exit, stdout, more, want, stderr)
			}
			if i == 0 && kill != nil {
				kill()
				kill = nil
			}
		}
	}
	same("with two workers")
	if _, stdout, _ := run("fuzz", "status", "--cluster", s.URL()); !strings.Contains(stdout, ": questions of tv check: 1 of 1 parts\n") || !strings.Contains(stdout, ": questions of tv certify: ") {
		t.Errorf("the status says\n%s", stdout)
	}
	js := streams(t, s.URL())
	ctx := context.Background()
	changed := 0
	for name := range js.ObjectStoreNames(ctx).Name() {
		store, err := js.ObjectStore(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := store.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			if data, err := store.GetBytes(ctx, o.Name); err == nil && len(o.Name) == 64 {
				changed++
				if _, err := store.PutBytes(ctx, o.Name, bytes.ReplaceAll(data, []byte("proof"), []byte("prooF"))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if changed == 0 {
		t.Fatal("workers sent nothing")
	}
	same("with forged answers")
	empty := filepath.Join(t.TempDir(), "shapes.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"check --shapes " + empty + " " + before + " " + after, "--cluster goes without --shapes"},
		{"check --shard 0/2 " + before + " " + after, "--cluster goes without --shard"},
		{"check --explain " + before + " " + after, "--cluster goes without --explain"},
		{"check - " + after, "- is no file that travels"},
		{"check --ack-wait 0s " + before + " " + after, "--ack-wait is a time above 0"},
		{"certify --resume " + empty + " " + filepath.Join(root, "glenside/rules/paper.rules"), "--resume"},
	} {
		exit, _, stderr := run(append(strings.Fields(test.args), "--cluster", s.URL())...)
		if exit != exitError || !strings.Contains(stderr, test.want) {
			t.Errorf("tv %s: exit %d: %s", test.args, exit, stderr)
		}
	}
}

// TestBatchPart: of what a server hands out a worker runs questions about texts alone, and reads none that it has not sent.
func TestBatchPart(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "testdata/check/softmax-axis.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	batch := func() *cluster.Batch {
		return &cluster.Batch{Command: "check", Flags: []string{"--expect=true"}, Files: []cluster.BatchFile{{Name: "f0.txtar", Text: string(text)}}, Parts: 1}
	}
	ctx := context.Background()
	if hints, err := batchPart(ctx, "id", batch(), 0); err != nil || len(hints) != 1 {
		t.Errorf("%d hints, %v", len(hints), err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, change := range []func(b *cluster.Batch){
		func(b *cluster.Batch) { b.Command = "fuzz" },
		func(b *cluster.Batch) { b.Command = "serve" },
		func(b *cluster.Batch) { b.Flags = []string{"--report=json=" + out} },
		func(b *cluster.Batch) { b.Flags = []string{"--output=" + out} },
		func(b *cluster.Batch) { b.Flags = []string{"--certificate=" + out} },
		func(b *cluster.Batch) { b.Flags = []string{"-o" + out} },
		func(b *cluster.Batch) { b.Flags = []string{"--contracts=/etc/passwd"} },
		func(b *cluster.Batch) { b.Flags = []string{"--cluster=nats://127.0.0.1:1"} },
		func(b *cluster.Batch) { b.Flags = []string{"--"} },
		func(b *cluster.Batch) { b.Flags = []string{"/etc/passwd"} },
		func(b *cluster.Batch) { b.Flags = []string{"--expect"} },
		func(b *cluster.Batch) { b.Flags = []string{""} },
	} {
		b := batch()
		change(b)
		if hints, err := batchPart(ctx, "id", b, 0); err == nil || !strings.Contains(err.Error(), "["+cluster.CodeMessage+"]") {
			t.Errorf("tv %s %q is worked on: %d hints, %v", b.Command, b.Flags, len(hints), err)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
	// A flag that travels may hold anything: it is one of a question.
	b := batch()
	b.Flags = []string{"--input=../../etc/passwd"}
	if hints, err := batchPart(ctx, "id", b, 0); err != nil || len(hints) != 0 {
		t.Errorf("%d hints, %v", len(hints), err)
	}
}
