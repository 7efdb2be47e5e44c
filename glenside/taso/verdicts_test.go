package taso_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/glenside/taso"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/value"
)

var update = flag.Bool("update", false, "write the files of verdicts")

// A list is a file of equations and one of what is answered to them.
type list struct {
	equations, verdicts string
	count               int
	slow                bool
}

var lists = []list{
	{"../../proofs/testdata/taso/taso_rules.txt", "testdata/verdicts.txt", 674, true},
	{"testdata/more.txt", "testdata/more-verdicts.txt", 54, false}, // other strides and kernels; right ones beside wrong ones
}

var readings = []taso.Conv{taso.Ordinary, taso.Grouped}

func (l list) parse(t *testing.T) []*taso.Equation {
	t.Helper()
	text, err := os.ReadFile(l.equations)
	if err != nil {
		t.Fatal(err)
	}
	out, err := taso.Parse(source.NewFile(filepath.Base(l.equations), string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != l.count {
		t.Fatalf("%d distinct equations, want %d", len(out), l.count)
	}
	return out
}

// golden reads the verdicts, by equation and reading.
func (l list) golden(t *testing.T) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile(l.verdicts)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][2]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] != "#" {
			out[f[0]] = [2]string{f[1], f[2]}
		}
	}
	return out
}

// TestVerdicts asks the prover about every equation in the ordinary reading, and about all of a short list or every
// eighth of a long one in the grouped reading, whose programs are larger; -update asks about all. The file has one line
// an equation: its name, the verdict in the ordinary and in the grouped reading, with the reason where it is not proved.
func TestVerdicts(t *testing.T) {
	for _, l := range lists {
		all := l.parse(t)
		got := make([][2]string, len(all))
		t.Run(filepath.Base(l.equations), func(t *testing.T) {
			for i, e := range all {
				if l.left(i) {
					continue
				}
				t.Run(e.Name, func(t *testing.T) {
					t.Parallel()
					for c, conv := range readings {
						if c == 0 || !l.slow || i%8 == 0 || *update {
							got[i][c] = ask(t, e, conv)
						}
					}
				})
			}
		})
		l.compare(t, all, got)
	}
}

// left tells whether the i-th equation is left out in the quick tier.
func (l list) left(i int) bool { return l.slow && !*update && i%tier.Pick(16, 1) != 0 }

