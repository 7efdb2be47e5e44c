package cluster

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestNoRoom: where the server has no room left its workers end with a code; with more room the campaign goes on from where it was, to the report of
// one that was not disturbed. Findings fill the room: they are long.
func TestNoRoom(t *testing.T) {
	const cases, length = 400, 100_000
	store := t.TempDir()
	want := text(t, undisturbed(t, &toy{length: length}, cases))
	at := func(room string) error {
		s := configured(t, store, "jetstream { max_file_store: "+room+" }\n")
		defer s.Stop()
		got, err := campaign(t, &toy{length: length}, cases).Run(context.Background(), Server{URL: s.URL()})
		if err == nil && text(t, got) != want {
			t.Errorf("with %s the report is another", room)
		}
		return err
	}
	for _, room := range []string{"1KB", "150KB", "150KB", "300KB"} {
		if err := at(room); !coded(err, CodeServer) || !strings.Contains(err.Error(), "insufficient storage") && !strings.Contains(err.Error(), "resource") {
			t.Errorf("with %s: %v", room, err)
		}
	}
	if err := at("100MB"); err != nil {
		t.Error(err)
	}
}

// TestNoClock: nothing here asks what time it is, so that clocks of workers, and of the server, may differ by what they like: how long
// to wait goes by steady clocks, and times are the server's.
func TestNoClock(t *testing.T) {
	clocks := func(text any) (out []string) {
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, "x.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name) {
					out = append(out, fmt.Sprint(files.Position(s.Pos()).Line))
				}
			}
			return true
		})
		return out
	}
	if got := clocks("package x\nimport \"time\"\nvar now = time.Now()\n"); len(got) != 1 {
		t.Fatal("a clock is not seen")
	}
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := fs.ReadFile(os.DirFS("."), name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := clocks(data); len(lines) > 0 {
			t.Errorf("%s asks a clock at lines %v", name, lines)
		}
	}
}

// TestTwoFill: workers that fill a queue at once, and put back at once what the others put back, publish each range, and the mark never goes back.
func TestTwoFill(t *testing.T) {
	s := serve(t, t.TempDir(), "127.0.0.1:0")
	defer s.Stop()
	ctx := context.Background()
	const ranges = 3*atOnce + 7
	var ledgers []*ledger
	for range 4 {
		nc, js, err := (Server{URL: s.URL()}).connect(func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		l, err := open(ctx, js, description{envelope: own, Cases: ranges * leastSize, Size: leastSize}, defaultAckWait, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		ledgers = append(ledgers, l)
	}
	everyone := func(what func(l *ledger) error) {
		t.Helper()
		var g sync.WaitGroup
		for _, l := range ledgers {
			g.Go(func() {
				if err := what(l); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
	}
	everyone(func(l *ledger) error {
		for {
			if more, err := l.fill(ctx); !more || err != nil {
				return err
			}
		}
	})
	if got := drain(t, ledgers[0]); len(got) != ranges {
		t.Errorf("%d of %d ranges came", len(got), ranges)
	}
	lost := []int64{3, atOnce, ranges - 1}
	everyone(func(l *ledger) error { return l.putBack(ctx, lost) })
	if got := drain(t, ledgers[1]); len(got) != len(lost) {
		t.Errorf("ranges %v came back, want %v", got, lost)
	}
	m, _, err := ledgers[2].readMark(ctx)
	if err != nil || m.Next != ranges || m.Round < 1 || m.Round > int64(len(ledgers)) {
		t.Errorf("the mark is %+v, %v", m, err)
	}
}

// drain takes all from a queue, and returns how often each range came.
func drain(t *testing.T, l *ledger) map[int64]int {
	t.Helper()
	out := map[int64]int{}
	for {
		messages, err := l.orders.FetchNoWait(256)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for m := range messages.Messages() {
			n++
			r, err := readOrder(m.Data(), l.envelope, l.ranges())
			if err != nil {
				t.Fatal(err)
			}
			out[r]++
			if err := m.DoubleAck(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if n == 0 {
			if err := messages.Error(); err != nil && err != jetstream.ErrNoMessages {
				t.Fatal(err)
			}
			return out
		}
	}
}
