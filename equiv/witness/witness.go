// Package witness finds the answers that certificates hold. The checker of package proofs states a
// goal for every sum whose variables may be changed and for every region of the output in which the
// two sides are still different; this package proposes an answer to each:
//
//	digits.go  variables that are divided become digits, digits become one variable
//	flat.go    a sum over digits that the other side takes in parts becomes one over one variable, cut as the parts are
//	align.go   variables of sums are places of what is read first, where conditions say that these are all
//	order.go   sums rise, and start where their tensors do; variables are put in an order that their roles decide
//	region.go  the output is cut where a condition is open
//	orders.go  members of maxima are put in order, and facts that decide one are found
//	witness.go statements, and the search
//
// An answer may be useless but cannot be wrong: the checker checks it. Start with [Certify].
package witness

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"tv/internal/languages"

	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Search says what answers are looked for, and for how long.
type Search struct {
	Splits []algebra.Split // of the domain
	Cuts   []algebra.Cut   // of a proof in stages
	Left   []int           // tensors of the result that are left to a solver, counted from 0
	Words  bool            // integers are compared as machine words by all strategies, and not by the last alone
	Steps  int             // one a goal, and one for every 1,024 summands or so that the checker closes; 0: no bound
	Most   int             // expressions of goals that may be looked at; 0: any number
}

// ErrSteps says that the steps of a search are spent.
var ErrSteps = errors.New("witness: steps spent")

// ErrTooMuch says that more had to be looked at than Search.Most.
var ErrTooMuch = errors.New("the goals of the certificate are too large")

// State returns the statement that before equals after under the declarations of env, bit for bit or in the reals, with the
// same split or without. Where AFTER's names are its own, under says what they stand for; otherwise it is nil.
func State(before, after semantics.Source, env, under *domain.Env, arith domain.Arith, access bool) proofs.Statement {
	s := proofs.Statement{Arith: arith, Access: access, Before: before.File().Text, After: after.File().Text}
	if x, y := before.Language().Name, after.Language().Name; x != proofs.Glenside || y != proofs.Glenside {
		s.Languages = [2]string{x, y}
		s.Functions = [2]string{before.Signature().Function, after.Signature().Function}
		s.Results = [2]string{before.File().Results, after.File().Results}
	}
	own := env
	if under != nil {
		env = under
		s.Bound, s.Names, s.Sizes = true, under.Names, under.Sizes
	}
	declared := before.Declarations()
	known := map[string]bool{}
	for _, in := range declared.Inputs {
		known[in.Name] = in.Span.File == before.File() && !in.Unsized
	}
	var inherited strings.Builder // by a step of a chain: it stands in another text
	for _, a := range declared.Assumes {
		if a.Span.File != before.File() {
			fmt.Fprintf(&inherited, "(assume %s)\n", a.Pred)
		}
	}
	switch {
	case before.Language().Name != proofs.Glenside:
		for _, a := range declared.Assumes {
			if a.Span.File != before.File() { // what the text says itself its reading knows
				s.Assume = append(s.Assume, a.Pred.String())
			}
		}
	case inherited.Len() > 0:
		s.Before = inherited.String() + s.Before
	}
	for name, t := range env.Tensors {
		if known[name] {
			continue
		}
		if b, ok := own.Tensors[name]; ok { // AFTER may have it in another shape
			t = b
		}
		in := domain.Input{Name: name, Elem: t.Elem}
		for _, d := range t.Dims {
			dim := domain.Dim{Size: d}
			if n := d.Name(); n != "" {
				if dim.Min = 1; env.Mins != nil {
					if m, ok := env.Mins[n]; ok {
						dim.Min = m
					}
				}
			}
			in.Dims = append(in.Dims, dim)
		}
		s.Declared = append(s.Declared, in)
	}
	sort.Slice(s.Declared, func(i, j int) bool { return s.Declared[i].Name < s.Declared[j].Name })
	return s
}

// Certify returns a certificate of a statement, or the error with which the checker refuses the
// answers found. The bytes depend on statement and search alone.
func Certify(ctx context.Context, s proofs.Statement, search Search) ([]byte, error) {
	w, err := Find(ctx, s, search)
	if err != nil {
		return nil, err
	}
	return proofs.Format([]proofs.Pair{{Statement: s, Witness: w}}), nil
}

// strategies are tried in this order.
var strategies = []strategy{{}, {parts: true}, {align: true}, {orders: true}, {unroll: true}, {elements: true},
	{unroll: true, elements: true}, {unroll: true, orders: true}, {short: true}, {digits: true},
	{short: true, stride: 2}, {short: true, stride: 3}, {short: true, stride: 4}, {words: true}}

