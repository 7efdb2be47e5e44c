package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/equiv/smt"
	"tv/equiv/witness"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// What a solver proves is left, in a certificate, to whoever runs a solver again: as obligations, which are scripts in
// SMT-LIB 2. Both programs are lowered afresh for them, so that they depend on the statement alone: who checks a
// certificate makes the scripts again and compares bytes.

// An Obligation is a query that a proof leaves to a solver. It holds where the solver says unsat.
type Obligation struct {
	About   string // which element, of which tensor, in which case of the domain: "element [0 1] of tensor 2 of 2"
	Script  string // SMT-LIB 2
	query   *smt.Query
	way     way
	element []int64 // asked about, where they are asked about one by one
}

// A part of a statement is one tensor of the result in one case of the domain.
type part struct {
	tensor, tensors int // which, counted from 0, and of how many
	of, cases       int // the case, likewise
	clauses         []sizes.Clause
	path            []int // of the tensor in the result
}

// A way to ask about a part.
type way uint8

const (
	everywhere way = iota // at an index without a value, with reads as free values: that is all elements at once
	oneByOne              // at each element
)

// Limits of the smt engine.
const (
	smtTerms    = 2_000     // that writing an element out may make
	smtElements = 64        // of an output that are asked one by one
	smtRLimit   = 5_000_000 // Z3 resource units a query, where Options say nothing
)

// obligations states what makes a part hold. There is none, and ok is false, where the way is not for its tensor: one
// with many elements, or a number of them that is not known, is not asked about one by one, one with a single element
// in no other way. An error means that an element has no formula.
func (v *Prover) obligations(p part, w way) (list []*Obligation, ok bool, err error) {
	return v.queries(p, func(dims []*index.Expr) ([][]int64, bool) {
		elements, few := fewElements(dims)
		if w == everywhere {
			return nil, !few || len(elements) != 1
		}
		return elements, few
	}, w)
}

// queries asks about a part, in a way: about all of it, or about the elements that are chosen by the dims of the tensor,
// if ok. Of a case that holds nowhere, and of a tensor without elements, nothing is asked.
func (v *Prover) queries(p part, choose func(dims []*index.Expr) (elements [][]int64, ok bool), w way) (
	list []*Obligation, ok bool, err error,
) {
	b := term.NewBuilder()
	defer func() { v.Counts.Terms += b.Terms() }()
	sz := sizes.NewFacts(b.Index, v.Domain.Names, v.Domain.Mins, p.clauses)
	sz.Limit(v.Domain)
	if sz.Contradictory(p.clauses) {
		return nil, true, nil
	}
	before, after, err := v.lower(b, sz, v.Arith, goal{})
	if err != nil {
		return nil, true, err
	}
	for _, side := range []*semantics.Lowered{before, after} {
		same := func(c semantics.LoweredComponent, path []int) bool { return slices.Equal(c.Path, path) }
		if !slices.EqualFunc(side.Components, v.Before.Result().Paths(), same) {
			return nil, true, errors.New("a result has other tensors than its type")
		}
	}
	x, y := before.Components[p.tensor].Array, after.Components[p.tensor].Array
	if slices.ContainsFunc(x.Dims, func(d *index.Expr) bool { return isZero(b.Index, d) }) {
		return nil, true, nil
	}
	elements, ok := choose(x.Dims)
	if !ok {
		return nil, false, nil
	}
	if w == everywhere {
		elements = [][]int64{nil}
	}
	v.granted(b, x, func() {
		root := b.Index.Root()
		for _, element := range elements {
			at := make([]*index.Expr, len(x.Dims))
			for i, d := range x.Dims {
				if n, ok := d.Const(); w == oneByOne {
					at[i] = b.Index.Const(element[i])
				} else if ok && n.IsOne() {
					at[i] = b.Index.Const(0)
				} else {
					at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
				}
			}
			o := &Obligation{About: p.about(w, element), way: w, element: element}
			s, t := x.Element(root, at), y.Element(root, slices.Clone(at))
			if o.query, err = smt.NewQuery(b, root, s, t, smtTerms); err != nil {
				return
			}
			o.Script = fmt.Sprintf("; %s, %s arithmetic\n; unsat: wherever BEFORE has a value, AFTER has the same\n%s",
				o.About, v.Arith, o.query.Script())
			list = append(list, o)
		}
	})
	return list, true, err
}

