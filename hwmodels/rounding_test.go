package hwmodels

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tv/ila/ilatest"
	"tv/ila/prove"
	"tv/semantics/term"
)

// mostOpen is how many of the faults in testdata/rounding.txt may be unknown.
const mostOpen = 2

// Faults in rounding and saturation are refuted, and changes that are none are proved.
func TestRounding(t *testing.T) {
	text, err := os.ReadFile("testdata/rounding.txt")
	if err != nil {
		t.Fatal(err)
	}
	faults, open := 0, 0
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		field := strings.Split(line, " | ")
		if len(field) != 4 {
			t.Fatalf("line %d: %d fields", n+1, len(field))
		}
		got := planted(t, field[0], field[1], field[2])
		if field[3] == prove.Refuted.String() {
			faults++
		}
		switch {
		case got.Verdict.String() == field[3]:
		case got.Verdict == prove.Unknown && field[3] == prove.Refuted.String():
			open++
			t.Logf("line %d: %s: open: %s", n+1, line, got.Detail)
		default:
			t.Errorf("line %d: %s: %s, %s: %s", n+1, line, got.Verdict, got.Reason, got.Detail)
		}
	}
	if faults < 20 || open > mostOpen {
		t.Errorf("%d of %d faults are open", open, faults)
	}
}

// planted verifies a driver on its machine with a change.
func planted(t *testing.T, driver, instruction, change string) *prove.Result {
	t.Helper()
	name, size, _ := strings.Cut(driver, " ")
	all := Drivers()
	at := slices.IndexFunc(all, func(d Driver) bool { return d.Name == name })
	if at < 0 {
		t.Fatalf("no driver %s", name)
	}
	d := all[at]
	sizes, ok := []int(nil), false
	if d.Parse != nil {
		sizes, ok = d.Parse(size)
	} else {
		for _, part := range strings.Split(size, "x") {
			n := 0
			if _, err := fmt.Sscan(part, &n); err != nil {
				t.Fatal(err)
			}
			sizes, ok = append(sizes, n), true
		}
	}
	if !ok {
		t.Fatalf("%s: sizes", driver)
	}
	task, err := d.New(sizes)
	if err != nil {
		t.Fatal(err)
	}
	if n := ilatest.Rewrite(task.Model, instruction, changes(t, change)); n == 0 {
		t.Fatalf("%s: %s changes nothing in %s", driver, change, instruction)
	}
	r, err := prove.InOrder(context.Background(), task, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// changes reads what a line of the file changes.
func changes(t *testing.T, change string) func(b *term.Builder, t *term.Term) *term.Term {
	t.Helper()
	word := strings.Fields(change)
	switch word[0] {
	case "const":
		var width int
		var from, to int64
		if _, err := fmt.Sscan(strings.Join(word[1:], " "), &width, &from, &to); err != nil {
			t.Fatal(err)
		}
		return func(b *term.Builder, x *term.Term) *term.Term {
			if v, ok := x.ConstBits(); ok && x.Sort.Width == width && term.Signed64(v, width) == from {
				return b.Bits(width, uint64(to))
			}
			return nil
		}
	case "at-most":
		return func(b *term.Builder, x *term.Term) *term.Term {
			if x.Op == term.LessS {
				return b.Not(b.LessS(x.Args[1], x.Args[0]))
			}
			return nil
		}
	case "turned":
		return func(b *term.Builder, x *term.Term) *term.Term {
			if x.Op != term.Choose || x.Args[2].Op != term.Choose || x.Args[0].Op != term.LessS || x.Args[2].Args[0].Op != term.LessS {
				return nil
			}
			inner := x.Args[2]
			return b.Choose(inner.Args[0], inner.Args[1], b.Choose(x.Args[0], x.Args[1], inner.Args[2]))
		}
	case "shift":
		return func(b *term.Builder, x *term.Term) *term.Term {
			if x.Op != term.ShrS {
				return nil
			}
			of, by, w := x.Args[0], x.Args[1], x.Sort.Width
			if v, ok := by.ConstBits(); word[1] != "*" && (!ok || fmt.Sprint(v) != word[1]) {
				return nil
			}
			one := b.Bits(w, 1)
			all := b.SubBits(b.Shl(one, by), one)
			half := b.ShrU(b.AddBits(all, one), one)
			negative := b.Extract(of, w-1, 1)
			round := map[string]func() *term.Term{
				"up":   func() *term.Term { return half },
				"zero": func() *term.Term { return b.Choose(b.Equal(negative, b.Bits(1, 1)), all, b.Bits(w, 0)) },
				"away": func() *term.Term { return b.SubBits(half, b.ExtendU(negative, w)) },
				"even": func() *term.Term {
					return b.AddBits(b.SubBits(half, one), b.ExtendU(b.Extract(b.ShrS(of, by), 0, 1), w))
				},
			}[word[2]]
			return b.ShrS(b.AddBits(of, round()), by)
		}
	}
	t.Fatalf("no change %q", change)
	return nil
}
