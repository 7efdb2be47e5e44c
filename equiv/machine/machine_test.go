package machine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/glenside"
	"tv/ila"
	"tv/ila/number"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/term"
	"tv/semantics/value"
)

// hang is a time that nothing takes which ends: verdicts do not depend on the clock.
const hang = time.Hour

// wires returns a machine that does nothing: its memory holds the input x of n elements, and its output is the
// first elements of it.
func wires(n, width int, out ila.Tensor) *ila.Task {
	m := ila.New("wires", "Nothing moves.")
	memory := m.Memory("cells", width, 1<<20, "x")
	op := m.Input("op", 1, "ignored")
	m.Instruction("nop", "Nothing.", m.B.Truth(true))
	t := &ila.Task{Name: "wires", Model: m, Output: out}
	x := t.Declare("x", width, true, n)
	for i := range n {
		t.Init = append(t.Init, ila.Init{Place: ila.Place{Memory: memory, Address: uint64(i)}, Value: t.Element(x, i)})
	}
	t.Steps = []ila.Step{{Values: []*term.Term{m.B.Bits(op.Width, 0)}}}
	t.Places = func(flat int) []ila.Place { return []ila.Place{{Memory: memory, Address: uint64(flat)}} }
	return t
}

func parse(t *testing.T, text string) *glenside.Program {
	t.Helper()
	p, err := glenside.Parse(source.NewFile("before.sexp", text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The contract that is made of a program has the values that the reference evaluator gives.
// typed returns the types of a program.
func typed(t *testing.T, p *glenside.Program) *glenside.Typing {
	t.Helper()
	env, err := equiv.Environment(language.Sources(p), nil)
	if err != nil {
		t.Fatal(err)
	}
	types, err := glenside.Check(p, env)
	if err != nil {
		t.Fatal(err)
	}
	return types
}

func TestContract(t *testing.T) {
	const cast = "(relay-operator-call relay-cast %s %s)"
	for _, body := range []string{
		"(access x 1)",
		"(compute reduce-sum (access x 0))",
		"(compute reduce-max (access x 0))",
		"(compute relu (access x 1))",
		"(compute negative (access x 1))",
		"(compute elementwise-mul (access-pair (access x 0) (access x 0)))",
		"(compute reduce-sum (access-windows (access x 0) (shape 3) (shape 2)))",
		"(access-pad (access x 0) zero-padding 0 2 3)",
		"(access-pad (access x 0) min-padding 0 2 3)",
		"(access-concatenate (access-slice (access x 0) 0 4 9) (access-slice (access x 0) 0 0 4) 0)",
		"(compute dot-product (access-cartesian-product (access-windows (access x 0) (shape 3) (shape 1)) (access y 1)))",
		"(relay-operator-call relay-clip (access x 0) -3 90)",
		"(relay-operator-call relay-right-shift (access x 0) 3)",
		"(relay-operator-call relay-left-shift (access x 0) 3)",
		"(relay-operator-call relay-minimum (access x 0) (access-slice (access y 1) 1 0 1))",
		"(relay-operator-call relay-maximum (access-slice (access y 1) 1 0 1) (access x 0))",
		fmt.Sprintf(cast, "(access x 0)", "int32"),
		fmt.Sprintf(cast, "(access x 0)", "uint8"),
		fmt.Sprintf(cast, fmt.Sprintf(cast, "(access x 0)", "uint8"), "int16"),
		fmt.Sprintf(cast, "(relay-operator-call relay-right-shift (compute reduce-sum (access "+
			fmt.Sprintf(cast, "(access x 0)", "int32")+" 0)) 4)", "int8"),
		"(access-slice (access a 0) 0 3 9)",
		fmt.Sprintf(cast, "(access a 0)", "fix6.14"),
		fmt.Sprintf(cast, "(access a 0)", "fix1.30"),
		fmt.Sprintf(cast, fmt.Sprintf(cast, "(access a 0)", "fix4.28"), "fix5.9"),
		fmt.Sprintf(cast, fmt.Sprintf(cast, "(access a 0)", "fix6.14"), "fix2.30"),
		fmt.Sprintf(cast, "(access f 0)", "adaptive8.3"),
		fmt.Sprintf(cast, "(access f 0)", "adaptive6.2"),
		fmt.Sprintf(cast, "(access f 0)", "fix3.12"),
		fmt.Sprintf(cast, "(access b 0)", "fix4.14"),
		fmt.Sprintf(cast, "(relay-operator-call relay-clip (access g 0) -31.5 30.25)", "fix6.14"),
		fmt.Sprintf(cast, "(relay-operator-call relay-clip (access g 0) -32 31.99993896484375)", "fix6.14"),
		fmt.Sprintf(cast, "(relay-operator-call relay-clip (access g 0) -33 31)", "fix6.14"), // wraps
		fmt.Sprintf(cast, "(relay-operator-call relay-clip (access g 0) 3 1)", "fix6.14"),    // in the wrong order
		"(compute elementwise-mul (access-pair (access f 0) (access f 0)))",
		"(compute reduce-sum (access f 0))",
		"(relay-operator-call relay-right-shift " + fmt.Sprintf(cast, "(access x 0)", "uint8") + " 3)",
		"(compute reduce-max (access f 0))",
		"(access-pad (access f 0) min-padding 0 2 3)",
		"(compute negative (compute relu (access f 0)))",
		"(compute dot-product (access-pair (access f 0) (access f 0)))",
		"(compute dot-product (access-pair (access " + fmt.Sprintf(cast, "a", "fix4.28") + " 0) (access " +
			fmt.Sprintf(cast, "b", "fix4.28") + " 0)))",
		"(compute dot-product (access-pair (access " + fmt.Sprintf(cast, "a", "fix3.20") + " 0) (access " +
			fmt.Sprintf(cast, "b", "fix3.20") + " 0)))",
	} {
		before := parse(t, "(input x (shape 9) int8) (input y (shape 7 3) int8) (input a (shape 9) adaptive8.3)\n"+
			"(input b (shape 9) adaptive8.3) (input f (shape 9) fix6.14) (input g (shape 9) fix18.14)\n"+body)
		task := wires(9, 8, ila.Tensor{Name: "out", Dims: []int{9}, Width: 8, Signed: true})
		p, err := NewPair(before, task, nil)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		// the output of the task is of no matter here
		elem := p.before.Root().Elem
		task.Output = ila.Tensor{Name: "out", Dims: p.dims, Width: elem.Width, Signed: true, Format: elem.String()}
		contract, err := p.contract()
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		compared := 0
		for run := range sampleRuns {
			in := p.draw(run)
			e, err := p.evaluator(in)
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			var inputs [][]uint64
			for _, x := range contract.Inputs {
				inputs = append(inputs, in[x.Name])
			}
			terms := contract.Environment(inputs)
			for flat := range task.Output.Size() {
				want, err := e.Element(nil, p.at(flat))
				if err != nil {
					continue // undefined before: nothing is asked
				}
				compared++
				got := value.BitsValue(terms.Value(contract.Contract(flat)), p.before.Root().Elem)
				if value.Compare(want, got) != value.Same {
					t.Errorf("%s, element %v of run %d: %s, want %s", body, p.at(flat), run, got, want)
				}
			}
		}
		if compared == 0 {
			t.Errorf("%s: no element has a value", body)
		}
	}
}

// What has no term over bit-vectors is named.
func TestNoContract(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"(compute reduce-mean (access x 0))", "division"},
		{"(relay-operator-call relay-cast (access x 0) float32)", "sort float32"},
		{"(accelerator-call flex-lstm x x x x x x x (shape 9))", "rests on uninterpreted flex-lstm"},
		{"(relay-operator-call relay-take x x 0)", "an index that depends on data"},
		{"(compute reduce-sum (access a 0))", "arithmetic in adaptive8.3"},
		{"(relay-operator-call relay-cast a fix4.13)", "a conversion of adaptive8.3 to fixed17.13"}, // loses bits
		{"(relay-operator-call relay-cast a int8)", "a conversion of adaptive8.3 to signed8"},
		{"(relay-operator-call relay-cast (relay-operator-call relay-cast a fix18.14) adaptive8.3)",
			"a conversion of fixed32.14 to adaptive8.3"},
	} {
		before := parse(t, "(input x (shape 9) int8) (input a (shape 9) adaptive8.3)\n"+test.body)
		p, err := NewPair(before, wires(9, 8, ila.Tensor{Dims: []int{9}, Width: 8, Signed: true}), nil)
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		if _, err := p.contract(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.body, err, test.want)
		}
	}
}