// compare holds verdicts against the file, or writes it.
func (l list) compare(t *testing.T, all []*taso.Equation, got [][2]string) {
	counts := [2]map[string]int{{}, {}}
	var b strings.Builder
	b.WriteString("# name, verdict in the ordinary reading of conv2d, in the grouped one; go test ./glenside/taso -run Verdicts -update\n")
	for i, e := range all {
		fmt.Fprintf(&b, "%s %s %s\n", e.Name, got[i][0], got[i][1])
		for c := range readings {
			if got[i][c] != "" {
				counts[c][got[i][c]]++
			}
		}
	}
	t.Logf("%s: ordinary %v, grouped %v", l.equations, counts[0], counts[1])
	if *update {
		if err := os.WriteFile(l.verdicts, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := l.golden(t)
	for i, e := range all {
		for c := range readings {
			if got[i][c] != "" && want[e.Name][c] != got[i][c] {
				t.Errorf("%s: %v, want %v: %s == %s", e.Name, got[i], want[e.Name], e.Left, e.Right)
			}
		}
	}
}

// patience is longer than any test: what tests ask about ends by steps.
const patience = time.Hour

func ask(t *testing.T, e *taso.Equation, conv taso.Conv) string {
	cases, err := e.Cases(conv)
	if err != nil {
		t.Errorf("%s: %v", e.Name, err)
		return "error"
	}
	r, err := rules.CheckCases(t.Context(), e.Name, e.Span, cases, equiv.Options{Timeout: patience, Uncertified: true, Unmended: true})
	if err != nil {
		t.Errorf("%s: %v", e.Name, err)
		return "error"
	}
	if r.Verdict == equiv.Proved {
		return "proved"
	}
	if r.Verdict == equiv.Refuted && (r.Counterexample == nil || r.Programs[1] == "") {
		t.Errorf("%s: refuted without a witness that replays", e.Name)
	}
	return r.Verdict.String() + ":" + r.Reason
}

// TestReference holds the verdicts against the values of the terms: an equation that is proved holds at every instance,
// and one that is refuted fails at some.
func TestReference(t *testing.T) {
	for _, l := range lists {
		want := l.golden(t)
		for c := range readings {
			values, least := 0, 1<<30
			for n, e := range l.parse(t) {
				defined := reference(t, uint64(n), e, c, want[e.Name][c])
				values, least = values+defined, min(least, defined)
			}
			t.Logf("%s: %d instances, at least %d an equation", l.equations, values, least)
		}
	}
}

// reference returns the number of instances at which the left side has a value.
func reference(t *testing.T, seed uint64, e *taso.Equation, c int, verdict string) int {
	refuted := strings.HasPrefix(verdict, "refuted:")
	rng := rand.New(rand.NewPCG(seed, uint64(c)))
	defined, wrong := 0, 0
	for try := 0; try < 400 && defined < 12 || try < 4000 && wrong == 0 && refuted; try++ {
		m := &machine{grouped: readings[c] == taso.Grouped, inputs: instance(rng, e)}
		x := m.value(e.Left)
		if x == nil {
			continue
		}
		defined++
		if !same(x, m.value(e.Right)) {
			if wrong++; verdict == "proved" {
				t.Errorf("%s is proved (%d), but %s == %s fails for %s", e.Name, c, e.Left, e.Right, shapes(m))
				return defined
			}
		}
	}
	if refuted && wrong == 0 {
		t.Errorf("%s is refuted (%d), but %s == %s holds at %d instances", e.Name, c, e.Left, e.Right, defined)
	}
	if defined < 3 {
		t.Errorf("%s: the left side has a value at %d instances only: %s", e.Name, defined, e.Left)
	}
	return defined
}

func shapes(m *machine) string {
	var out []string
	for n, x := range m.inputs {
		out = append(out, fmt.Sprint(n, " ", x.dims))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestPrograms compares the programs of both sides with the values of the terms: at each instance at which the left
// side has a value some case admits the shapes, its programs have that value, and where no side has one no case admits
// them.
func TestPrograms(t *testing.T) {
	for _, l := range lists {
		for c, reading := range []string{"ordinary", "grouped"} {
			var compared atomic.Int64
			t.Run(filepath.Base(l.equations)+"/"+reading, func(t *testing.T) {
				for n, e := range l.parse(t) {
					if l.left(n) {
						continue
					}
					t.Run(e.Name, func(t *testing.T) {
						t.Parallel()
						compared.Add(int64(programs(t, uint64(n), e, c)))
					})
				}
			})
			t.Logf("%s, %s: %d instances", l.equations, reading, compared.Load())
		}
	}
}

// programs returns the number of instances compared.
func programs(t *testing.T, seed uint64, e *taso.Equation, c int) int {
	cases, err := e.Cases(readings[c])
	if err != nil {
		t.Fatal(err)
	}
	typed := types(t, e, cases)
	// where the right side is broken for some rank or reads more, a case that tells is enough
	all := len(ranks(0, e.Left)) == len(ranks(0, e.Left, e.Right))
	for _, k := range cases {
		all = all && k.Broken == ""
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	compared := 0
	for try, defined, refused := 0, 0, 0; try < 400 && defined < 3; try++ {
		m := &machine{grouped: readings[c] == taso.Grouped, inputs: instance(rng, e)}
		x := m.value(e.Left)
		if x == nil {
			if refused++; refused > 8 {
				continue
			}
		} else {
			defined++
		}
		where := fmt.Sprintf("%s (%d), %s == %s for %s", e.Name, c, e.Left, e.Right, shapes(m))
		admitted := false
		for i, k := range cases {
			pt, in := typed[i].point(m)
			if pt == nil || !typed[i].assumed(pt) {
				continue
			}
			left := evaluator(typed[i].before, pt, in)
			if left == nil {
				continue
			}
			admitted = true
			if x == nil {
				t.Fatalf("%s: the left side has no value, but is admitted at %v", where, pt)
			}
			if d := disagree(rng, x, left); d != "" {
				t.Fatalf("%s: %s\n%s", where, d, k.Before)
			}
			compared++
			y := m.value(e.Right)
			if k.Broken != "" {
				if y != nil && !strings.Contains(k.Before, "rest") { // which stands for some rank, not for all
					t.Fatalf("%s: the right side has a value, but: %s", where, k.Broken)
				}
				continue
			}
			right := evaluator(typed[i].after, pt, in)
			if (right == nil) != (y == nil) {
				t.Fatalf("%s: the right side has a value: %t, its program is well formed: %t\n%s", where, y != nil,
					right != nil, k.After)
			}
			if y != nil {
				if d := disagree(rng, y, right); d != "" {
					t.Fatalf("%s: %s\n%s", where, d, k.After)
				}
			}
		}
		if x != nil && !admitted && all {
			t.Fatalf("%s: the left side has a value, but no case admits that", where)
		}
	}
	return compared
}

// A typedCase is a case whose programs have types; after is nil where it has none.
type typedCase struct {
	before, after *glenside.Typing
	assumes       []*domain.Pred
}

func types(t *testing.T, e *taso.Equation, cases []*rule.Case) []typedCase {
	t.Helper()
	var out []typedCase
	for _, k := range cases {
		parse := func(text string) *glenside.Program {
			p, err := glenside.Parse(source.NewFile(e.Name, text))
			if err != nil {
				t.Fatalf("%s: %v\n%s", e.Name, err, text)
			}
			return p
		}
		before := parse(k.Before)
		programs := []*glenside.Program{before}
		if k.Broken == "" {
			programs = append(programs, parse(k.After))
		}
		env, err := equiv.Environment(language.Sources(programs...), nil)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		one := typedCase{}
		for _, a := range before.Assumes {
			one.assumes = append(one.assumes, a.Pred)
		}
		one.before, _ = glenside.Check(before, env)
		if len(programs) == 2 {
			one.after, _ = glenside.Check(programs[1], env)
		}
		out = append(out, one)
	}
	return out
}

func (k typedCase) assumed(pt domain.Point) bool {
	for _, p := range k.assumes {
		if ok, err := p.Eval(pt); err != nil || !ok {
			return false
		}
	}
	return true
}

// point finds the sizes at which the inputs have the shapes of an instance; a last dim that stands for a block has the
// product of the rest. It is nil if there are none.
func (k typedCase) point(m *machine) (domain.Point, value.Tensors) {
	if k.before == nil {
		return nil, nil
	}
	pt, in, blocks := domain.Point{}, value.Tensors{}, map[string][]int{}
	tensors := slices.Clone(k.before.Tensors)
	if k.after != nil {
		tensors = append(tensors, k.after.Tensors...)
	}
	for _, declared := range tensors {
		x := m.inputs[declared.Name]
		dims := slices.Clone(x.dims)
		if n := len(declared.Dims); len(dims) >= n-1 && n > 0 && strings.Contains(declared.Dims[n-1].String(), "rest") {
			block, name := dims[n-1:], declared.Dims[n-1].String()
			if old, ok := blocks[name]; ok && !slices.Equal(old, block) {
				return nil, nil
			}
			blocks[name] = block
			dims = append(dims[:n-1:n-1], size(block))
		}
		if len(dims) != len(declared.Dims) {
			return nil, nil
		}
		for a, d := range declared.Dims {
			names := d.Names()
			if len(names) == 0 {
				if v, _ := d.Int64(); v != int64(dims[a]) {
					return nil, nil
				}
				continue
			}
			base, err := d.Eval(domain.Point{names[0]: 0}) // a name, and perhaps a number
			v := int64(dims[a]) - base.Int64()
			if old, ok := pt[names[0]]; err != nil || v < 1 || ok && old != v {
				return nil, nil
			}
			pt[names[0]] = v
		}
		var vals []value.Value
		for _, v := range x.vals {
			vals = append(vals, value.IntValue(int64(v), value.Real, domain.Float32))
		}
		in[declared.Name] = vals
	}
	return pt, in
}

// evaluator returns nil where the program is ill formed.
func evaluator(ty *glenside.Typing, pt domain.Point, in value.Inputs) *eval.Evaluator {
	if ty == nil {
		return nil
	}
	ev, err := eval.New(ty, value.Real, pt, in)
	if err != nil {
		return nil
	}
	return ev
}

// disagree compares dims, up to the block that one axis stands for, and some elements.
func disagree(rng *rand.Rand, x *tensor, ev *eval.Evaluator) string {
	dims := ev.Dims(nil)
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	if n != int64(len(x.vals)) || !strings.HasPrefix(fmt.Sprint(x.dims)+" ", strings.TrimSuffix(fmt.Sprint(dims[:max(0, len(dims)-1)]), "]")) {
		return fmt.Sprintf("dims %v and %v", x.dims, dims)
	}
	for range min(len(x.vals), 6) {
		o := rng.Int64N(n)
		index := make([]int64, len(dims))
		for a, r := len(dims)-1, o; a >= 0; a-- {
			index[a] = r % dims[a]
			r /= dims[a]
		}
		v, err := ev.Element(nil, index)
		r, ok := v.Rat()
		if err != nil || !ok {
			return fmt.Sprintf("element %v: %v, %v", index, v, err)
		}
		if f, _ := r.Float64(); f-x.vals[o] > 1e-6 || x.vals[o]-f > 1e-6 {
			return fmt.Sprintf("element %v: %v and %v", index, x.vals[o], f)
		}
	}
	return ""
}

// wrongWhereBoth are the equations of TASO's list that are wrong also where both sides have a value of one shape, in the
// ordinary reading.
var wrongWhereBoth = []string{"taso-155", "taso-174", "taso-175", "taso-180"}

// TestWhereBoth asks for the second verdict of what is refuted in the ordinary reading, and holds it against the values of
// the terms wherever both sides have one, of one shape.
func TestWhereBoth(t *testing.T) {
	l := lists[0]
	verdicts := l.golden(t)
	refuted := 0
	for n, e := range l.parse(t) {
		if !strings.HasPrefix(verdicts[e.Name][0], "refuted:") {
			continue
		}
		wrong := slices.Contains(wrongWhereBoth, e.Name)
		if refuted++; !wrong && refuted%tier.Pick(8, 1) != 0 {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			cases, err := e.WhereBoth(taso.Ordinary)
			if err != nil {
				t.Fatal(err)
			}
			r := rules.Result{Name: e.Name}
			rules.CheckWhereBoth(t.Context(), &r, e.Span, cases, equiv.Options{Timeout: patience})
			want := map[bool]equiv.Verdict{false: equiv.Proved, true: equiv.Refuted}[wrong]
			if r.WhereBoth.Verdict != want {
				t.Fatalf("%v (%s: %s), want %v", r.WhereBoth.Verdict, r.WhereBoth.Reason, r.WhereBoth.Detail, want)
			}
			rng := rand.New(rand.NewPCG(uint64(n), 3))
			both, differ := 0, 0
			for try := 0; try < 20_000 && both < 12; try++ {
				m := &machine{inputs: instance(rng, e)}
				x := m.value(e.Left)
				if x == nil {
					continue
				}
				if y := m.value(e.Right); y != nil && slices.Equal(x.dims, y.dims) {
					both++
					if !same(x, y) {
						differ++
					}
				}
			}
			if both == 0 || (differ > 0) != wrong {
				t.Errorf("both sides have a value at %d instances and differ at %d", both, differ)
			}
		})
	}
	if refuted != 101 {
		t.Errorf("%d are refuted", refuted)
	}
}