// fewElements lists the indices into a tensor of so many elements as are asked about one by one.
func fewElements(dims []*index.Expr) ([][]int64, bool) {
	sizes, total := make([]int64, len(dims)), int64(1)
	for i, d := range dims {
		n, ok := d.Const()
		m, small := n.Int64()
		if !ok || !small || m > smtElements || total*m > smtElements {
			return nil, false
		}
		sizes[i] = m
		total *= m
	}
	return sample.Pick(sizes, nil, smtElements, 0, nil), true
}

// someElements are looked at for counterexamples, of a tensor of any size.
const someElements = 8

// examples asks about a few elements at a point of the domain. A model is one of the programs; that there is none for any
// of them proves nothing.
func (v *Prover) examples(p part, pt domain.Point) (list []*Obligation, err error) {
	p.clauses = nil
	for _, n := range v.Domain.Names {
		p.clauses = append(p.clauses, sizes.Clause{Op: domain.PredEq, A: domain.NamedSize(n), B: domain.IntSize(pt[n])})
	}
	list, _, err = v.queries(p, func(dims []*index.Expr) ([][]int64, bool) {
		sizes := make([]int64, len(dims))
		for i, d := range dims {
			n, ok := d.Const()
			m, small := n.Int64()
			if !ok || !small {
				return nil, false
			}
			sizes[i] = m
		}
		return sample.Pick(sizes, nil, someElements, 1, nil), true
	}, oneByOne)
	return list, err
}

// about says which element a query is about.
func (p part) about(w way, element []int64) string {
	s := "every element"
	if w == oneByOne {
		s = fmt.Sprintf("element %v", element)
	}
	if p.tensors > 1 {
		s += fmt.Sprintf(" of tensor %d of %d", p.tensor+1, p.tensors)
	}
	if p.cases > 1 {
		var where []string
		for _, c := range p.clauses {
			where = append(where, c.String())
		}
		s += fmt.Sprintf(", case %d of %d: %s", p.of+1, p.cases, strings.Join(where, " "))
	}
	return strings.Map(printed, s)
}

// printed replaces what ends a line, or is none of the letters that everybody prints: the name of a size may hold what it
// likes, and what it says must not get out of a comment of a script.
func printed(r rune) rune {
	if r < ' ' || r > '~' {
		return '?'
	}
	return r
}

// discharge asks a solver for what makes a part hold, first everywhere, then one by one, and returns the obligations
// if it proves all of them. Otherwise failed is the first that it does not prove, if there are any, and r what it says.
func (v *Prover) discharge(ctx context.Context, p part) (list []*Obligation, failed *Obligation, r smt.Result) {
	for _, w := range []way{everywhere, oneByOne} {
		list, ok, err := v.obligations(p, w)
		if !ok {
			continue
		}
		if err != nil {
			failed, r = nil, smt.Result{Reason: "unsupported"}
			continue
		}
		failed = nil
		for _, o := range list {
			if r = v.answerTo(ctx, o); r.Answer != smt.Valid {
				failed = o
				break
			}
		}
		if failed == nil {
			return list, nil, smt.Result{Answer: smt.Valid}
		}
	}
	return nil, failed, r
}

// answerTo asks a solver about an obligation, the same one once.
func (v *Prover) answerTo(ctx context.Context, o *Obligation) smt.Result {
	if r, ok := v.answers[o.Script]; ok {
		return r
	}
	r := o.Decide(ctx, smt.Options{Solver: v.Solver, RLimit: cmp.Or(v.RLimit, smtRLimit)})
	v.counted(r)
	v.answers[o.Script] = r
	return r
}

// counted counts a query.
func (v *Prover) counted(r smt.Result) {
	v.Counts.Queries++
	v.Counts.Contexts += r.Contexts // those of other questions at work are not ours
}

// Decide asks a solver. The obligation holds where the answer is Valid.
func (o *Obligation) Decide(ctx context.Context, opts smt.Options) smt.Result {
	return smt.Decide(ctx, o.query, opts)
}

// parts lists the parts of the tensors given, by tensor and case.
func (v *Prover) parts(tensors []int) (list []part, ok bool) {
	all, ok := sizes.Cases(v.Domain.Preds, v.Domain.Mins)
	n := len(v.Before.Result().Paths())
	for _, k := range tensors {
		for i, cs := range all {
			list = append(list, part{tensor: k, tensors: n, of: i, cases: len(all), clauses: cs})
		}
	}
	return list, ok
}