// Verdicts of pairs, each with a near miss.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		body  string
		dims  []int
		width int
		want  string
	}{
		{"(access x 0)", []int{9}, 8, "proved"},
		{"(compute negative (compute negative (access x 0)))", []int{9}, 8, "proved"},
		{"(compute negative (access x 0))", []int{9}, 8, "refuted values"},
		{"(access-slice (access x 0) 0 0 4)", []int{4}, 8, "proved"},
		{"(access-slice (access x 0) 0 1 5)", []int{4}, 8, "refuted values"},
		{"(access-slice (access x 0) 0 1 5)", []int{5}, 8, "refuted shape"},
		{"(relay-operator-call relay-cast (access x 0) uint8)", []int{9}, 8, "refuted type"},
		// wrong for one value of the 256 alone
		{"(relay-operator-call relay-clip (access x 0) -127 127)", []int{9}, 8, "refuted values"},
		{"(relay-operator-call relay-clip (access x 0) -128 127)", []int{9}, 8, "proved"},
		{"(compute reduce-mean (access (access-insert-axis (access x 1) 1) 1))", []int{9}, 8, "unknown unsupported"},
	} {
		before := parse(t, "(input x (shape 9) int8)\n"+test.body)
		task := wires(9, 8, ila.Tensor{Dims: test.dims, Width: test.width, Signed: true})
		r, err := Check(context.Background(), before, task, Options{Options: equiv.Options{Timeout: hang}})
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		got := strings.TrimSpace(r.Verdict.String() + " " + r.Reason)
		if got != test.want {
			t.Errorf("%s: %s (%s), want %s", test.body, got, r.Detail, test.want)
		}
		if r.Verdict == equiv.Proved && len(r.Trusts) == 0 {
			t.Errorf("%s: a proof without what it trusts", test.body)
		}
		if c := r.Counterexample; r.Verdict == equiv.Refuted && (c == nil || r.Reason == "values" && c.Before == c.After) {
			t.Errorf("%s: %+v is no counterexample", test.body, c)
		}
	}
}

