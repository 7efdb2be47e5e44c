package bits

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/algebra"
	"tv/equiv/bits/sweep"
	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/word"
)

func design(t *testing.T, b *word.Builder, name, text string) *bits.Design {
	t.Helper()
	s, err := bv.Parse(source.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	return lower.Design(s, b)
}

// said is the answer in the words of the files.
func said(r Result, err error) string {
	var e *source.Error
	if errors.As(err, &e) {
		return "error " + e.Code + "\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s", r.Verdict, r.Reason+r.Engine)
	c := r.Counterexample
	if c != nil {
		fmt.Fprintf(&out, " at cycle %d", c.Cycle)
		if c.Smallest {
			out.WriteString(", smallest")
		}
	}
	for _, a := range r.Assume {
		out.WriteString(", assuming " + a)
	}
	for _, w := range r.Warnings {
		out.WriteString(", warning " + w.Code)
	}
	out.WriteString("\n")
	if c == nil {
		return out.String()
	}
	for _, s := range c.Inputs {
		out.WriteString(s.Name + " =")
		for _, v := range s.Values {
			out.WriteString(" " + v.Text(16))
		}
		out.WriteString("\n")
	}
	for _, o := range c.Open {
		fmt.Fprintf(&out, "%s = %x at cycle %d\n", o.Name, o.Value, o.Cycle)
	}
	for _, o := range c.Outputs {
		fmt.Fprintf(&out, "%s: %x before, %x after\n", o.Name, o.Before, o.After)
	}
	return out.String()
}

// netlistOf reads a netlist, or a text of another language by its extension.
func netlistOf(f *source.File, clock string) (bits.Program, error) {
	v, err := languages.Of(filepath.Ext(f.Name)).Parse(f)
	if err != nil {
		return nil, err
	}
	return v.Elaborate(bits.Options{Clock: clock})
}

func TestCheck(t *testing.T) {
	for _, name := range cases(t, "testdata/*.txtar") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			b := word.NewBuilder()
			q := Question{Before: design(t, b, "before.bv", string(a.Files[0].Data)), After: design(t, b, "after.bv", string(a.Files[1].Data))}
			if got := said(Check(t.Context(), q, Options{})); got != string(a.Files[2].Data) {
				t.Errorf("got %swant %s", got, a.Files[2].Data)
			}
		})
	}
}

func cases(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	return names
}

var update = flag.Bool("update", false, "write what is said of netlists into testdata/netlists")

// Each row of the table of cells, right and wrong; Verilog; what a netlist may not be. What is refuted is run in both evaluators, and what
// is proved on some inputs, so that a verdict does not rest on words alone.
func TestNetlists(t *testing.T) {
	for _, name := range cases(t, "testdata/netlists/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := bv.Parse(source.NewFile("before.bv", string(a.Files[0].Data)))
			if err != nil {
				t.Fatal(err)
			}
			got, net := "", bits.Program(nil)
			if net, err = netlistOf(source.NewFile(a.Files[1].Name, string(a.Files[1].Data)), spec.Clock); err != nil {
				got = err.Error() + "\n"
			} else {
				b := word.NewBuilder()
				q := Question{Before: lower.Design(spec, b), After: net.Design(b), Latency: spec.Latency}
				r, err := Check(t.Context(), q, Options{})
				got = said(r, err)
				if err == nil {
					confirm(t, r, spec, net)
				}
			}
			want := &a.Files[len(a.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last section is not what is wanted")
			}
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("got %swant %s", got, want.Data)
			}
		})
	}
}

// confirm runs specification and netlist on the counterexample, or on drawn streams where there is none.
func confirm(t *testing.T, r Result, spec *bv.Spec, net bits.Program) {
	t.Helper()
	run := func(at func(port bv.Port, cycle int) *big.Int, cycle int) bool {
		left, right := eval.New(spec, nil), net.Machine(chosenBy(r.Counterexample))
		var past []map[string]*big.Int
		for c := 0; ; c++ {
			in := map[string]*big.Int{}
			for _, p := range spec.Inputs {
				in[p.Name] = at(p, c)
			}
			out, _ := left.Step(in)
			past = append(past, out)
			got, _ := right.Step(in)
			if c < cycle {
				continue
			}
			for name, v := range past[c-spec.Latency] {
				if got[name].Cmp(v) != 0 {
					return true
				}
			}
			return false
		}
	}
	switch r.Verdict {
	case Refuted:
		values := map[string][]*big.Int{}
		for _, s := range r.Counterexample.Inputs {
			values[s.Name] = s.Values
		}
		if !run(func(p bv.Port, c int) *big.Int { return values[p.Name][c] }, r.Counterexample.Cycle) {
			t.Error("the evaluators find no difference")
		}
	case Proved:
		draw := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			drawn := map[string]*big.Int{}
			if run(func(p bv.Port, c int) *big.Int {
				k := fmt.Sprint(p.Name, c)
				if drawn[k] == nil {
					v := new(big.Int)
					for i := range p.Width {
						v.SetBit(v, i, uint(draw.IntN(2)))
					}
					drawn[k] = v
				}
				return drawn[k]
			}, spec.Latency+3) {
				t.Fatalf("the evaluators differ at %v", drawn)
			}
		}
	}
}

