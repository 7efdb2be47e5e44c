package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tv/fuzz"
	"tv/fuzz/cluster/server"
	"tv/internal/source"
)

// toy is a target whose case k covers k mod 7, and is wrong by the key k mod 5 where k mod 3 is 0 and k is at least 20.
type toy struct {
	before func(ctx context.Context, k int64) // of each case; or nil
	length int                                // of the text of a finding, more or less
	ran    atomic.Int64
}

func (*toy) Name() string          { return "toy" }
func (*toy) ID() string            { return "toy" }
func (t *toy) Worker() fuzz.Worker { return toyWorker{t} }

type toyWorker struct{ *toy }

func (w toyWorker) Case(ctx context.Context, seed uint64, k int64) fuzz.Outcome {
	if w.before != nil {
		w.before(ctx, k)
	}
	w.ran.Add(1)
	o := fuzz.Outcome{Covered: []string{fmt.Sprint(k % 7)}, Entry: func([]string) []byte { return fmt.Appendf(nil, "# tv fuzz toy: case\n-- a --\n%d\n", k) }}
	if k%3 == 0 && k >= 20 {
		o.Suspect = &fuzz.Suspect{Key: fmt.Sprint(k % 5), Finding: func() fuzz.Finding {
			return fuzz.Finding{Kind: "toy", Detail: fmt.Sprint(k), Text: fmt.Sprintf("# tv fuzz toy: toy\n%s-- a --\n%d\n", strings.Repeat("# long\n", w.length/7), k),
				Replay: []string{"tv", "replay"}}
		}}
	}
	return o
}

func (toyWorker) Covered(e *fuzz.Entry) []string {
	k, err := strconv.Atoi(strings.TrimSpace(e.Parts["a"]))
	if err != nil {
		return nil
	}
	return []string{fmt.Sprint(k % 7)}
}

func (w toyWorker) Again(e *fuzz.Entry) (fuzz.Outcome, error) {
	k, err := strconv.ParseInt(strings.TrimSpace(e.Parts["a"]), 10, 64)
	if err != nil {
		return fuzz.Outcome{}, &source.Error{Name: e.File.Name, Code: fuzz.CodeCorpus, Msg: "holds no number"}
	}
	return (toyWorker{&toy{length: w.length}}).Case(context.Background(), 1, k), nil
}

// serve starts a server on a directory; addr "" is any port.
func serve(t *testing.T, dir, listen string) *server.Server {
	t.Helper()
	s, err := server.Start(server.Options{Listen: listen, Store: dir, Log: func(text string) { t.Log("server:", text) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// patience is short, so that a range of a worker that was killed soon goes to another.
const patience = 300 * time.Millisecond

// campaign is that of a toy.
func campaign(t *testing.T, target fuzz.Target, cases int64) *Campaign {
	return &Campaign{Target: target, Seed: 1, Cases: cases, Jobs: 1, AckWait: patience, Build: "b", Tool: "tv",
		Log: func(text string) { t.Log(text) }}
}

// undisturbed is the report of a campaign that runs here alone.
func undisturbed(t *testing.T, target fuzz.Target, cases int64) *fuzz.Lines {
	t.Helper()
	c := &fuzz.Campaign{Target: target, Seed: 1, Cases: cases}
	out := &fuzz.Lines{Start: c.Start("tv", fmt.Sprintf("%dx", cases))}
	if err := c.Run(context.Background(), func(f fuzz.Finding) { out.Findings = append(out.Findings, f) }); err != nil {
		t.Fatal(err)
	}
	p := c.Progress()
	out.End = &fuzz.End{Line: "end", Cases: p.Cases, Coverage: p.Coverage, Findings: p.Findings}
	return out
}

// text prints a report as tv fuzz --format jsonl does.
func text(t *testing.T, l *fuzz.Lines) string {
	t.Helper()
	var b strings.Builder
	lines := []any{l.Start}
	for _, f := range l.Findings {
		lines = append(lines, fuzz.Found{Line: "finding", Finding: f})
	}
	for _, line := range append(lines, l.End) {
		if err := fuzz.WriteLine(&b, line); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// A gate forwards connections to a server and holds what comes while it is shut, as a network that is cut does.
type gate struct {
	net.Listener
	to string
	mu sync.RWMutex // held for writing while it is shut
}

func newGate(t *testing.T, to string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{Listener: l, to: to}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", g.to)
			if err != nil {
				from.Close()
				continue
			}
			go g.pass(from, to)
			go g.pass(to, from)
		}
	}()
	return g
}

func (g *gate) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		g.mu.RLock()
		_, err = to.Write(buffer[:n])
		g.mu.RUnlock()
		if err != nil {
			return
		}
	}
}

// TestWorkers: three workers, of which one is killed with a range and one is cut off with another until most is done, and
// a server that is stopped and started again from its directory, end with the report of a campaign that nobody disturbed.
func TestWorkers(t *testing.T) {
	const cases = 2000
	want := text(t, undisturbed(t, &toy{}, cases))
	dir := t.TempDir()
	s := serve(t, dir, "127.0.0.1:0")
	address := strings.TrimPrefix(s.URL(), "nats://")
	cut := newGate(t, address)

	killed, kill := context.WithCancel(context.Background())
	var onceKilled, onceCut, onceStopped, onceBack sync.Once
	held, half, restarted, most := make(chan bool, 2), make(chan bool), make(chan bool), make(chan bool)
	victim := &toy{before: func(context.Context, int64) {
		onceKilled.Do(func() { kill(); held <- true })
	}}
	slow := &toy{before: func(context.Context, int64) {
		onceCut.Do(func() {
			cut.mu.Lock()
			held <- true
			<-most
			cut.mu.Unlock()
		})
	}}
	steady := &toy{}
	steady.before = func(context.Context, int64) {
		if steady.ran.Load() > cases/2 {
			onceStopped.Do(func() { close(half); <-restarted })
		}
		if steady.ran.Load() > cases*3/4 {
			onceBack.Do(func() { close(most) })
		}
	}
	type outcome struct {
		text string
		err  error
	}
	run := func(ctx context.Context, target fuzz.Target, address string) chan outcome {
		out := make(chan outcome, 1)
		go func() {
			l, err := campaign(t, target, cases).Run(ctx, Server{URL: "nats://" + address})
			if err != nil {
				out <- outcome{err: err}
				return
			}
			out <- outcome{text(t, l), nil}
		}()
		return out
	}
	first := run(killed, victim, address)
	second := run(context.Background(), slow, cut.Addr().String())
	<-held
	<-held
	third := run(context.Background(), steady, address)
	<-half
	s.Stop()
	s = serve(t, dir, address)
	close(restarted)
	if got := <-first; !errors.Is(got.err, context.Canceled) || victim.ran.Load() != 1 {
		t.Errorf("the killed worker ran %d cases: %v", victim.ran.Load(), got.err)
	}
	for name, c := range map[string]chan outcome{"steady": third, "slow": second} {
		if got := <-c; got.err != nil || got.text != want {
			t.Errorf("the %s worker: %v\n%s\nwant\n%s", name, got.err, got.text, want)
		}
	}
	s.Stop()
}