type strategy struct {
	orders   bool  // members of maxima are ordered one way and the other
	unroll   bool  // sums over few numbers are written out
	short    bool  // the variables of sums that take few numbers are, whatever the others take
	digits   bool  // axes of the output that are divided are written as digits first
	stride   int64 // sums over a named number of places are taken every so many places, where that divides it
	elements bool  // small outputs are compared element by element
	align    bool  // variables of sums are places of what is read first, whatever the sum is over
	words    bool  // integers are compared as machine words where nothing else is to be done
	parts    bool  // sums that the other side takes in parts are cut as these are
}

// Find returns a witness for a statement, or the error of the first attempt.
func Find(ctx context.Context, s proofs.Statement, search Search) (string, error) {
	var first error
	steps, spans, known := 0, map[span]bool{}, 0
	for i := 0; i < len(strategies); i++ {
		st := strategies[i]
		st.words = st.words || search.Words
		if s.Arith == domain.Exact && st.orders { // only real numbers are ordered
			continue
		}
		if st.stride > 0 && s.Languages == [2]string{} && !strings.Contains(s.Before, "(* ") && !strings.Contains(s.Before, "divides") {
			continue // no size is a multiple of another
		}
		if st.parts {
			if len(spans) == known {
				continue
			}
			known = len(spans)
			i-- // once more where it gets further, to parts that were not known
		}
		f := &finder{ctx: ctx, strategy: st, steps: &steps, bound: search.Steps, most: search.Most, spans: spans}
		for _, x := range search.Splits {
			fmt.Fprintln(&f.answers, x)
		}
		for _, c := range search.Cuts {
			fmt.Fprintln(&f.answers, c)
		}
		if len(search.Left) > 0 {
			fmt.Fprintln(&f.answers, "left", strings.Trim(fmt.Sprint(search.Left), "[]"))
		}
		err := f.verify(s, search)
		if err == nil {
			return f.answers.String(), nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		} else if errors.Is(err, ErrSteps) {
			return "", err
		}
		if errors.Is(err, ErrTooMuch) {
			return "", err
		}
		coded, ok := source.AsErrors(err)[0], true
		if ok = coded.Code == "certificate-goal" || coded.Code == "certificate-undefined"; !ok {
			break
		}
	}
	return "", first
}

// stopped is the panic that ends a check whose context is done, or that takes too much.
type stopped struct{ error }

// verify has the checker ask f.
func (f *finder) verify(s proofs.Statement, search Search) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			err = r.error
		default:
			panic(r)
		}
	}()
	return languages.Checker.Verify("certificate", s, search.Splits, search.Cuts, search.Left, f)
}

// A finder answers goals and writes the answers down.
type finder struct {
	strategy
	ctx     context.Context
	steps   *int // taken by all strategies so far
	bound   int  // 0: none
	answers strings.Builder
	regions int
	cases   int
	most    int // expressions that may be looked at, or 0
	looked  int

	spans     map[span]bool // of all strategies so far
	flat      flatRange     // the sum that was taken as one range last
	flattened int
	open      bool // not all parts of it are answered
}

// Alive ends the check where the context has ended or the steps are spent.
func (f *finder) Alive() {
	if err := f.ctx.Err(); err != nil {
		panic(stopped{err})
	}
	if *f.steps++; f.bound > 0 && *f.steps > f.bound {
		panic(stopped{ErrSteps})
	}
}

// Answer implements proofs.Answerer.
func (f *finder) Answer(g *algebra.Goal) string {
	f.Alive()
	var text string
	g.B.Scratch(func() {
		if g.Region {
			text = f.region(g)
		} else {
			text = f.change(g)
		}
	})
	if text != "" {
		fmt.Fprintf(&f.answers, "%d %s\n", g.N, text)
	}
	return text
}

// namer returns the names of a goal's variables in answers.
func namer(g *algebra.Goal, vars []*algebra.Atom) func(*algebra.Atom) string {
	names := map[*algebra.Atom]string{}
	for i, a := range g.Outer {
		names[a] = fmt.Sprintf("u%d", i)
	}
	for i, a := range g.Vars {
		names[a] = fmt.Sprintf("v%d", i)
	}
	for i, a := range vars {
		names[a] = fmt.Sprintf("w%d", i)
	}
	return func(a *algebra.Atom) string {
		if n, ok := names[a]; ok {
			return n
		}
		return "?" // refused by the checker
	}
}