// pipeline is a product with registers after it, the first from inputs of this cycle.
func pipeline(b *word.Builder, stages int, of func(x, y *word.Word) *word.Word) *bits.Design {
	w := 4
	x, y := b.Input("a", w, 0), b.Input("b", w, 0)
	d := &bits.Design{Name: "pipeline", Builder: b, Inputs: []bits.Port{{Name: "a", Width: w}, {Name: "b", Width: w}}}
	next := of(x, y)
	for i := range stages {
		name := fmt.Sprint("r", i)
		now := b.State(name, w)
		d.Registers = append(d.Registers, bits.Register{Name: name, Width: w, Initial: big.NewInt(0), Now: now, Next: next})
		next = now
	}
	d.Outputs = []bits.Output{{Port: bits.Port{Name: "y", Width: w}, Word: next}}
	return d
}

// Latency is that of the pipeline, and no other; one stage too many sees inputs that are too old.
func TestLatency(t *testing.T) {
	product := func(b *word.Builder) func(x, y *word.Word) *word.Word {
		return func(x, y *word.Word) *word.Word { return b.Apply(word.Mul, x, y) }
	}
	for stages := range 4 {
		for latency := range 4 {
			b := word.NewBuilder()
			q := Question{Before: pipeline(b, 0, product(b)), After: pipeline(b, stages, product(b)), Latency: latency}
			r, err := Check(t.Context(), q, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := Refuted
			if stages == latency {
				want = Proved
			}
			if r.Verdict != want {
				t.Errorf("%d stages, latency %d: %v", stages, latency, r.Verdict)
			}
			if want == Refuted && (r.Counterexample.Cycle != latency || !r.Counterexample.Smallest) {
				t.Errorf("%d stages, latency %d: %+v", stages, latency, r.Counterexample)
			}
		}
	}
	// Right from cycle 2 on says nothing of the cycles before: the output of the design is constant from there on.
	b := word.NewBuilder()
	zero := func(x, y *word.Word) *word.Word { return b.Int(4, 0) }
	q := Question{Before: pipeline(b, 0, zero), After: pipeline(b, 2, zero)}
	if r, err := Check(t.Context(), q, Options{}); err != nil || r.Verdict != Proved || r.Early != 2 || r.Certificate(q, Text{}, Text{}) == nil {
		t.Errorf("%+v, %v", r, err)
	}
	q.After.Registers[0].Initial = big.NewInt(4) // seen at cycle 1, when the other register has it
	if r, err := Check(t.Context(), q, Options{}); err != nil || r.Verdict != Refuted || r.Counterexample.Cycle != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	q.After.Registers[0].Open = big.NewInt(4)
	if r, err := Check(t.Context(), q, Options{}); err != nil || r.Verdict != Refuted || r.Counterexample.Cycle != 1 || r.Counterexample.Open[0].Value.Int64() != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	// A register that reaches itself is not unrolled.
	after := pipeline(b, 1, zero)
	after.Registers[0].Next = b.Apply(word.Not, after.Registers[0].Now)
	q.After = after
	if r, err := Check(t.Context(), q, Options{}); err != nil || r.Verdict != Refuted || r.Engine != Induction || r.Counterexample.Cycle != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Gates say what words say: each operation, at each width up to 3, with all arguments.
func TestGatesAreWords(t *testing.T) {
	unary := []word.Op{word.Not, word.Neg, word.RedAnd, word.RedOr, word.RedXor}
	binary := []word.Op{word.And, word.Or, word.Xor, word.Add, word.Mul, word.Sub, word.UDiv, word.URem, word.SDiv, word.SRem, word.SMod,
		word.Shl, word.LShr, word.AShr, word.Eq, word.ULT, word.ULE, word.SLT, word.SLE, word.Concat}
	for width := 1; width <= 3; width++ {
		b := word.NewBuilder()
		x, y, z := b.Input("x", width, 0), b.Input("y", width, 0), b.Input("z", width, 0)
		var words []*word.Word
		for _, op := range unary {
			words = append(words, b.Apply(op, x))
		}
		for _, op := range binary {
			words = append(words, b.Apply(op, x, y))
		}
		for _, op := range []word.Op{word.And, word.Or, word.Xor, word.Add, word.Mul} {
			words = append(words, b.Apply(op, x, y, z))
		}
		words = append(words, b.Apply(word.Ite, b.Bit(x, 0), y, z), b.Extract(x, width-1, width/2), b.Extend(word.ZeroExt, x, width+3),
			b.Extend(word.SignExt, x, width+3), b.Lookup(big.NewInt(0b10010110), b.Bit(x, 0), b.Bit(y, 0), b.Bit(z, 0)),
			b.Lookup(big.NewInt(0b0100), b.Bit(x, 0), b.Bit(y, width-1)), b.Int(width, -1))
		g := aig.New()
		l := newLowering(g)
		var lowered []aig.Word
		for _, w := range words {
			lowered = append(lowered, l.word(w))
		}
		for n := range 1 << (3 * width) {
			value := func(name string) *big.Int {
				return big.NewInt(int64(n >> (map[string]int{"x": 0, "y": 1, "z": 2}[name] * width) & (1<<width - 1)))
			}
			want := word.Eval(func(w *word.Word) *big.Int { return value(w.Name) }, words...)
			in, values := make([]uint64, len(g.Signals())), make([]uint64, g.Len())
			for i, s := range g.Signals() {
				in[i] = uint64(value(s.Port).Bit(s.Bit))
			}
			g.Simulate(in, values)
			for i, w := range words {
				got := new(big.Int)
				for bit, lit := range lowered[i] {
					got.SetBit(got, bit, uint(lit.Value(values)&1))
				}
				if got.Cmp(want[w]) != 0 {
					t.Fatalf("%s at width %d of %s, %s, %s: %s as gates, %s as a word", w.Op, width, value("x"), value("y"), value("z"),
						got, want[w])
				}
			}
		}
	}
}

// What is shown is the least of all that differ: by weight, then as a number, found by trying all.
func TestSmallest(t *testing.T) {
	const width = 6
	for seed := range 200 {
		b := word.NewBuilder()
		x, y := b.Input("a", width, 0), b.Input("b", width, 0)
		table := new(big.Int).Mul(big.NewInt(int64(seed)*2654435761+977), big.NewInt(0x9e3779b97f4a7c1))
		var bitsOf []*word.Word
		for i := range 6 {
			bitsOf = append(bitsOf, b.Bit(b.Apply(word.Mul, b.Apply(word.Add, x, b.Int(width, int64(seed))), y), i))
		}
		odd := b.Lookup(word.Mod(table, 64), bitsOf...)
		d := func(w *word.Word) *bits.Design {
			return &bits.Design{Builder: b, Inputs: []bits.Port{{Name: "a", Width: width}, {Name: "b", Width: width}},
				Outputs: []bits.Output{{Port: bits.Port{Name: "y", Width: 1}, Word: w}}}
		}
		q := Question{Before: d(odd), After: d(b.Int(1, 0))}
		best, bestWeight := -1, 0
		for n := range 1 << (2 * width) {
			v := word.Eval(func(w *word.Word) *big.Int {
				if w.Name == "a" {
					return big.NewInt(int64(n >> width))
				}
				return big.NewInt(int64(n & (1<<width - 1)))
			}, odd)[odd]
			weight := 0
			for m := n; m != 0; m &= m - 1 {
				weight++
			}
			if v.Sign() != 0 && (best < 0 || weight < bestWeight) {
				best, bestWeight = n, weight
			}
		}
		r, err := Check(t.Context(), q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if best < 0 {
			if r.Verdict != Proved {
				t.Errorf("seed %d: %v", seed, r.Verdict)
			}
			continue
		}
		in := r.Counterexample.Inputs
		if got := in[0].Values[0].Int64()<<width | in[1].Values[0].Int64(); got != int64(best) {
			t.Errorf("seed %d: %b shown, %b is smaller", seed, got, best)
		}
		// The solver, which is asked where there are too many to try, finds the same.
		c := newCircuit(q)
		if !c.lower() {
			t.Fatal("a small circuit is said to be large")
		}
		_, found := c.exhaust()
		solved, least := c.solve(context.Background(), c.places(), 0, found, 1<<20)
		for i, k := range c.places() {
			if !least || solved[k] != (best>>i&1 != 0) {
				t.Fatalf("seed %d: the solver finds another one", seed)
			}
		}
	}
}

// The golden certificate of kind algebra that the tests of proofs/bits damage. The product is so small that the engine would never be asked.
func TestAlgebraCertificate(t *testing.T) {
	const golden = "../../proofs/bits/testdata/algebra.cert"
	spec := "(spec (in a 3) (in b 3) (out y 6 (bvmul ((_ zero_extend 3) a) ((_ zero_extend 3) b))))"
	text := `module m(input [2:0] a, input [2:0] b, output [5:0] y);
  wire [2:0] p0 = a & {3{b[0]}}, p1 = a & {3{b[1]}}, p2 = a & {3{b[2]}};
  wire [5:0] x = {3'd0, p0}, z = {2'd0, p1, 1'd0}, w = {1'd0, p2, 2'd0};
  assign y = (x ^ z ^ w) + {(x & z) | (x & w) | (z & w), 1'b0};
endmodule
`
	net, err := netlistOf(source.NewFile("after.v", text), "")
	if err != nil {
		t.Fatal(err)
	}
	b := word.NewBuilder()
	q := Question{Before: design(t, b, "before.bv", spec), After: net.Design(b)}
	c := newCircuit(q)
	if !c.lower() {
		t.Fatal("a small circuit is said to be large")
	}
	r := Result{Verdict: Proved, Engine: Algebra, Lemmas: &sweep.Certificate{}, Words: algebra.Prove(t.Context(), c.graph, c.words())}
	got := r.Certificate(q, Text{"bv", "before.bv", spec, ""}, Text{"verilog", "after.v", text, "m"})
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != string(got) {
		t.Errorf("%s is another: %v", golden, err)
	}
}
