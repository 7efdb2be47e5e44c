package glenside

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tv/internal/source"
)

// producers are the operators whose calls stand for a value of a sort.
var producers = map[Sort][]string{
	SortShape:       {"shape", "shape-of", "slice-shape", "shape-insert-axis", "shape-remove-axis"},
	SortAccessShape: {"access-shape", "get-access-shape", "access"},
	SortList:        {"list"},
	SortLiteral:     {"literal"},
	SortTuple:       {"construct-tuple", "relay-split", "relay-dropout"},
	SortAny:         {"access", "shape", "construct-tuple", "list"},
}

func init() {
	for _, op := range Ops() {
		producer := true
		for _, sort := range []Sort{SortShape, SortAccessShape, SortList, SortLiteral, SortTuple} {
			producer = producer && !slices.Contains(producers[sort], op.Name)
		}
		if producer && op.Name != "constant-tensor" || op.Name == "access" {
			producers[SortAccess] = append(producers[SortAccess], op.Name)
		}
	}
}

// operandText draws the text of an operand, in one of its spellings, whether it is well typed or not.
func operandText(t *rapid.T, o *Operand, depth int) string {
	atom := func(words ...string) string { return rapid.SampledFrom(words).Draw(t, "atom") }
	sort := o.Sort
	switch sort {
	case SortInt:
		if o.Signed {
			return atom("-1", "0", "1", "N")
		}
		if rapid.IntRange(0, 3).Draw(t, "size") == 0 {
			return atom("(+ N 1)", "(* 2 N)", "(+ (* K N) 3)", "(div N 2)", "(mod (* 3 K) 4)", "(max N (- K 1) 2)", "(min N K)",
				"(div (+ (* 2 N) K) 3)", "(* N (+ K M))")
		}
		return atom("0", "1", "2", "3", "N", "K")
	case SortFloat:
		return atom("2", "2.0", "1e-5", "-.5", "inf", "(literal 0.10)")
	case SortToken:
		if o.Words == nil {
			return atom("int8", "int", "fix6.14")
		}
		return atom(o.Words...)
	case SortTensor:
		return atom("A", "B", `"a b"`, "(constant-tensor 0 (shape 2))")
	case SortSections:
		return atom("2", "(list 1 2)")
	}
	if depth <= 0 && (sort == SortAccess || sort == SortAccessShape || sort == SortAny) {
		return atom("A", "B", "(access-tensor A)", "windows")
	}
	return callText(t, LookupOp(atom(producers[sort]...)), depth-1)
}

// callText draws the text of a call.
func callText(t *rapid.T, op *Op, depth int) string {
	name := rapid.SampledFrom(append([]string{op.Name}, op.Aliases...)).Draw(t, "name")
	var b strings.Builder
	b.WriteString(strings.TrimSpace("(" + op.Category.callWord() + " " + name))
	if op.Category.callWord() == "" {
		b.Reset()
		b.WriteString("(" + name)
	}
	for i := range op.Operands {
		o := &op.Operands[i]
		times := 1
		if o.Variadic {
			times = rapid.IntRange(0, 3).Draw(t, "count")
		}
		if o.Name == "dummy" {
			if rapid.Bool().Draw(t, "dummy") {
				b.WriteString(" (shape 0)")
			}
			continue
		}
		for range times {
			b.WriteString(rapid.SampledFrom([]string{" ", "\n\t", " ; )\n"}).Draw(t, "blank"))
			b.WriteString(operandText(t, o, depth))
		}
	}
	b.WriteString(")")
	return b.String()
}

var programText = rapid.Custom(func(t *rapid.T) string {
	declarations := rapid.SampledFrom([]string{
		"", "(input A (shape 2 3))(input B (shape 2 3))",
		"(input A (shape N (K 0)) int8)(input B (shape N) fix6.14)",
		"(assume (or (= N 1) (not (divides 2 (+ K 1)))))(input A (shape N 3))",
	}).Draw(t, "declarations")
	return declarations + operandText(t, root, rapid.IntRange(0, 5).Draw(t, "depth"))
})

// sameProgram tells how two programs differ.
func sameProgram(a, b *Program) error {
	if len(a.Inputs) != len(b.Inputs) || len(a.Assumes) != len(b.Assumes) || len(a.Nodes) != len(b.Nodes) {
		return fmt.Errorf("%d inputs, %d assumes, %d nodes and %d, %d, %d",
			len(a.Inputs), len(a.Assumes), len(a.Nodes), len(b.Inputs), len(b.Assumes), len(b.Nodes))
	}
	for i, in := range a.Inputs {
		if FormatInput(in) != FormatInput(b.Inputs[i]) {
			return fmt.Errorf("%s and %s", FormatInput(in), FormatInput(b.Inputs[i]))
		}
	}
	for i, as := range a.Assumes {
		if as.Pred.String() != b.Assumes[i].Pred.String() {
			return fmt.Errorf("%s and %s", as.Pred, b.Assumes[i].Pred)
		}
	}
	for i, m := range a.Nodes {
		n := b.Nodes[i]
		same := m.Kind == n.Kind && m.Op == n.Op && m.Text == n.Text && m.Int.Equal(n.Int) &&
			len(m.Args) == len(n.Args)
		for j := range m.Args {
			same = same && m.Args[j].ID == n.Args[j].ID
		}
		if !same || len(a.lost[m]) != len(b.lost[n]) {
			return fmt.Errorf("node %d: %s and %s", i, FormatNode(m), FormatNode(n))
		}
	}
	if a.Root.ID != b.Root.ID {
		return fmt.Errorf("roots %d and %d", a.Root.ID, b.Root.ID)
	}
	return nil
}

