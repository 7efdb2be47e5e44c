package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tv/fuzz/cluster"
	"tv/internal/tier"
)

// freeAddress is an address of this machine that nothing listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// started starts a command, which is killed at the end of the test.
func started(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// awaitServer waits until a server has JetStream.
func awaitServer(t *testing.T, url string) {
	t.Helper()
	for range 600 {
		if exit, _, _ := run("fuzz", "status", "--cluster", url); exit == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no server at %s", url)
}

// awaitDone waits until so many cases of the only campaign are done.
func awaitDone(t *testing.T, url string, cases int64) {
	t.Helper()
	for range 6000 {
		exit, stdout, stderr := run("fuzz", "status", "--cluster", url, "--format", "json")
		var report struct{ Campaigns []cluster.Status }
		if exit != 0 || json.Unmarshal([]byte(stdout), &report) != nil {
			t.Fatalf("exit %d: %s%s", exit, stdout, stderr)
		}
		if len(report.Campaigns) == 1 && report.Campaigns[0].Done >= cases {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("never %d cases", cases)
}

// TestClusterProcesses: with Debian's nats-server, three workers, of which one is killed, and one stopped until the others
// have done all, and the server killed and started again, end with the report of one run of the whole.
func TestClusterProcesses(t *testing.T) {
	tier.Sweep(t)
	const cases = 240
	before, after := filepath.Join(root, "examples/matmul.sexp"), filepath.Join(root, "examples/matmul-blocked-as-printed.sexp")
	question := []string{"fuzz", "check", before, after, "--seed", "4", "--budget", fmt.Sprintf("%dx", cases), "--no-timing", "--format", "jsonl", "--jobs", "1"}
	exit, want, stderr := run(question...)
	if exit != exitRefuted {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	address, store := freeAddress(t), t.TempDir()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	serve := func() *exec.Cmd { return started(t, "nats-server", "-js", "-sd", store, "-a", host, "-p", port) }
	server, url := serve(), "nats://"+address
	awaitServer(t, url)
	worker := func() *exec.Cmd {
		return started(t, "tv", append(question, "--cluster", url, "--ack-wait", "500ms")...)
	}
	victim, stopped := worker(), worker()
	awaitDone(t, url, 1)
	signal := func(cmd *exec.Cmd, s syscall.Signal) {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(victim, syscall.SIGKILL)
	signal(stopped, syscall.SIGSTOP)
	third := worker()
	awaitDone(t, url, cases/3)
	signal(server, syscall.SIGKILL)
	_ = server.Wait()
	serve()
	awaitServer(t, url)
	awaitDone(t, url, cases)
	signal(stopped, syscall.SIGCONT)
	for name, cmd := range map[string]*exec.Cmd{"third": third, "stopped": stopped} {
		_ = cmd.Wait()
		if got := cmd.Stdout.(*bytes.Buffer).String(); cmd.ProcessState.ExitCode() != exitRefuted || got != want {
			t.Errorf("the %s worker: %v\n%s\n%s\nwant\n%s", name, cmd.ProcessState, got, cmd.Stderr, want)
		}
	}
}

// TestClusterCommand: tv fuzz cluster becomes the server, says where it is, and keeps another from its directory.
func TestClusterCommand(t *testing.T) {
	store := t.TempDir()
	cmd := exec.Command("tv", "fuzz", "cluster", "--listen", "127.0.0.1:0", "--store", store)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "workers join with --cluster ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	if exit, stdout, stderr := run("fuzz", "status", "--cluster", url); exit != 0 || stdout != "no campaigns\n" {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	corpus := t.TempDir()
	wrong := []string{"fuzz", "check", filepath.Join(root, "examples/matmul.sexp"), filepath.Join(root, "examples/matmul-blocked-as-printed.sexp"),
		"--seed", "1", "--budget", "40x", "--cluster", url, "--corpus", corpus}
	if exit, stdout, stderr := run(wrong...); exit != exitRefuted || !strings.Contains(stdout, "40 cases, 1 findings") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	if list, err := filepath.Glob(filepath.Join(corpus, "check-difference-*.txtar")); err != nil || len(list) != 1 {
		t.Errorf("findings %v, %v", list, err)
	}
	if exit, stdout, _ := run("fuzz", "status", "--cluster", url); exit != 0 || !strings.Contains(stdout, "check, seed 1: 40 of 40 cases, coverage 0, 1 findings\n") {
		t.Errorf("exit %d: %s", exit, stdout)
	}
	for _, test := range []struct{ flags, want string }{
		{"--listen 127.0.0.1:0 --store " + store, "another server has it [cluster-store]"},
		{"--listen 127.0.0.1:0 --store /dev/null/x", "[cluster-store]"},
		{"--listen 127.0.0.1:0", "--store is to name a directory [cluster-store]"},
		{"--listen 0.0.0.0:0 --store " + t.TempDir(), "[cluster-anywhere]"},
		{"--listen 4222 --store " + t.TempDir(), "an address to listen at is HOST:PORT, not \"4222\" [cluster-start]"},
		{"--listen " + strings.TrimPrefix(url, "nats://") + " --store " + t.TempDir(), "address already in use"},
		{"--listen 127.0.0.1:0 --tlscert none.pem --tlskey none.pem --store " + t.TempDir(), "the certificate cannot be used"},
		{"--config none.conf --store " + t.TempDir(), "none.conf: is no configuration of nats-server"},
	} {
		text, err := exec.Command("tv", append([]string{"fuzz", "cluster"}, strings.Fields(test.flags)...)...).CombinedOutput()
		if failed, ok := err.(*exec.ExitError); !ok || failed.ExitCode() != exitError || !strings.Contains(string(text), test.want) {
			t.Errorf("%s: %v\n%s\nwant %s", test.flags, err, text, test.want)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestClusterCorpus: the directory of a worker with --corpus ends as that of one run of the whole, byte for byte, and so does its report.
func TestClusterCorpus(t *testing.T) {
	s := clusterServer(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	for _, target := range [][]string{{"self"}, {"rules", filepath.Join(root, "glenside/rules/paper.rules")}} {
		t.Run(target[0], func(t *testing.T) {
			question := append(append([]string{"fuzz"}, target...), "--seed", "3", "--budget", "18x", "--no-timing", "--format", "jsonl")
			local, shared := t.TempDir(), t.TempDir()
			exit, want, stderr := run(append(question, "--corpus", local)...)
			if exit == exitError {
				t.Fatal(stderr)
			}
			got, stdout, stderr := run(append(question, "--corpus", shared, "--cluster", s.URL())...)
			if got != exit || strings.ReplaceAll(stdout, shared, local) != want {
				t.Errorf("exit %d: %s%s\nwant %d: %s", got, stdout, stderr, exit, want)
			}
			list, err := filepath.Glob(filepath.Join(local, "*.txtar"))
			if err != nil || len(list) == 0 {
				t.Fatal(list, err)
			}
			for _, name := range list {
				a, errA := os.ReadFile(name)
				b, errB := os.ReadFile(filepath.Join(shared, filepath.Base(name)))
				if errA != nil || errB != nil || !bytes.Equal(a, b) {
					t.Errorf("%s is another file: %v, %v", filepath.Base(name), errA, errB)
				}
			}
			if more, err := filepath.Glob(filepath.Join(shared, "*")); err != nil || len(more) != len(list) {
				t.Errorf("%d files, want %d: %v", len(more), len(list), err)
			}
		})
	}
}
