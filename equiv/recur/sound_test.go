package recur

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tv/internal/languages"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics"
	"tv/semantics/domain"
)

// typed types a pair of texts in one language under BEFORE's names. It returns nil where they are no question.
func typed(before, after string) *Asked {
	a := &Asked{Mins: map[string]int64{}}
	var env *domain.Env
	for i, text := range []string{before, after} {
		s, err := languages.C.Parse(source.NewFile("test.c", text))
		if err != nil {
			return nil
		}
		if i == 0 {
			if env, err = domain.Merge([]domain.Declarations{s.Declarations()}); err != nil {
				return nil
			}
			for _, x := range s.Signature().Sizes {
				a.Names, a.Mins[x.Name] = append(a.Names, x.Name), 1
			}
		}
		p, err := s.Type(env)
		if err != nil {
			return nil
		}
		if i == 0 {
			a.Before = p
		} else {
			a.After = p
		}
	}
	if names := func(p semantics.Program) string { return fmt.Sprint(p.Source().Signature().Sizes) }; len(names(a.Before)) != len(names(a.After)) {
		return nil
	}
	return a
}

// pairs are those of the litmus files in C, by name.
func pairs(t *testing.T) map[string][2]string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/languages/c-*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no litmus files")
	}
	out := map[string][2]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		_, rest, ok := strings.Cut(text, "-- before.c --\n")
		before, after, okAfter := strings.Cut(rest, "-- after.c --\n")
		if ok && okAfter {
			out[strings.TrimSuffix(filepath.Base(f), ".txtar")] = [2]string{before, after}
		}
	}
	return out
}

// differ tells whether runs of both sides leave other values, at sizes up to a bound; where numbers of the texts are so large that a
// run is too long, at what these stand for.
func differ(t *testing.T, a *Asked, most int64) (yes bool) {
	t.Helper()
	q := newQuestion(*a, nest(a.Before), nest(a.After))
	sizes := make([]int64, len(q.sizes))
	defer func() {
		e := recover()
		if _, is := e.(long); e != nil && !is {
			panic(e)
		} else if e == nil {
			return
		}
		for _, p := range q.scaled([][]int64{sizes}) {
			yes = yes || q.leaves(p)
		}
	}()
	var at func(k int) bool
	at = func(k int) bool {
		if k < len(sizes) {
			for sizes[k] = 1; sizes[k] <= most; sizes[k]++ {
				if at(k + 1) {
					return true
				}
			}
			return false
		}
		return q.leaves(sizes)
	}
	return at(0)
}

// leaves tells whether runs of both sides leave other values at a point.
func (q *question) leaves(sizes []int64) bool {
	v := newValues(false)
	before, after := q.before.execute(sizes, v), q.after.execute(sizes, v)
	for i, e := range q.before.ends {
		for _, cell := range before.cellsOf(e) {
			if before.cell(e.buffer, cell).value != after.cell(q.after.ends[i].buffer, cell).value {
				return true
			}
		}
	}
	return false
}

// TestMutants: of pairs of the litmus files with one number or comparison changed in AFTER, none is proved that runs tell apart.
func TestMutants(t *testing.T) {
	every := tier.Draw(47, 13, 5) // of so many mutants one is tried
	met := 0
	places := regexp.MustCompile(`\b\d+\b|<=|>=|<|>|\+\+|--`)
	proved, tried := 0, 0
	all := pairs(t)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range all {
			if !yield(k) {
				return
			}
		}
	}) {
		before, after := all[name][0], all[name][1]
		for _, at := range places.FindAllStringIndex(after, -1) {
			for _, other := range changed(after[at[0]:at[1]]) {
				text := after[:at[0]] + other + after[at[1]:]
				if met++; met%every != 0 {
					continue
				}
				a := typed(before, text)
				if a == nil || !a.Nests() {
					continue
				}
				tried++
				p, err := Prove(context.Background(), *a)
				if err != nil || p.Summed() { // which stands with a certificate alone
					continue
				}
				proved++
				if differ(t, a, 5) {
					t.Errorf("%s is proved with %s for %s:\n%s", name, other, after[at[0]:at[1]], text)
				}
			}
		}
	}
	t.Logf("%d of %d are proved", proved, tried)
	if tried < 20 || proved < 1 {
		t.Errorf("%d of %d are proved", proved, tried)
	}
}

func changed(text string) []string {
	switch text {
	case "<":
		return []string{"<="}
	case "<=":
		return []string{"<"}
	case ">":
		return []string{">="}
	case ">=":
		return []string{">"}
	case "++", "--":
		return nil
	}
	var n int
	fmt.Sscan(text, &n)
	return []string{fmt.Sprint(n + 1), fmt.Sprint(max(n-1, 0))}
}
