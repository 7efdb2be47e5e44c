package isa

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv/bits"
	"tv/equiv/bits/rules"
	"tv/equiv/egraph"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/rule"
)

var update = flag.Bool("update", false, "write what is wanted")

// certified are the rules of a text, applied where they are proved.
func certified(t *testing.T, text string) (out []Rule) {
	t.Helper()
	forms, bad := sexpr.Read(source.NewFile("rules", text))
	if bad != nil {
		t.Fatal(bad)
	}
	for _, x := range forms {
		r, err := rule.Parse(x)
		if err != nil {
			t.Fatal(err)
		}
		found, err := rules.Check(context.Background(), r, rules.Options{})
		if err != nil || found.Verdict != bits.Proved {
			t.Fatalf("%s: %v %v", r.Name, found.Verdict, err)
		}
		out = append(out, Rule{r, func(values map[string]int) bool {
			if found.Engine == rules.Forms {
				return true
			}
			for _, n := range r.Numbers {
				if values[n.Name] > 6 {
					return false
				}
			}
			return true
		}})
	}
	return out
}

// A sample is a file of testdata.
type sample struct {
	specs   []Spec
	options Options
	archive *txtar.Archive
}

func load(t *testing.T, name string) *sample {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := &sample{archive: a}
	for _, line := range strings.Split(string(a.Comment), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		n, _ := strconv.Atoi(value)
		switch key {
		case "holes":
			out.options.Holes = n
		case "nodes":
			out.options.Nodes = n
		}
	}
	for _, f := range a.Files {
		switch {
		case f.Name == "rules":
			out.options.Rules = certified(t, string(f.Data))
		case strings.HasSuffix(f.Name, ".bv"):
			spec, err := bv.Parse(source.NewFile(f.Name, string(f.Data)))
			if err != nil {
				t.Fatal(err)
			}
			out.specs = append(out.specs, Spec{f.Name, spec})
		}
	}
	return out
}

func described(r *Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d rounds %d nodes %d classes\n", r.Stopped, r.Rounds, r.Nodes, r.Classes)
	for _, in := range r.Instructions {
		fmt.Fprintf(&b, "%d x %s %v %v -> %d %s\n", in.Uses, in.Text, in.Numbers, in.Holes, in.Width, strings.Join(in.Specs, " "))
	}
	switch c := r.Cover; {
	case c.None:
		fmt.Fprintln(&b, "cover: none")
	default:
		fmt.Fprintf(&b, "cover: smallest %v, at least %d\n", c.Smallest, c.AtLeast)
	}
	for _, k := range r.Cover.Instructions {
		fmt.Fprintf(&b, "  %s\n", r.Instructions[k].Text)
	}
	fmt.Fprintf(&b, "matches %v, %d explained\n", r.Matches, r.Explained)
	return b.String()
}

// TestFiles: each file of testdata gives what it wants, twice, and all terms of a class have one value.
func TestFiles(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.txtar")
	if len(names) < 5 {
		t.Fatal("no files")
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			in := load(t, name)
			got := ""
			for range 2 {
				r, err := Run(context.Background(), in.specs, in.options)
				if err != nil {
					t.Fatal(err)
				}
				if again := described(r); got != "" && again != got {
					t.Errorf("a second run says\n%s", again)
				}
				got = described(r)
				for _, x := range r.Instructions {
					if _, err := bv.Parse(source.NewFile("instruction", x.Spec)); err != nil {
						t.Errorf("%s: %v", x.Spec, err)
					}
				}
			}
			want := ""
			for _, f := range in.archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
				}
			}
			if *update && got != want {
				in.archive.Files = append(in.archive.Files[:0:0], in.archive.Files...)
				kept := in.archive.Files[:0]
				for _, f := range in.archive.Files {
					if f.Name != "want" {
						kept = append(kept, f)
					}
				}
				in.archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(in.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			oneValue(t, in)
		})
	}
}

