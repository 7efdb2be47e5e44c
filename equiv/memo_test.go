package equiv_test

import (
	"context"
	"strings"
	"testing"

	language "tv/semantics/glenside"

	"github.com/google/go-cmp/cmp"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/glenside"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/semantics/domain"
)

// A notebook is the Memos of a test.
type notebook struct {
	memos    map[string]*equiv.Memo
	asked    string // the last key
	recalled int
	refused  []string
}

func newNotebook() *notebook { return &notebook{memos: map[string]*equiv.Memo{}} }

func (n *notebook) Recall(key string) *equiv.Memo {
	if n.asked = key; n.memos[key] != nil {
		n.recalled++
	}
	return n.memos[key]
}

func (n *notebook) Keep(key string, m *equiv.Memo) { n.memos[key] = m }

func (n *notebook) Refuse(key string, why error) {
	delete(n.memos, key)
	n.refused = append(n.refused, why.Error())
}

// only returns the memo of a notebook that has one.
func (n *notebook) only(t *testing.T) *equiv.Memo {
	t.Helper()
	if len(n.memos) != 1 {
		t.Fatalf("%d memos, want one", len(n.memos))
	}
	for _, m := range n.memos {
		return m
	}
	return nil
}

func programFrom(t *testing.T, name, text string) *glenside.Program {
	t.Helper()
	p, err := glenside.Parse(source.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asked asks about two texts with a notebook.
func asked(t *testing.T, n *notebook, before, after string, opts equiv.Options) equiv.Result {
	t.Helper()
	if n != nil {
		opts.Memos = n
	}
	r, err := equiv.Check(context.Background(), questionOf(t, before, after), opts)
	if err != nil {
		t.Fatal(err)
	}
	r.Elapsed = 0
	return r
}

var spansAside = cmp.Comparer(func(x, y source.Span) bool { return x.Start == y.Start && x.End == y.End })

// Pairs of each kind: what a memo answers is what was answered without it, to the last count.
func TestMemoAnswersAlike(t *testing.T) {
	kept, asked := 0, 0
	for i, l := range readLitmus(t) {
		// the test of the command asks others; what stays unknown takes longest, and is not kept
		if i%tier.Draw(35, 11, 7) != 0 || tier.Pick(true, false) && l.want == equiv.Unknown {
			continue
		}
		file, before, after, opts := l.name, l.before, l.after, l.opts
		n := newNotebook()
		opts.Uncertified = false
		plain, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(before), After: language.Of(after)}, opts)
		if err != nil {
			continue
		}
		asked++
		opts.Memos = n
		for run := range 2 {
			got, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(before), After: language.Of(after)}, opts)
			if err != nil {
				t.Fatal(err)
			}
			got.Elapsed, plain.Elapsed = 0, 0
			if diff := cmp.Diff(plain, got, spansAside); diff != "" {
				t.Errorf("%s: run %d with memos (-without +with):\n%s", file, run+1, diff)
			}
		}
		if len(n.refused) > 0 {
			t.Errorf("%s: refused: %q", file, n.refused)
		}
		if len(n.memos) > 0 {
			kept++
			if n.recalled != 1 {
				t.Errorf("%s: recalled %d times, want once", file, n.recalled)
			}
		}
		switch storable := plain.Verdict != equiv.Unknown && plain.Engine != "type" && len(plain.Trusts) == 0; {
		case len(n.memos) > 0 && !storable:
			t.Errorf("%s: kept, though it is %s by %s", file, plain.Verdict, plain.Engine)
		case len(n.memos) == 0 && storable:
			t.Errorf("%s: not kept, though it is %s by %s", file, plain.Verdict, plain.Engine)
		}
	}
	if kept < asked/2 || asked < tier.Draw(20, 60, 100) {
		t.Errorf("%d of %d answers were kept", kept, asked)
	}
}

const (
	memoBefore = "(input A (shape N 4) int8)\n(compute elementwise-add (access-pair (access A 0) (access A 0)))"
	memoRight  = "(compute elementwise-add (access-pair (access-transpose (access-transpose (access A 0) " +
		"(list 1 0)) (list 1 0)) (access A 0)))"
	memoWrong = "(compute elementwise-mul (access-pair (access A 0) (access A 0)))"
)

