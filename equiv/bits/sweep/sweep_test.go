package sweep

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tv/equiv/bits/aig"
	_ "tv/internal/tier"
)

// verify checks a certificate's text from the definition: gates found in the graph of the question, each lemma by its
// hints, the pairs of outputs among the lemmas.
func verify(q Question, text string) error {
	in := strings.NewReader(text)
	var inputs, gates, units, lemmas int
	if _, err := fmt.Fscanf(in, "gates %d %d %d %d\n", &inputs, &gates, &units, &lemmas); err != nil {
		return err
	}
	nodes := []aig.Lit{0}
	at := func(l aig.Lit) aig.Lit { return nodes[l.Node()].NotIf(l.Negated()) }
	for range inputs {
		var s aig.Signal
		if _, err := fmt.Fscanf(in, "i %s %d %d\n", &s.Port, &s.Bit, &s.Delay); err != nil {
			return err
		}
		nodes = append(nodes, q.Graph.Input(s))
	}
	clauses := [][]int{nil}
	for range gates {
		var a, b int
		if _, err := fmt.Fscanf(in, "%d %d\n", &a, &b); err != nil {
			return err
		}
		g := 2 * len(nodes)
		if a < 2 || b < 2 || a|1 == b|1 || a >= g || b >= g {
			return fmt.Errorf("gate %d %d", a, b)
		}
		nodes = append(nodes, q.Graph.And(at(aig.Lit(a)), at(aig.Lit(b))))
		clauses = append(clauses, []int{g ^ 1, a}, []int{g ^ 1, b}, []int{g, a ^ 1, b ^ 1})
	}
	for range units {
		var l int
		if _, err := fmt.Fscanf(in, "u %d\n", &l); err != nil {
			return err
		}
		if !slices.Contains(q.Assume, at(aig.Lit(l))) {
			return fmt.Errorf("unit %d is no assumption", l)
		}
		clauses = append(clauses, []int{l})
	}
	numbers := func() (out []int, err error) {
		for {
			var n int
			if _, err := fmt.Fscan(in, &n); err != nil {
				return nil, err
			}
			if n == 0 {
				return out, nil
			}
			out = append(out, n)
		}
	}
	proved := map[string]bool{}
	for k := range lemmas {
		lits, err := numbers()
		if err != nil {
			return err
		}
		hints, err := numbers()
		if err != nil {
			return err
		}
		if !follows(clauses, lits, hints) {
			return fmt.Errorf("lemma %d: %v by %v", k, lits, hints)
		}
		clauses = append(clauses, lits)
	}
	for _, c := range clauses {
		if len(c) > 0 && len(c) < 3 {
			var own []aig.Lit
			for _, l := range c {
				own = append(own, at(aig.Lit(l)))
			}
			slices.Sort(own)
			proved[fmt.Sprint(own)] = true
		}
	}
	for i := range q.Before {
		s, n := q.Before[i], q.After[i]
		for _, pair := range [][2]aig.Lit{{s.Not(), n}, {s, n.Not()}} {
			slices.Sort(pair[:])
			if s != n && pair[0] != aig.True && pair[1] != aig.True && !proved[fmt.Sprint(pair)] &&
				!proved[fmt.Sprint(pair[:1])] && !proved[fmt.Sprint(pair[1:])] {
				return fmt.Errorf("output %d is not proved", i)
			}
		}
	}
	return nil
}

func follows(clauses [][]int, lits, hints []int) bool {
	no := map[int]bool{}
	for _, l := range lits {
		no[l] = true
	}
	for i, h := range hints {
		if h >= len(clauses) {
			return false
		}
		var left []int
		for _, l := range clauses[h] {
			if !no[l] {
				left = append(left, l)
			}
		}
		if len(left) == 0 {
			return i == len(hints)-1
		}
		if len(left) > 1 || no[left[0]^1] {
			return false
		}
		no[left[0]^1] = true
	}
	return false
}

var limits = Options{Conflicts: 1 << 22, Inner: 1000}