// finished is a search that has gone to its end.
func finished(t *testing.T, in *sample) *search {
	t.Helper()
	in.options.Holes, in.options.Nodes = orElse(in.options.Holes, DefaultHoles), orElse(in.options.Nodes, DefaultNodes)
	s := newSearch(in.options)
	for i, spec := range in.specs {
		if err := s.enter(i, spec); err != nil {
			t.Fatal(err)
		}
	}
	for s.stopped == "" && s.rounds < DefaultRounds {
		s.rounds++
		s.round()
	}
	return s
}

// written is a term with applications as what they stand for: variables have the number of their specification.
func (s *search) written(x egraph.Term) string {
	o := &s.ops[s.g.Op(x)]
	var args []string
	for _, a := range s.g.Args(x) {
		args = append(args, s.written(a))
	}
	switch o.name {
	case opVar:
		for key, n := range s.numbered {
			if n == s.g.Op(x) {
				return "v" + strings.ReplaceAll(key[strings.LastIndex(key, " ")+1:], ":", "_")
			}
		}
	case opConst:
		return literal(o.value, o.width)
	case opApply:
		next := 0
		return s.instructions[o.instruction].body.filled(args, &next)
	}
	if o.name == "bool->bitvector" && len(o.indices) > 0 {
		args = append(args, fmt.Sprint(o.indices[0]))
	}
	return "(" + o.head() + " " + strings.Join(args, " ") + ")"
}