// A counterexample is shrunk, and the same in every run.
func TestShrink(t *testing.T) {
	before := parse(t, "(input x (shape 9) int8) (input y (shape 9) int8)\n"+
		"(compute elementwise-add (access-pair (access x 0) (compute relu (access y 0))))")
	task := wires(9, 8, ila.Tensor{Dims: []int{9}, Width: 8, Signed: true})
	for range 2 {
		r, err := Check(context.Background(), before, task, Options{Options: equiv.Options{Timeout: hang}})
		if err != nil || r.Verdict != equiv.Refuted {
			t.Fatalf("%v %v", r.Verdict, err)
		}
		// shrunk to a single 1
		for _, in := range r.Counterexample.Inputs {
			for at, v := range in.Sparse {
				if in.Name != "y" || v != "1" || len(in.Sparse) != 1 {
					t.Errorf("%s[%d] = %s is left", in.Name, at, v)
				}
			}
		}
	}
}

// The evaluator rounds to AdaptivFloat as the hardware does, which contracts are written on, and reads it alike.
func TestRounding(t *testing.T) {
	const n = 1 << 20
	p := parse(t, fmt.Sprintf("(input x (shape %d) fix6.14)\n(relay-operator-call relay-cast x adaptive8.3)", n))
	ty := typed(t, p)
	values := make([]value.Value, n)
	for i := range values {
		values[i] = value.BitsValue(uint64(i), domain.Elem{Kind: domain.ElemFix, Width: 20, Frac: 14})
	}
	e, err := eval.New(ty, value.Exact, nil, value.Tensors{"x": values})
	if err != nil {
		t.Fatal(err)
	}
	format := number.AdaptivFloat83
	table := format.Table(number.Hardware, number.Q614, 0)
	for i := 0; i < n; i++ {
		if i > 1<<13 && i < n-1<<13 { // saturated: some of them
			i += 96
		}
		v, err := e.Element(nil, []int64{int64(i)})
		if err != nil {
			t.Fatal(err)
		}
		if bits, _ := v.Bits(); bits != table[i] {
			t.Fatalf("%05x is %02x, the hardware gives %02x", i, bits, table[i])
		}
	}
	for code := range uint64(1 << 8) {
		v, _ := value.BitsValue(code, adaptive83).Rat()
		if v.Cmp(format.Value(code, 0)) != 0 {
			t.Errorf("code %02x is %s, of the machine %s", code, v, format.Value(code, 0))
		}
	}
}
