package cli

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tv/internal/tier"
)

// process returns the command as a process of its own, which signals reach.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tv := filepath.Join(t.TempDir(), "tv") // under this name the test binary is the command
	if err := os.Symlink(self, tv); err != nil {
		t.Fatal(err)
	}
	return exec.Command(tv, args...)
}

// findings are the names of the files of findings in a corpus.
func findings(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*-wrong-rule-*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	return list
}

var replayLine = regexp.MustCompile(`(?m)^  replay: tv replay (\S+)$`)

// TestFuzzKilled: a campaign that is killed and resumed again and again ends with the findings of one that
// was left alone; what was printed is in its file, and no file is half written.
func TestFuzzKilled(t *testing.T) {
	campaign := func(dir string, more ...string) []string {
		return append([]string{"fuzz", "rules", "../../../../glenside/rules/paper.rules", "--budget", tier.Pick("400x", "3000x"), "--seed", "3",
			"--corpus", dir, "--jobs", "2"}, more...)
	}
	whole := t.TempDir()
	var exit *exec.ExitError
	if err := process(t, campaign(whole)...).Run(); !errors.As(err, &exit) || exit.ExitCode() != exitRefuted {
		t.Fatal(err)
	}
	want := findings(t, whole)
	if len(want) < 5 {
		t.Fatalf("%d findings", len(want))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	kills := 0
	for wait := 100 * time.Millisecond; ; wait += 300 * time.Millisecond {
		cmd := process(t, campaign(dir, "--resume")...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(wait+time.Duration(rng.IntN(200))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		killer.Stop()
		for _, m := range replayLine.FindAllStringSubmatch(out.String(), -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("printed, and not there: %v", err)
			}
		}
		if errors.As(err, &exit) && exit.ExitCode() == exitRefuted {
			break
		}
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%v\n%s%s", err, &out, &errs)
		}
		kills++
	}
	if got := findings(t, dir); !slices.Equal(got, want) {
		t.Errorf("after %d kills %v, undisturbed %v", kills, got, want)
	}
	t.Logf("%d kills, %d findings", kills, len(want))
}

// TestFuzzInterrupted: a campaign that is interrupted, here once it has found something, says what it knows and ends
// with status 130.
func TestFuzzInterrupted(t *testing.T) {
	cmd := process(t, "fuzz", "rules", "../../../../glenside/rules/paper.rules", "--budget", "24h", "--seed", "3",
		"--format", "jsonl")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for in := bufio.NewScanner(stdout); in.Scan(); {
		if lines = append(lines, in.Text()); len(lines) == 2 { // the first says what is hunted for
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, `"interrupted":true`) || strings.Contains(last, `"cases":0,`) {
		t.Errorf("the last line is %s", last)
	}
}

// TestFuzzPassesInterrupted: a command that a campaign runs, and what it started, end with the campaign.
func TestFuzzPassesInterrupted(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	script := "sleep 1000 & echo $! > " + started + ".new; mv " + started + ".new " + started + "; wait"
	cmd := process(t, "fuzz", "passes", "--opt", "sh -c '"+script+"'", "--budget", "24h", "--seed", "3", "--opt-timeout", "20h", "--jobs", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var child int
	for child == 0 {
		if text, err := os.ReadFile(started); err == nil {
			if child, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatal(err)
	}
	for syscall.Kill(child, 0) == nil { // until whoever adopted it has taken note
		if state, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat"); err == nil && strings.Contains(string(state), ") Z ") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
}