// roundTrip checks that a program is what its text says.
func roundTrip(p *Program) error {
	text := Format(p)
	q, err := Parse(source.NewFile("printed", text))
	if err != nil {
		return fmt.Errorf("%s\nis printed: %w", text, err)
	}
	if err := sameProgram(p, q); err != nil {
		return fmt.Errorf("%s\nis printed: %w", text, err)
	}
	if again := Format(q); again != text {
		return fmt.Errorf("%s\nis printed, and then\n%s", text, again)
	}
	return nil
}

func TestFormatRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := programText.Draw(r, "program")
		p, err := Parse(source.NewFile("p", text))
		if err != nil {
			r.Fatalf("Parse: %v", err)
		}
		checkNodes(t, p)
		if err := roundTrip(p); err != nil {
			r.Fatal(err)
		}
	})
}

// On one line, an expression reads as the same tree.
func TestFormatNodeRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := mustParse(t, programText.Draw(r, "program"))
		q := mustParse(t, FormatNode(p.Root))
		p.Inputs, p.Assumes = nil, nil
		if err := sameProgram(p, q); err != nil {
			r.Fatal(err)
		}
	})
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(input A (shape 2 (N 0)) int)(assume (<= 3 N))(access A 1)", `(input A (shape 2 (N 0)) int32)
(assume (<= 3 N))
(access (access-tensor A) 1)
`},
		{"(access-slice (compute dot-product (access-cartesian-product (access A 1) (access-transpose B " +
			"(list 1 0)))) 0 2 (+ N 4))",
			`(access-slice
  (compute dot-product
    (access-cartesian-product
      (access (access-tensor A) 1)
      (access-transpose (access-tensor B) (list 1 0))))
  0 2 (+ N 4))
`},
		{"(relay-operator-call relay-conv2d X W (shape 1 1) (shape 1 1 1 1) 1 0 (shape 2 3 3) " +
			"relay-activation-layout-nchw " +
			"relay-kernel-layout-oihw)", `(relay-operator-call relay-conv2d
  (access-tensor X)
  (access-tensor W)
  (shape 1 1)
  (shape 1 1 1 1)
  1 0
  (shape 2 3 3)
  relay-activation-layout-nchw relay-kernel-layout-oihw)
`},
	} {
		if got := Format(mustParse(t, test.text)); got != test.want {
			t.Errorf("Format(%s)\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// checkAnything types a program that may be anything, and checks what a typing promises.
func checkAnything(t testing.TB, p *Program) {
	env, err := MergeEnv([]*Program{p})
	if err != nil {
		t.Fatalf("MergeEnv of one program: %v", err)
	}
	if len(env.Tensors) == 0 {
		if env, err = Infer(p); err != nil {
			return
		}
	}
	ty, err := Check(p, env)
	if err != nil {
		for _, e := range source.AsErrors(err) {
			if e.Code == "internal" || e.Span.File == nil {
				t.Errorf("an error without code or place: %v", e)
			}
		}
		return
	}
	for _, n := range p.Nodes {
		typ := ty.Type(n)
		if typ == nil {
			t.Fatalf("%s has no type", FormatNode(n))
		}
		if (typ.Kind == TypeAccess || typ.Kind == TypeTensor) && typ.Elem.Width == 0 {
			t.Errorf("%s has no element type", FormatNode(n))
		}
		if typ.Split < 0 || typ.Split > len(typ.Dims) {
			t.Errorf("%s is split at %d", FormatNode(n), typ.Split)
		}
	}
	for _, c := range ty.Conds {
		if len(c.Pred.Names()) == 0 {
			t.Errorf("the condition %s has no names", c.Pred)
		}
	}
}

func TestCheckRandomPrograms(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		checkAnything(t, mustParse(t, programText.Draw(r, "program")))
	})
}

// seeds adds texts that reach most of the parser and of the shape rules.
func seeds(f *testing.F) {
	for _, op := range Ops() {
		f.Add(op.Example)
	}
	for _, c := range Codes() {
		if len(c.Program) < 1000 {
			f.Add(c.Program)
		}
	}
	files, _ := filepath.Glob("../examples/*.sexp")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// FuzzParse: no text makes the parser panic, and what it reads it can print.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(source.NewFile("p", text))
		if err != nil {
			if errs := source.AsErrors(err); len(errs) != 1 || errs[0].Code == "internal" {
				t.Errorf("Parse: %v", err)
			}
			return
		}
		checkNodes(t, p)
		if err := roundTrip(p); err != nil {
			t.Error(err)
		}
	})
}

// FuzzCheck: no program makes Check or Infer panic, and what they promise of a typing holds.
func FuzzCheck(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(source.NewFile("p", text))
		if err != nil {
			return
		}
		checkAnything(t, p)
	})
}