// Restate poses a question as a certificate states it: what has to be known to state its obligations again. Languages are
// known by their names.
func Restate(s proofs.Statement, named func(string) *semantics.Language) (*Prover, error) {
	var programs [2]semantics.Source
	var declared []domain.Declarations
	for i, side := range [][2]string{{"before", s.Before}, {"after", s.After}} {
		name := cmp.Or(s.Languages[i], proofs.Glenside)
		language := named(name)
		if language == nil {
			return nil, fmt.Errorf("there is no language %q", name)
		}
		file := source.NewFile(side[0], side[1])
		file.Function, file.Results = s.Functions[i], s.Results[i]
		p, err := language.Parse(file)
		if err != nil {
			return nil, err
		}
		programs[i], declared = p, append(declared, p.Declarations())
	}
	sized(s, &programs)
	given := map[string]semantics.Parameter{}
	for _, x := range programs[0].Signature().Parameters {
		given[x.Name] = x
	}
	programs[0], programs[1] = semantics.Signed(programs[0], programs[1], func(y semantics.Parameter) (semantics.Parameter, bool) {
		x, ok := given[cmp.Or(s.Names[y.Name], y.Name)]
		return x, ok
	})
	frame(s, &programs)
	if err := assume(s, &programs[0]); err != nil {
		return nil, err
	}
	declared[0] = programs[0].Declarations()
	if s.Bound {
		declared = declared[:1]
	}
	env, err := domain.Merge(declared, s.Declared...)
	if err != nil {
		return nil, err
	}
	p := Pair{Arith: s.Arith, State: func(arith domain.Arith) proofs.Statement { s.Arith = arith; return s }}
	if p.Before, err = programs[0].Type(env); err != nil {
		return nil, err
	}
	under := *env
	under.Names, under.Sizes = s.Names, s.Sizes
	if p.After, err = programs[1].Type(&under); err != nil {
		return nil, err
	}
	p.Domain = sizes.NewDomain(p.Before, env)
	if s.WhereBoth {
		p.Domain.OfBoth(p.Before, p.After)
	}
	return New(p, nil), nil
}

// sized makes sizes of the scalars that are sizes of the other program alone, as a question does.
func sized(s proofs.Statement, programs *[2]semantics.Source) {
	x, y := programs[0].Signature(), programs[1].Signature()
	if !s.Bound || !x.Procedure || !y.Procedure {
		return
	}
	scalar := func(of semantics.Signature, name string) bool {
		return slices.ContainsFunc(of.Parameters, func(p semantics.Parameter) bool { return p.Name == name && p.Typed && len(p.Dims) == 0 })
	}
	tensors := map[string]bool{} // of BEFORE that AFTER's are bound to: no sizes, whatever has the same name
	for _, of := range s.Names {
		tensors[of] = true
	}
	var names [2][]string
	for _, size := range y.Sizes {
		name := size.Name
		if d, ok := s.Sizes[name]; ok {
			name = d.Name()
		}
		if scalar(x, name) && !tensors[name] {
			names[0] = append(names[0], name)
		}
	}
	for name, d := range s.Sizes {
		if d.Name() != "" && scalar(y, name) && s.Names[name] == "" {
			names[1] = append(names[1], name)
		}
	}
	for _, size := range x.Sizes {
		if _, known := s.Sizes[size.Name]; !known && scalar(y, size.Name) && s.Names[size.Name] == "" {
			names[1] = append(names[1], size.Name)
		}
	}
	for i, p := range programs {
		slices.Sort(names[i])
		if of, ok := p.(semantics.Sizer); ok && len(names[i]) > 0 {
			if out := of.Sized(names[i]); out != nil {
				programs[i] = out
			}
		}
	}
}