// A proof that is planted for a wrong pair is not believed, whatever the certificate is of.
func TestForgedProof(t *testing.T) {
	n := newNotebook()
	if r := asked(t, n, memoBefore, memoRight, equiv.Options{}); r.Verdict != equiv.Proved {
		t.Fatalf("the right pair is %s", r.Verdict)
	}
	right := n.only(t)
	pairs, err := proofs.Parse("certificate", right.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	plain := asked(t, nil, memoBefore, memoWrong, equiv.Options{})
	wrong := newNotebook()
	asked(t, wrong, memoBefore, memoWrong, equiv.Options{})
	key := wrong.asked
	lie := pairs[0]
	lie.After = memoWrong
	for name, certificate := range map[string][]byte{
		"of another pair":            right.Certificate,
		"with the statement changed": proofs.Format([]proofs.Pair{lie}),
		"without a witness":          proofs.Format([]proofs.Pair{{Statement: lie.Statement}}),
		"that is none":               []byte("tv-certificate"),
		"of both pairs":              proofs.Format([]proofs.Pair{pairs[0], lie}),
	} {
		forged := *right
		forged.Certificate = certificate
		planted := newNotebook()
		planted.memos[key] = &forged
		got := asked(t, planted, memoBefore, memoWrong, equiv.Options{})
		if diff := cmp.Diff(plain, got, spansAside); diff != "" {
			t.Errorf("a certificate %s (-without +with):\n%s", name, diff)
		}
		if planted.recalled != 1 || len(planted.refused) != 1 || planted.only(t).Counterexample == nil {
			t.Errorf("a certificate %s: recalled %d times, refused %q", name, planted.recalled, planted.refused)
		}
	}
	// A pair that no engine decides: nothing but the checker stands between the memo and the verdict.
	const round = "(relay-operator-call relay-round (access-tensor A))"
	hard := "(input A (shape N 4))\n" + round
	opaque := newNotebook()
	asked(t, opaque, hard, "(access-tensor A)", equiv.Options{})
	key = opaque.asked
	lie.Before, lie.After = hard, "(access-tensor A)"
	opaque.memos[key] = &equiv.Memo{Engine: "normal-form", Certificate: proofs.Format([]proofs.Pair{lie})}
	r := asked(t, opaque, hard, "(access-tensor A)", equiv.Options{})
	if r.Verdict != equiv.Unknown || len(opaque.refused) != 1 {
		t.Errorf("%s, refused %q", r.Verdict, opaque.refused)
	}
	if len(opaque.memos) != 0 {
		t.Error("an unknown was kept")
	}
}

// A refutation that is planted for a right pair is not believed.
func TestForgedRefutation(t *testing.T) {
	wrong := newNotebook()
	asked(t, wrong, memoBefore, memoWrong, equiv.Options{})
	refutation := wrong.only(t)
	right := newNotebook()
	plain := asked(t, right, memoBefore, memoRight, equiv.Options{})
	key := right.asked
	for name, change := range map[string]func(*equiv.Memo, *sample.Counterexample){
		"of another pair":    func(*equiv.Memo, *sample.Counterexample) {},
		"without an engine":  func(m *equiv.Memo, _ *sample.Counterexample) { m.Engine = "" },
		"without a point":    func(_ *equiv.Memo, c *sample.Counterexample) { c.Point = nil },
		"outside the domain": func(_ *equiv.Memo, c *sample.Counterexample) { c.Point = domain.Point{"N": 0} },
		"at another size":    func(_ *equiv.Memo, c *sample.Counterexample) { c.Point = domain.Point{"M": 1} },
		"at more than sizes": func(_ *equiv.Memo, c *sample.Counterexample) { c.Point = domain.Point{"N": 1, "M": 1} },
		"at no element":      func(_ *equiv.Memo, c *sample.Counterexample) { c.Index = []int64{7, 7} },
		"at too few axes":    func(_ *equiv.Memo, c *sample.Counterexample) { c.Index = nil },
		"in a component":     func(_ *equiv.Memo, c *sample.Counterexample) { c.Path = []int{1} },
		"with no number":     func(_ *equiv.Memo, c *sample.Counterexample) { c.Inputs[0].Sparse = map[int64]string{0: "x"} },
		"with a value too far": func(_ *equiv.Memo, c *sample.Counterexample) {
			c.Inputs[0].Sparse = map[int64]string{1 << 40: "1"}
		},
	} {
		forged, c := *refutation, *refutation.Counterexample
		c.Inputs = append([]sample.InputValue(nil), c.Inputs...)
		forged.Counterexample = &c
		change(&forged, &c)
		planted := newNotebook()
		planted.memos[key] = &forged
		got := asked(t, planted, memoBefore, memoRight, equiv.Options{})
		if diff := cmp.Diff(plain, got, spansAside); diff != "" {
			t.Errorf("a refutation %s (-without +with):\n%s", name, diff)
		}
		if planted.recalled != 1 || len(planted.refused) != 1 || planted.only(t).Certificate == nil {
			t.Errorf("a refutation %s: recalled %d times, refused %q", name, planted.recalled, planted.refused)
		}
	}
	// The same for the pair that it is of: what does not replay as it says is looked for anew.
	for name, change := range map[string]func(*equiv.Memo, *sample.Counterexample){
		"with another value": func(_ *equiv.Memo, c *sample.Counterexample) { c.Before = "41" },
		"first found nowhere": func(m *equiv.Memo, _ *sample.Counterexample) {
			m.FoundIndex = []int64{99, 99}
		},
		"without inputs": func(_ *equiv.Memo, c *sample.Counterexample) { c.Inputs = nil },
	} {
		forged, c := *refutation, *refutation.Counterexample
		forged.Counterexample = &c
		change(&forged, &c)
		planted := newNotebook()
		for key := range wrong.memos {
			planted.memos[key] = &forged
		}
		r := asked(t, planted, memoBefore, memoWrong, equiv.Options{})
		if r.Verdict != equiv.Refuted || len(planted.refused) != 1 {
			t.Errorf("a refutation %s: %s, refused %q", name, r.Verdict, planted.refused)
		}
	}
}

// What a proof says beside its verdict is not believed either.
func TestForgedExactness(t *testing.T) {
	const before = "(input A (shape 3))\n(compute reduce-max (access (access-insert-axis (access-tensor A) 1) 1))"
	const after = "(access-tensor A)"
	n := newNotebook()
	plain := asked(t, n, before, after, equiv.Options{})
	if plain.Verdict != equiv.Proved || len(plain.Exact) != 1 || plain.Exact[0].Verdict != "no" {
		t.Fatalf("%s, exact %+v", plain.Verdict, plain.Exact)
	}
	memo := n.only(t)
	for name, exact := range map[string]*equiv.ExactMemo{
		"yes without a certificate": {Verdict: "yes"},
		"yes, by the real one":      {Verdict: "yes", Certificate: memo.Certificate},
		"nothing":                   nil,
		"no without a witness":      {Verdict: "no"},
		"a word that is none":       {Verdict: "surely"},
	} {
		for _, m := range n.memos {
			m.Exact = exact
		}
		got := asked(t, n, before, after, equiv.Options{})
		if diff := cmp.Diff(plain, got, spansAside); diff != "" {
			t.Errorf("%s (-without +with):\n%s", name, diff)
		}
	}
	if len(n.refused) > 0 {
		t.Errorf("refused: %q", n.refused)
	}
}

// A statement is the question: texts, declarations, what a chain hands on, arithmetic and what equal means.
func TestPairStatement(t *testing.T) {
	state := func(before, after string, opts equiv.Options) string {
		s, err := equiv.PairStatement(questionOf(t, before, after), opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := state(memoBefore, memoRight, equiv.Options{})
	if asked(t, nil, memoBefore, memoRight, equiv.Options{}).SHA256 != first {
		t.Error("the digest of a result is not that of its statement")
	}
	if state(memoBefore, memoRight, equiv.Options{Timeout: 1, Solver: "none"}) != first {
		t.Error("a statement depends on how it is to be decided")
	}
	seen := map[string]bool{first: true}
	for _, s := range []string{
		state(memoBefore, memoWrong, equiv.Options{}),
		state(memoBefore, memoRight, equiv.Options{Arith: equiv.Exact}),
		state(memoBefore, memoRight, equiv.Options{Equal: equiv.Access}),
		state(strings.Replace(memoBefore, "N", "M", 1), memoRight, equiv.Options{}),
		state("(assume (< 1 N))\n"+memoBefore, memoRight, equiv.Options{}),
	} {
		if seen[s] {
			t.Error("two statements have one digest")
		}
		seen[s] = true
	}
	with := *programFrom(t, "b", memoBefore)
	with.Assumes = programFrom(t, "p", "(input A (shape N 4) int8)\n(assume (< 1 N))\n(access A 0)").Assumes
	if s, err := equiv.PairStatement(equiv.Question{Before: language.Of(&with), After: language.Of(programFrom(t, "a", memoRight))},
		equiv.Options{}); err != nil || s == first {
		t.Errorf("what a chain hands on is not in the statement: %v", err)
	}
}
