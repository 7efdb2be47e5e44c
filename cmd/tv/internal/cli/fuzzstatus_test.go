package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tv/ci/page"
	"tv/ci/page/pagetest"
	"tv/fuzz/cluster"
	"tv/fuzz/cluster/server"
	"tv/internal/visible"
)

// clusterServer starts a server on a directory; address "127.0.0.1:0" is any port.
func clusterServer(t *testing.T, dir, address string) *server.Server {
	t.Helper()
	s, err := server.Start(server.Options{Listen: address, Store: dir, Log: func(text string) { t.Log("server:", text) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// statusExample has all texts the same.
func statusExample(text string) []cluster.Status {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	one := cluster.Status{Campaign: text, Build: text, Target: text, Seed: 7, Cases: 320, Done: 160, Ranges: 20, Left: 10, UnderWay: 2, Coverage: 44, Refused: 3,
		Workers:  []cluster.WorkerStatus{{Name: text, Ranges: 10, Cases: 160, Last: at}},
		Findings: []cluster.FoundStatus{{Case: 12, Key: text}},
		History:  []cluster.Moment{{Time: at}, {Time: at.Add(time.Second), Ranges: 4, Cases: 64, Coverage: 40, Workers: 1}, {Time: at.Add(90 * time.Second), Ranges: 10, Cases: 160, Coverage: 44, Findings: 1, Workers: 1}}}
	ended := one
	ended.Left, ended.Done = 0, 320
	return []cluster.Status{ended, one, {Campaign: text, Target: text, Batch: true, Done: 3, Cases: 3}}
}

// TestStatusPage: the page says what the status says, everyone can read it, and texts of others are texts.
func TestStatusPage(t *testing.T) {
	written := func(text string) string {
		var b strings.Builder
		if err := page.Write(&b, statusPage("nats://127.0.0.1:4222", statusExample(text))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	plain := written("some text")
	for _, want := range []string{"3 campaigns, 1 of them under way, 2 findings", "10 of 20 done, 2 with a worker", "2026-01-02T03:04:05Z", "3 messages that no worker wrote",
		"3 points from 0 at 0s to 160 at 1m30s", "<td>some text</td>", "under way", "none yet", "questions of tv some text", "3 of 3 parts"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if n := strings.Count(plain, `<svg class="plot"`); n != 10 { // 5 of each campaign with a result
		t.Errorf("%d plots", n)
	}
	if strings.Index(plain, "under way</span>") > strings.Index(plain, "ended</span>") {
		t.Error("what is under way does not come first")
	}
	tags := func(text string) int { return strings.Count(text, "<") }
	for _, odd := range []string{"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "\x1b]0;x\a\x1b[2J", "a\u202eb\u2066c", "\u009b31m", "\xff\x00", strings.Repeat("<b>", 1_000_000)} {
		text := written(odd)
		if tags(text) != tags(plain) {
			t.Errorf("%.20q changes the elements of the page", odd)
		}
		if strings.ContainsFunc(text, visible.Hidden) || len(text) > 100_000 {
			t.Errorf("%.20q: something hidden is on the page, or it has %d bytes", odd, len(text))
		}
		for _, problem := range append(pagetest.Problems(text), pagetest.Problems(plain)...) {
			t.Errorf("%.20q: %s", odd, problem)
		}
	}
	var none strings.Builder
	if err := page.Write(&none, statusPage("", nil)); err != nil || !strings.Contains(none.String(), "no campaigns") {
		t.Error(err, none.String())
	}
}

// TestStatusServed: the page is served on this machine alone, asks for itself again unless it is to stay, goes on when the server is
// gone and back, and has then the same history.
func TestStatusServed(t *testing.T) {
	store := t.TempDir()
	s := clusterServer(t, store, "127.0.0.1:0")
	url := s.URL()
	question := []string{"fuzz", "check", filepath.Join(root, "examples/matmul.sexp"), filepath.Join(root, "examples/matmul-blocked-as-printed.sexp"),
		"--seed", "1", "--budget", "40x", "--cluster", url, "--format", "jsonl"}
	if exit, _, stderr := run(question...); exit != exitRefuted {
		t.Fatal(stderr)
	}
	cmd := exec.Command("tv", "fuzz", "status", "--cluster", url, "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "the page is at ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	ask := func(method, path, host string) (int, string) {
		r, err := http.NewRequest(method, at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	const refresh = `<meta http-equiv="refresh" content="5">`
	code, text := ask("GET", "", "")
	if code != http.StatusOK || !strings.Contains(text, refresh) || !strings.Contains(text, "40 of 40 cases, 1 findings") || !strings.Contains(text, `href="?still"`) {
		t.Errorf("%d\n%s", code, text)
	}
	for _, problem := range pagetest.Problems(text) {
		t.Error(problem)
	}
	if code, text := ask("GET", "?still", "localhost"); code != http.StatusOK || strings.Contains(text, refresh) || !strings.Contains(text, "update now") {
		t.Errorf("%d\n%s", code, text)
	}
	for _, test := range []struct {
		method, path, host string
		want               int
	}{{"GET", "", "evil.example", http.StatusForbidden}, {"GET", "", "evil.example:80", http.StatusForbidden}, {"GET", "", "[::1]:80", http.StatusOK},
		{"POST", "", "", http.StatusMethodNotAllowed}, {"GET", "x", "", http.StatusNotFound}, {"HEAD", "", "", http.StatusOK}} {
		if code, _ := ask(test.method, test.path, test.host); code != test.want {
			t.Errorf("%s /%s of %q is answered by %d, want %d", test.method, test.path, test.host, code, test.want)
		}
	}
	exit, before, stderr := run("fuzz", "status", "--cluster", url, "--format", "json")
	if exit != 0 || !strings.Contains(before, `"history":[{"time":"20`) {
		t.Errorf("exit %d: %s%s", exit, before, stderr)
	}
	awaitPage := func(want string, there bool) {
		for range 600 {
			if _, text = ask("GET", "", ""); strings.Contains(text, want) == there {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("%q is never on the page: %t\n%s", want, there, text)
	}
	s.Stop()
	awaitPage("what follows is what was there before", true)
	if !strings.Contains(text, "40 of 40 cases, 1 findings") {
		t.Errorf("without a server the page has nothing: %s", text)
	}
	s = clusterServer(t, store, strings.TrimPrefix(url, "nats://"))
	defer s.Stop()
	awaitPage("what follows is what was there before", false)
	if exit, after, stderr := run("fuzz", "status", "--cluster", url, "--format", "json"); exit != 0 || after != before {
		t.Errorf("exit %d: a restart changes the status from\n%sto\n%s%s", exit, before, after, stderr)
	}
	var report struct{ Campaigns []cluster.Status }
	if err := json.Unmarshal([]byte(before), &report); err != nil || len(report.Campaigns) != 1 {
		t.Fatal(err, before)
	}
	id := report.Campaigns[0].Campaign
	for _, test := range []struct {
		args   []string
		exit   int
		stdout string
		stderr string
	}{
		{nil, exitError, "", "forget wants --cluster, and campaigns or --ended"},
		{[]string{"another"}, exitError, "", `keeps no campaign "another" [cluster-forgotten]`},
		{[]string{id}, 0, "forgotten: " + id + "\n", ""},
		{[]string{"--ended"}, 0, "", ""},
	} {
		exit, stdout, stderr := run(append([]string{"fuzz", "forget", "--cluster", url}, test.args...)...)
		if exit != test.exit || stdout != test.stdout || !strings.Contains(stderr, test.stderr) {
			t.Errorf("tv fuzz forget %v: exit %d: %s%s", test.args, exit, stdout, stderr)
		}
	}
	for _, test := range []struct{ listen, want string }{{"0.0.0.0:0", "[cluster-anywhere]"}, {"8080", "[cluster-start]"}, {":0", "[cluster-start]"},
		{"example.com:0", "[cluster-anywhere]"}, {strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/"), "[cluster-start]"}} {
		if exit, _, stderr := run("fuzz", "status", "--cluster", url, "--listen", test.listen); exit != exitError || !strings.Contains(stderr, test.want) {
			t.Errorf("--listen %s: exit %d: %s", test.listen, exit, stderr)
		}
	}
}

// streams opens what a server keeps.
func streams(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestForgedFinding: of a finding that somebody else wrote nothing reaches the terminal but what is to be seen, and no file beside the corpus.
func TestForgedFinding(t *testing.T) {
	s := clusterServer(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	corpus := t.TempDir()
	worker := []string{"fuzz", "check", filepath.Join(root, "examples/matmul.sexp"), filepath.Join(root, "examples/matmul-blocked.sexp"), "--seed", "1", "--budget", "16x", "--cluster", s.URL()}
	if exit, _, stderr := run(worker...); exit != 0 {
		t.Fatal(stderr)
	}
	js := streams(t, s.URL())
	ctx := context.Background()
	forge := func(key, kind string) {
		for name := range js.KeyValueStoreNames(ctx).Name() {
			bucket, err := js.KeyValue(ctx, strings.TrimPrefix(name, "KV_"))
			if err != nil {
				t.Fatal(err)
			}
			e, err := bucket.Get(ctx, "start")
			if err != nil {
				t.Fatal(err)
			}
			entry := map[string]any{}
			if err := json.Unmarshal(e.Value(), &entry); err != nil {
				t.Fatal(err)
			}
			for _, field := range []string{"start", "cases", "size"} {
				delete(entry, field)
			}
			entry["finding"] = map[string]any{"case": 3, "target": "check", "key": key, "kind": kind, "detail": "\x1b[2J\u009b1mdetail\u202e", "blame": []string{"before: \x1b]0;t\a"},
				"text": "# tv fuzz check: difference\n\x1b[31m\n", "replay": []string{"tv", "replay"}}
			data, err := json.Marshal(entry)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bucket.Put(ctx, "finding."+cluster.KeyDigest(key), data); err != nil {
				t.Fatal(err)
			}
		}
	}
	forge("key \x1b[31m\u202e", "difference")
	forge("another", "../../away")
	exit, stdout, stderr := run(worker...)
	if exit != exitRefuted || !strings.Contains(stdout, "‹U+001B›[2J‹U+009B›1mdetail‹U+202E›") || !strings.Contains(stderr, "key ‹U+001B›[31m‹U+202E›") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	_, status, more := run("fuzz", "status", "--cluster", s.URL())
	if strings.ContainsFunc(stdout+stderr+status+more, visible.Hidden) {
		t.Errorf("something hidden is in %q", stdout+stderr+status+more)
	}
	if !strings.Contains(stderr, "is of a kind that there is not [cluster-message]") {
		t.Error(stderr)
	}
	if exit, _, stderr := run(append(worker, "--corpus", corpus)...); exit != exitRefuted {
		t.Error(stderr)
	}
	if list, err := filepath.Glob(filepath.Join(corpus, "*")); err != nil || fmt.Sprint(len(list)) != "1" || bytes.Contains([]byte(list[0]), []byte("away")) {
		t.Errorf("files %v, %v", list, err)
	}
}