// frame makes results of what one of two procedures writes and the other does not, as a question does.
func frame(s proofs.Statement, programs *[2]semantics.Source) {
	before, ok := programs[0].(semantics.Observer)
	after, too := programs[1].(semantics.Observer)
	x, y := programs[0].Signature(), programs[1].Signature()
	if !ok || !too || !x.Procedure || !y.Procedure {
		return
	}
	written := map[string]bool{}
	for _, p := range x.Parameters {
		written[p.Name] = p.Written
	}
	var here, there []string
	for _, p := range y.Parameters {
		name := cmp.Or(s.Names[p.Name], p.Name)
		switch of, known := written[name]; {
		case known && of && !p.Written:
			there = append(there, p.Name)
		case known && !of && p.Written:
			here = append(here, name)
		}
	}
	if len(here) > 0 {
		programs[0] = before.Observing(here)
	}
	if len(there) > 0 {
		programs[1] = after.Observing(there)
	}
}

// assume restricts BEFORE to what a statement assumes beside its text.
func assume(s proofs.Statement, before *semantics.Source) error {
	list, err := s.Assumes()
	if err != nil || len(list) == 0 {
		return err
	}
	of, ok := (*before).(semantics.Assumer)
	if !ok {
		return fmt.Errorf("a program in %s is not restricted", (*before).Language().Name)
	}
	*before = of.Assuming(list)
	return nil
}

// Obligations makes the obligations of a pair again, from its statement and from which tensors it leaves to a solver, and
// compares them with those that the pair has. An error says which is another, or that the statement has none. What the
// pair states otherwise, which tensors the results have and which sizes, is what proofs.CheckRest has accepted.
// Languages are known by their names.
func Obligations(p proofs.Pair, named func(string) *semantics.Language) ([]*Obligation, error) {
	v, err := Restate(p.Statement, named)
	if err != nil {
		return nil, err
	}
	parts, ok := v.parts(p.Left())
	if !ok {
		return nil, errors.New("the domain has too many cases")
	}
	var out []*Obligation
	for _, part := range parts {
		list, err := v.matching(part, p.Obligations[len(out):])
		if err != nil {
			return nil, fmt.Errorf("obligation %d: %w", len(out)+1, err)
		}
		out = append(out, list...)
	}
	if n := len(p.Obligations); n > len(out) {
		return nil, fmt.Errorf("obligation %d: nothing more is left to a solver", len(out)+1)
	}
	return out, nil
}

// matching states the obligations of a part in the way in which scripts begin with them.
func (v *Prover) matching(p part, scripts []string) (list []*Obligation, err error) {
	err = errors.New("no formula says it")
	for _, w := range []way{everywhere, oneByOne} {
		var ok bool
		var wrong error
		if list, ok, wrong = v.obligations(p, w); !ok || wrong != nil {
			continue
		}
		same := 0
		for same < len(list) && same < len(scripts) && list[same].Script == scripts[same] {
			same++
		}
		if same == len(list) {
			return list, nil
		}
		err = fmt.Errorf("it is not what the statement leaves to a solver about %s", list[same].About)
	}
	return nil, err
}

// rest makes a certificate in which the tensors that a solver proved are left to it; the checker accepts the others. It adds
// whom that trusts to the answer.
func (v *Prover) rest(ctx context.Context, a *Answer) Certificate {
	s := v.State(v.Arith)
	again, err := Restate(s, func(name string) *semantics.Language {
		if l := v.Before.Source().Language(); l.Name == name {
			return l
		}
		return v.After.Source().Language()
	})
	if err != nil {
		return Certificate{Err: err}
	}
	again.Steps, again.Solver, again.RLimit, again.answers = v.Steps, v.Solver, v.RLimit, v.answers
	defer func() { v.Counts.add(again.Counts) }()
	parts, ok := again.parts(a.Solved)
	if !ok {
		return Certificate{Err: errors.New("the domain has too many cases")}
	}
	pair := proofs.Pair{Statement: s}
	for _, p := range parts {
		list, failed, r := again.discharge(ctx, p)
		if failed != nil || r.Answer != smt.Valid {
			return Certificate{Err: fmt.Errorf("a solver does not prove %s", p.about(everywhere, nil))}
		}
		for _, o := range list {
			pair.Obligations = append(pair.Obligations, o.Script)
			a.Trusts = MergeNames(a.Trusts, proof(v.answers[o.Script]).Trusts)
		}
	}
	if pair.Witness, err = witness.Find(ctx, s, witness.Search{Left: a.Solved}); err != nil {
		return Certificate{Err: err}
	}
	return Certificate{Data: proofs.Format([]proofs.Pair{pair})}
}
