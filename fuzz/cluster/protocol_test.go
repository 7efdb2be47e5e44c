package cluster

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz"
	"tv/internal/source"
)

var own = envelope{Schema, "c", "b"}

// TestReadOrder: a message is what a worker writes, to the letter, or is refused.
func TestReadOrder(t *testing.T) {
	right := string(encode(order{own, 3}))
	if n, err := readOrder([]byte(right), own, 4); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"/v2", "/v1", `is of version "tv.fuzz.cluster/v1", not "tv.fuzz.cluster/v2"`},
		{`"campaign":"c"`, `"campaign":"d"`, `is of campaign "d", not c`},
		{`"build":"b"`, `"build":"c"`, `is of build "c", not b`},
		{`"range":3`, `"range":4`, "is about range 4 of 4"},
		{`"range":3`, `"range":-1`, "is about range -1 of 4"},
		{`"range":3`, `"range":"3"`, "is not one of tv's"},
		{`"range":3`, `"range":3,"run":"rm -r /"`, "is not one of tv's: unknown field"},
		{"}", "} {}", "is not one of tv's: there is more after it"},
		{"}", "}" + strings.Repeat(" ", maxOrder), "has 1092 bytes, more than 1024"},
		{right, "", "is not one of tv's"},
		{right, "\xff\x00", "is not one of tv's"},
	} {
		_, err := readOrder([]byte(strings.Replace(right, test.old, test.new, 1)), own, 4)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q in place of %q: %v", test.new, test.old, err)
		}
	}
}

// TestFoundCheck: a finding of another campaign, of a case that there is not, under another's key or with a command of its
// own is none.
func TestFoundCheck(t *testing.T) {
	d := &description{own, fuzz.Start{Target: "toy"}, 10, 5, false}
	right := found{own, fuzz.Finding{Target: "toy", Case: 9, Key: "k", Kind: "wrong proof", Replay: []string{"tv", "replay"}}}
	if err := right.check(d, KeyDigest("k")); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(f *found){
		"build": func(f *found) { f.Build = "c" }, "target": func(f *found) { f.Finding.Target = "self" },
		"late": func(f *found) { f.Finding.Case = 10 }, "early": func(f *found) { f.Finding.Case = -1 },
		"key": func(f *found) { f.Finding.Key = "l" }, "command": func(f *found) { f.Finding.Replay = []string{"rm", "-r"} },
		"way": func(f *found) { f.Finding.Kind = "../../etc/cron" }, "escape": func(f *found) { f.Finding.Kind = "\x1b[2J" }, "no kind": func(f *found) { f.Finding.Kind = "" },
		"file": func(f *found) { f.Finding.File = "/etc/passwd" },
	} {
		wrong := right
		if change(&wrong); wrong.check(d, KeyDigest("k")) == nil {
			t.Errorf("a finding with another %s passes", what)
		}
	}
}

// TestForged: messages and entries that no worker wrote are said and set aside, and the report is the right one.
func TestForged(t *testing.T) {
	const cases = 200
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	target := &toy{}
	c := campaign(t, target, cases)
	want := text(t, undisturbed(t, &toy{}, cases))
	ctx := context.Background()
	nc, js, err := (Server{URL: s.URL()}).connect(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	d := description{envelope{Schema, c.ID(), c.Build}, c.Start(), cases, sizeOf(cases), false}
	l, err := open(ctx, js, d, patience, c.Log)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{"rm -r /", string(encode(order{envelope{"tv.fuzz.cluster/v1", c.ID(), "b"}, 0})),
		string(encode(order{envelope{Schema, c.ID(), "another"}, 1})), strings.Repeat("x", 1<<16)} {
		if _, err := js.Publish(ctx, l.subject(), []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	forgedResult, forgedFinding := result{envelope: d.envelope, Range: 2, Cases: 3}, found{d.envelope, fuzz.Finding{Target: "toy", Key: "2", Replay: []string{"sh"}}}
	for key, value := range map[string][]byte{keyRange + "2": encode(forgedResult), keyRange + "x": encode(forgedResult),
		keyFinding + KeyDigest("2"): encode(forgedFinding), keyMark: []byte(`{"next":99}`)} {
		if _, err := l.bucket.Put(ctx, key, value); err != nil {
			t.Fatal(err)
		}
	}
	var aside atomic.Int64
	c.Log = func(text string) {
		t.Log(text)
		if strings.Contains(text, "["+CodeMessage+"]") {
			aside.Add(1)
		}
	}
	got, err := c.Run(ctx, Server{URL: s.URL()})
	if err != nil || text(t, got) != want {
		t.Fatalf("%v\n%s\nwant\n%s", err, text(t, got), want)
	}
	if aside.Load() < 5 || target.ran.Load() != cases { // 4 messages and an entry; others may be written over before they are read
		t.Errorf("%d were set aside, %d cases run", aside.Load(), target.ran.Load())
	}
	if e, err := l.bucket.Get(ctx, keyRefused+"1"); err != nil || !strings.Contains(string(e.Value()), "is not one of tv's") {
		t.Error(err)
	}
	left := uint64(1)
	for range 200 { // nobody waits for the server to have heard that a message is set aside
		info, err := l.queue.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if left = info.State.Msgs; left == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if left > 0 {
		t.Errorf("the queue holds %d messages", left)
	}
}

// TestOtherBuild: a worker of another build is refused, before and after the campaign has ended.
func TestOtherBuild(t *testing.T) {
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	for build, code := range map[string]string{"b": "", "other": CodeBuild} {
		c := campaign(t, &toy{}, 50)
		if c.Build = "b"; code != "" {
			if _, err := c.Run(context.Background(), Server{URL: s.URL()}); err != nil {
				t.Fatal(err)
			}
			c.Build = build
		}
		_, err := c.Run(context.Background(), Server{URL: s.URL()})
		if got := (*source.Error)(nil); code == "" && err != nil || code != "" && (!errors.As(err, &got) || got.Code != code) {
			t.Errorf("build %s: %v", build, err)
		}
	}
}

// TestPutBack: ranges that the queue lost are published anew.
func TestPutBack(t *testing.T) {
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	c := campaign(t, &toy{}, 300)
	ctx := context.Background()
	nc, js, err := (Server{URL: s.URL()}).connect(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	l, err := open(ctx, js, description{envelope{Schema, c.ID(), c.Build}, c.Start(), 300, sizeOf(300), false}, patience, c.Log)
	if err != nil {
		t.Fatal(err)
	}
	if filled, err := l.fill(ctx); !filled || err != nil {
		t.Fatal(filled, err)
	}
	if err := l.queue.Purge(ctx, jetstream.WithPurgeKeep(3)); err != nil {
		t.Fatal(err)
	}
	got, err := c.Run(ctx, Server{URL: s.URL()})
	if err != nil || got.End.Cases != 300 {
		t.Error(err)
	}
}
