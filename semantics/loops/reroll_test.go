package loops_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
)

// TestRerolled: what was rolled up again leaves what it left before, whatever a digit or a name of the text is changed to; each
// text says how many statements are left of it.
func TestRerolled(t *testing.T) {
	rewritten(t, "rerolled.txtar", func(p *loops.Procedure) []loops.Stmt { return p.Rerolled() })
}

// TestCarried is the same of what iterations carry in scalars.
func TestCarried(t *testing.T) {
	rewritten(t, "carried.txtar", func(p *loops.Procedure) []loops.Stmt { return p.Carried(p.Body) })
}

func rewritten(t *testing.T, name string, as func(*loops.Procedure) []loops.Stmt) {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	rolled, changed := 0, 0
	for _, f := range txtar.Parse(data).Files {
		want, err := strconv.Atoi(strings.Fields(f.Name)[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := left(t, string(f.Data), as); got != want {
			t.Errorf("%s: %d statements are left", f.Name, got)
		}
		rng := rand.New(rand.NewPCG(1, uint64(want)))
		for range 150 {
			text := []byte(string(f.Data))
			at := rng.IntN(len(text))
			switch c := text[at]; {
			case '0' <= c && c <= '9':
				text[at] = '0' + byte(rng.IntN(10))
			case c == 'A' || c == 'y':
				text[at] = "Ay"[rng.IntN(2)]
			case c == 'i' || c == 'j':
				text[at] = "ij"[rng.IntN(2)]
			default:
				continue
			}
			if n := left(t, string(text), as); n > 0 {
				changed++
				if n == want {
					rolled++
				}
			}
		}
	}
	t.Logf("%d texts with a change, %d of them rolled like the first", changed, rolled)
	if changed < 100 || rolled == changed {
		t.Errorf("%d texts with a change, %d of them rolled like the first", changed, rolled)
	}
}

// left is how many statements are left of a text; 0 if it cannot be read.
func left(t *testing.T, text string, as func(*loops.Procedure) []loops.Stmt) int {
	t.Helper()
	p, err := cnest.Parse(source.NewFile("t.c", text), "")
	if err != nil {
		return 0
	}
	again := *p
	again.Body = as(p)
	for s := range loops.PlacesOf(&again) {
		if a, ok := s.(*loops.Alloc); ok && !slices.Contains(again.Buffers, a.Buffer) {
			again.Buffers = append(slices.Clone(again.Buffers), a.Buffer)
		}
	}
	for n := range int64(12) {
		sizes := map[string]int64{}
		for i, h := range p.Heading {
			if h.Buffer == nil {
				sizes[h.Size] = 1 + n*int64(1+3*i)%17
			}
		}
		x, errX := looptest.Evaluated(p, sizes, uint64(n))
		y, errY := looptest.Evaluated(&again, sizes, uint64(n))
		if x != y || (errX == nil) != (errY == nil) {
			t.Fatalf("at %v: %s %v against %s %v\n%s", sizes, x, errX, y, errY, text)
		}
	}
	return len(loops.PlacesOf(&again))
}