// filled is a body with texts in its holes, in order.
func (b *body) filled(args []string, next *int) string {
	if b.op == nil {
		*next++
		return args[*next-1]
	}
	if b.op.name == opConst {
		return literal(b.op.value, b.op.width)
	}
	parts := []string{b.op.head()}
	for _, p := range b.parts {
		parts = append(parts, p.filled(args, next))
	}
	if b.op.name == "bool->bitvector" && len(b.op.indices) > 0 {
		parts = append(parts, fmt.Sprint(b.op.indices[0]))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// oneValue: all terms of a class have one value, for random inputs, by the evaluator of specifications.
func oneValue(t *testing.T, in *sample) {
	t.Helper()
	s := finished(t, in)
	ports := ""
	var inputs []bv.Port
	for i, spec := range in.specs {
		for _, p := range spec.Inputs {
			p.Name = fmt.Sprintf("v%d_%s", i, p.Name)
			inputs = append(inputs, p)
			ports += fmt.Sprintf(" (in %s %d)", p.Name, p.Width)
		}
	}
	value := func(x egraph.Term, values map[string]*big.Int) *big.Int {
		w, text := s.g.Data(s.g.Class(x)), s.written(x)
		if w == 0 {
			w, text = 1, "(bool->bitvector "+text+")"
		}
		spec, err := bv.Parse(source.NewFile("term", fmt.Sprintf("(spec%s (out result %d %s))", ports, w, text)))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out, _ := eval.New(spec, nil).Step(values)
		return out["result"]
	}
	draw := rand.New(rand.NewPCG(3, 3))
	for range 3 {
		values := map[string]*big.Int{}
		for _, p := range inputs {
			values[p.Name] = big.NewInt(draw.Int64N(1 << p.Width))
		}
		for c := range s.g.Classes() {
			want := value(s.g.Representative(c), values)
			for _, n := range s.g.Nodes(c) {
				if got := value(n.Term, values); got.Cmp(want) != 0 {
					t.Errorf("%s is %s, and %s %s", s.written(s.g.Representative(c)), want, s.written(n.Term), got)
				}
			}
		}
	}
}

// TestExplanations: a reason that is another one than it was is not accepted.
func TestExplanations(t *testing.T) {
	in := load(t, "testdata/nand.txtar")
	changes := map[string]func(s *search, r *reason) bool{
		"another term":  func(s *search, r *reason) bool { r.to = s.roots[0]; return r.kind == applies },
		"another child": func(_ *search, r *reason) bool { r.from = 0; return r.kind == applies },
		"a hole kept": func(_ *search, r *reason) bool {
			if r.kind == applies {
				r.kept[0] = !r.kept[0]
			}
			return r.kind == applies
		},
		"an instruction of other numbers": func(s *search, r *reason) bool {
			x := s.applied(r.to)
			if r.kind != applies || len(x.numbers) < 2 {
				return false
			}
			y := *x
			y.numbers = []int{0, 0}
			s.instructions[s.ops[s.g.Op(r.to)].instruction] = &y
			return true
		},
		"a hole of another width": func(s *search, r *reason) bool {
			if r.kind != applies {
				return false
			}
			y := *s.applied(r.to)
			y.widths = append([]int{7}, y.widths[1:]...)
			s.instructions[s.ops[s.g.Op(r.to)].instruction] = &y
			return true
		},
		"another variable": func(s *search, r *reason) bool {
			if r.kind == rewrites {
				r.vars["a"] = r.vars["b"]
			}
			return r.kind == rewrites
		},
		"another width": func(_ *search, r *reason) bool {
			if r.kind == rewrites {
				r.names["w"] = 7
			}
			return r.kind == rewrites
		},
		"a rule that is not certified there": func(s *search, r *reason) bool {
			s.o.Rules[0].Admits = func(map[string]int) bool { return false }
			return r.kind == rewrites
		},
	}
	for name, change := range changes {
		in.options.Rules = certified(t, string(in.archive.Files[1].Data))
		count := len(finished(t, in).reasons)
		planted := 0
		for k := range count {
			in.options.Rules = certified(t, string(in.archive.Files[1].Data))
			s := finished(t, in)
			if !s.holds(&s.reasons[k]) {
				t.Fatalf("reason %d does not hold", k)
			}
			if !change(s, &s.reasons[k]) {
				continue
			}
			planted++
			if _, err := s.explainAll(s.applications()); err == nil {
				t.Errorf("%s: reason %d is accepted", name, k)
			}
		}
		if planted == 0 {
			t.Errorf("%s: nothing to change", name)
		}
	}
}

// TestRegisters: a specification with registers has no instructions.
func TestRegisters(t *testing.T) {
	spec, err := bv.Parse(source.NewFile("a.bv", "(spec (in a 4) (state s 4 #x0 (bvadd s a)) (out y 4 s))"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), []Spec{{"a.bv", spec}}, Options{}); err == nil || source.AsErrors(err)[0].Code != "unsupported" {
		t.Errorf("got %v", err)
	}
}

// TestReasons: a reason holds of its two terms alone, and a step of an explanation by its reason alone.
func TestReasons(t *testing.T) {
	for _, name := range []string{"testdata/nand.txtar", "testdata/repeated.txtar", "testdata/shared.txtar"} {
		s := finished(t, load(t, name))
		for k, r := range s.reasons {
			for x := range egraph.Term(s.g.Terms()) {
				other := r
				if other.to = x; x != r.to && s.holds(&other) {
					t.Errorf("%s: reason %d holds of %s and %s", name, k, s.written(r.from), s.written(x))
				}
				other = r
				if other.from = x; x != r.from && s.holds(&other) {
					t.Errorf("%s: reason %d holds of %s and %s", name, k, s.written(x), s.written(r.to))
				}
			}
		}
		for _, a := range s.applications() {
			p := s.g.Explain(s.g.Representative(a.class), a.term)
			for i := range p.Chain {
				st := p.Chain[i]
				if st.Argument >= 0 || !s.step(&st, nil) {
					continue
				}
				for k := range s.reasons {
					if other := st; k != int(st.Reason) {
						if other.Reason = egraph.Reason(k); s.step(&other, nil) {
							t.Errorf("%s: a step by reason %d is one by reason %d", name, st.Reason, k)
						}
					}
				}
				turned := st
				if turned.Reversed = !st.Reversed; s.step(&turned, nil) {
					t.Errorf("%s: a step goes both ways", name)
				}
			}
		}
	}
}