// prove expects a certificate, and has it checked.
func prove(t testing.TB, q Question) string {
	t.Helper()
	start := time.Now()
	r := Check(context.Background(), q, limits)
	if r.Verdict != Equal {
		t.Fatalf("%d at output %d after %d conflicts", r.Verdict, r.Output, r.Conflicts)
	}
	var text bytes.Buffer
	if n, err := r.Certificate.WriteTo(&text); err != nil || n != int64(text.Len()) {
		t.Fatal(n, err)
	}
	took := time.Since(start)
	if err := verify(q, text.String()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d gates, %d conflicts, %d lemmas, %d bytes, %v", len(r.Certificate.Gates), r.Conflicts, len(r.Certificate.Lemmas), text.Len(), took)
	return text.String()
}

// lut is a table of 64 bits.
func lut(g *aig.Graph, init uint64, in ...aig.Lit) aig.Lit {
	return g.Table(new(big.Int).SetUint64(init), in)
}

// chain is a row of carry cells: what it adds, and the last carry.
func chain(g *aig.Graph, s, di aig.Word, c aig.Lit) (aig.Word, aig.Lit) {
	out := make(aig.Word, len(s))
	for i := range s {
		out[i] = g.Xor(s[i], c)
		c = g.Mux(s[i], c, di[i])
	}
	return out, c
}

// cells adds with a table of two outputs and a carry cell for each bit, one wrong at bit wrong.
func cells(g *aig.Graph, a, b aig.Word, c aig.Lit, wrong int) (aig.Word, aig.Lit) {
	s, di := make(aig.Word, len(a)), make(aig.Word, len(a))
	for i := range a {
		init := uint64(0x6666666666666666)
		if i == wrong {
			init ^= 1 << 34
		}
		s[i] = lut(g, init, a[i], b[i], aig.False, aig.False, aig.False, aig.True)
		di[i] = lut(g, 0xaaaaaaaa, a[i], b[i], aig.False, aig.False, aig.False)
	}
	return chain(g, s, di, c)
}

func adder(width, wrong int) Question {
	g := aig.New()
	a, b := g.InputWord("a", width, 0), g.InputWord("b", width, 0)
	spec, _ := g.Add(a, b, aig.False)
	net, _ := cells(g, a, b, aig.False, wrong)
	return Question{Graph: g, Before: spec, After: net}
}

func TestAdder(t *testing.T) {
	for _, width := range []int{1, 2, 8, 64, 256} {
		prove(t, adder(width, -1))
	}
}

func TestWrongAdder(t *testing.T) {
	for wrong := range 64 {
		q := adder(64, wrong)
		r := Check(context.Background(), q, limits)
		if r.Verdict != Different {
			t.Fatalf("bit %d: %d", wrong, r.Verdict)
		}
	}
}

// TestCompare: equality as a tree of tables and a chain, and less-than as a chain, each against the formula.
func TestCompare(t *testing.T) {
	const width = 64
	g := aig.New()
	a, b := g.InputWord("a", width, 0), g.InputWord("b", width, 0)
	var s, zero aig.Word
	for i := 0; i+2 < width+2; i += 3 {
		in := make(aig.Word, 6)
		for j := 0; j < 3 && i+j < width; j++ {
			in[2*j], in[2*j+1] = a[i+j], b[i+j]
		}
		s, zero = append(s, lut(g, 0x9009000000009009, in...)), append(zero, aig.False)
	}
	_, equal := chain(g, s, zero, aig.True)
	prove(t, Question{Graph: g, Before: aig.Word{g.Eq(a, b)}, After: aig.Word{equal}})
	s, zero = nil, nil
	for i := range a {
		s, zero = append(s, lut(g, 0x9, a[i], b[i])), append(zero, lut(g, 0xa, b[i], a[i]))
	}
	s[width-1], zero[width-1] = lut(g, 0x9, a[width-1], b[width-1]), a[width-1]
	_, less := chain(g, s, zero, aig.False)
	prove(t, Question{Graph: g, Before: aig.Word{g.SLt(a, b)}, After: aig.Word{less}})
}

// TestAssume: the pairs are equal where the assumptions hold, and nowhere else.
func TestAssume(t *testing.T) {
	g := aig.New()
	a, b := g.InputWord("a", 12, 0), g.InputWord("b", 12, 0)
	sum, _ := g.Add(a, b, aig.False)
	or := aig.Bitwise(g.Or, a, b)
	apart := g.OrAll(aig.Bitwise(g.And, a, b)).Not()
	q := Question{Graph: g, Before: sum, After: or, Assume: aig.Word{apart}}
	text := prove(t, q)
	if q.Assume = nil; verify(q, text) == nil {
		t.Error("the certificate serves without the assumption")
	}
	if r := Check(context.Background(), q, limits); r.Verdict != Different {
		t.Errorf("without the assumption: %d", r.Verdict)
	}
	q.Assume = aig.Word{g.Eq(a, b), g.And(a[3], b[3].Not())}
	if r := Check(context.Background(), q, limits); r.Verdict != Empty {
		t.Errorf("nothing satisfies the assumptions: %d", r.Verdict)
	}
	// Few inputs satisfy these: none at random.
	q.Assume = append(aig.Word{g.Eq(g.Mul(a, a), aig.Constant(big.NewInt(0x9e1), 12))}, apart)
	prove(t, q)
}

// random draws a circuit and another one of the same function for all that the rewriting knows.
func random(r *rand.Rand) Question {
	g := aig.New()
	one := append(aig.Word{}, g.InputWord("a", 3, 0)...)
	one = append(one, g.InputWord("b", 3, 1)...)
	two := slices.Clone(one)
	for range 5 + r.IntN(30) {
		i, j, k := r.IntN(len(one)), r.IntN(len(one)), r.IntN(len(one))
		n := r.IntN(2) == 0
		x, y := one[i].NotIf(n), two[i].NotIf(n)
		switch r.IntN(4) {
		case 0:
			one, two = append(one, g.And(x, one[j])), append(two, g.And(two[j], g.Or(y, g.And(two[j], two[k]).Not())))
			if r.IntN(2) == 0 {
				two[len(two)-1] = g.And(y, two[j])
			}
		case 1:
			one, two = append(one, g.Xor(x, one[j])), append(two, g.Mux(two[j], y.Not(), y))
		case 2:
			one, two = append(one, g.Mux(x, one[j], one[k])), append(two, g.Or(g.And(y, two[j]), g.And(y.Not(), two[k])))
		case 3:
			one, two = append(one, g.Or(x, g.And(one[j], one[k]))), append(two, g.And(g.Or(y, two[j]), g.Or(y, two[k])))
		}
	}
	return Question{Graph: g, Before: one[6:], After: two[6:]}
}

// TestRandom compares verdicts with all inputs.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	found := map[Verdict]int{}
	for range 400 {
		q := random(r)
		if r.IntN(3) == 0 {
			q.Assume = append(q.Assume, q.Before[r.IntN(len(q.Before))])
		}
		in, values := make([]uint64, 6), make([]uint64, q.Graph.Len())
		for i := range in {
			for k := range 64 {
				in[i] |= uint64(k>>i&1) << k
			}
		}
		q.Graph.Simulate(in, values)
		mask, differ := ^uint64(0), uint64(0)
		for _, l := range q.Assume {
			mask &= l.Value(values)
		}
		for i := range q.Before {
			differ |= (q.Before[i].Value(values) ^ q.After[i].Value(values)) & mask
		}
		want := Equal
		if mask == 0 {
			want = Empty
		} else if differ != 0 {
			want = Different
		}
		got := Check(context.Background(), q, limits)
		found[got.Verdict]++
		if got.Verdict != want {
			t.Fatalf("%d, want %d", got.Verdict, want)
		}
		if want == Equal {
			var text bytes.Buffer
			got.Certificate.WriteTo(&text)
			if err := verify(q, text.String()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found[Equal] < 50 || found[Different] < 50 {
		t.Errorf("verdicts: %v", found)
	}
}
