package rules

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
)

// A Mend is a guard under which a wrong rule is right.
type Mend struct {
	Guard    string // in the form that rules have: "(< 0 ?s) (divides ?s (- ?n ?w))"
	Exact    bool   // of the shapes tried, it is true just where the rule is right
	Shapes   int    // tried: sizes up to 6, groups of up to two dims
	Right    int    // of those, where the rule is right
	Excluded int    // of those, where the guard is not true
}

// Limits of the search for a guard.
const (
	mendNames  = 8    // names of a rule beyond which none is looked for
	mendShapes = 1000 // instances tried
	mendDraws  = 5000 // looked at for that, in order and at random
	mendAtoms  = 3    // conditions in a guard
	mendTries  = 8    // guards of a kind that are put to the prover
	mendEither = 24   // conditions that disjunctions are made of
	mendSize   = 6    // greatest size tried
)

// mend looks for a guard that makes a refuted rule right: a conjunction of equalities, orders and divisibilities. It is
// printed only if the rule with it is proved.
func mend(ctx context.Context, r *rule.Rule, elem domain.Elem, opts options) *Mend {
	groups, integers := r.Names()
	if len(groups)+len(integers) > mendNames || len(r.Lists) > 0 {
		return nil
	}
	opts.ProofOnly = true
	m := &mender{r: r, elem: elem, opts: opts, tried: map[string]bool{}, groups: groups, integers: integers}
	m.enumerate(ctx, groups, integers)
	if len(m.wrong) == 0 || len(m.right) == 0 || ctx.Err() != nil {
		return nil
	}
	m.rights, m.wrongs = len(m.right), len(m.wrong)
	m.judgeAtoms(append(atoms(groups, integers), numbered(r, integers)...))
	m.zeros = m.saying(func(text string) bool { return strings.HasPrefix(text, "(=") && strings.HasSuffix(text, " 0)") })
	for _, chosen := range m.candidates() {
		if ctx.Err() != nil {
			return nil
		}
		texts := make([]string, len(chosen))
		for i, a := range chosen {
			texts[i] = m.atoms[a].text
		}
		if mended, err := r.WithGuards(r.Name, texts...); err == nil {
			res, err := checkRule(ctx, mended, elem, m.opts)
			if err == nil && res.Verdict == equiv.Proved && res.Cover.All {
				return m.result(chosen, texts)
			}
		}
	}
	return nil
}

type mender struct {
	guards
	r            *rule.Rule
	elem         domain.Elem
	opts         options
	right, wrong []rule.Values
	shapes       int
	groups       []string // of the rule, and its sizes and integers
	integers     []string
	tried        map[string]bool
}

// guards are conditions, and where among instances that are right or wrong they are true.
type guards struct {
	rights, wrongs int // instances
	atoms          []*mendAtom
	zeros          []int // atoms that say a size is 0
}

// saying are the atoms whose texts say something.
func (m *guards) saying(what func(text string) bool) (out []int) {
	for i, a := range m.atoms {
		if what(a.text) {
			out = append(out, i)
		}
	}
	return out
}

// A mendAtom is a condition and where it is true.
type mendAtom struct {
	text         string
	parts        []string // of a disjunction; else the text
	right, wrong instanceSet
	excluded     int // right instances where it is not true
}

// An instanceSet is a set of instances by number, in words of bits.
type instanceSet []uint64

func noInstances(n int) instanceSet { return make(instanceSet, (n+63)/64) }

func (s instanceSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s instanceSet) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s instanceSet) empty() bool {
	return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 })
}

// combine returns the set of f of each word.
func (s instanceSet) combine(o instanceSet, f func(x, y uint64) uint64) instanceSet {
	out := make(instanceSet, len(s))
	for i := range s {
		out[i] = f(s[i], o[i])
	}
	return out
}

func and(x, y uint64) uint64    { return x & y }
func or(x, y uint64) uint64     { return x | y }
func andNot(x, y uint64) uint64 { return x &^ y }

// enumerate tries instances: all of them with sizes up to mendSize where they are few, else some of the smallest sizes,
// then some that are drawn.
func (m *mender) enumerate(ctx context.Context, groups, integers []string) {
	shapes := [][]int64{{}, {1}, {2}, {3}, {0}, {2, 3}}
	v := rule.Values{Groups: map[string][]int64{}, Sizes: map[string]int64{}, Lists: map[string][]int{}, Tokens: map[string]string{}}
	for _, t := range m.r.Tokens {
		v.Tokens[t.Name] = t.Tokens[0]
	}
	size := int64(mendSize)
	for count := pow(len(shapes), len(groups)) * pow(int(size)+1, len(integers)); count > mendShapes && size > 2; size-- {
		count = pow(len(shapes), len(groups)) * pow(int(size), len(integers))
	}
	all, looked := size == mendSize, 0
	var fill func(g, i int)
	fill = func(g, i int) {
		switch {
		case ctx.Err() != nil || m.shapes > mendShapes || !all && (m.shapes > mendShapes/2 || looked > mendDraws):
		case g < len(groups):
			for _, s := range shapes {
				v.Groups[groups[g]] = s
				fill(g+1, i)
			}
		case i < len(integers):
			least := int64(0)
			if slices.Contains(m.r.Ints, integers[i]) {
				least = -1
			}
			for n := least; n <= size; n++ {
				v.Sizes[integers[i]] = n
				fill(g, i+1)
			}
		default:
			looked++
			m.try(v)
		}
	}
	fill(0, 0)
	rng := rand.New(rand.NewPCG(m.opts.Seed+1, 23))
	for k := 0; !all && k < mendDraws && m.shapes <= mendShapes && ctx.Err() == nil; k++ {
		m.try(m.r.RandomValues(rng, 2, mendSize))
	}
}

func pow(x, n int) int {
	out := 1
	for range n {
		if out *= x; out > 1<<30 {
			return 1 << 30
		}
	}
	return out
}

// try files an instance under right or wrong, if it is admitted and new.
func (m *mender) try(v rule.Values) {
	key := m.key(v)
	if m.tried[key] {
		return
	}
	m.tried[key] = true
	in, err := m.r.Instance(v, m.elem)
	if errors.Is(err, rule.ErrNotAdmitted) || err != nil {
		return
	}
	m.shapes++
	if differs(in, m.opts) {
		m.wrong = append(m.wrong, copyValues(v))
	} else {
		m.right = append(m.right, copyValues(v))
	}
}

// key tells instances apart.
func (m *mender) key(v rule.Values) string {
	var k []byte
	for _, g := range m.groups {
		for _, n := range v.Groups[g] {
			k = binary.AppendVarint(k, n)
		}
		k = append(k, ';')
	}
	for _, name := range m.integers {
		k = binary.AppendVarint(k, v.Sizes[name])
	}
	for _, t := range m.r.Tokens {
		k = append(append(k, ';'), v.Tokens[t.Name]...)
	}
	return string(k)
}

func copyValues(v rule.Values) rule.Values {
	out := rule.Values{Groups: map[string][]int64{}, Sizes: map[string]int64{}, Lists: v.Lists, Tokens: v.Tokens}
	for k, x := range v.Groups {
		out.Groups[k] = x
	}
	for k, x := range v.Sizes {
		out.Sizes[k] = x
	}
	return out
}

// quickModes is the number of kinds of inputs on which an instance is run.
const quickModes = 2

// differs runs both sides of an instance in the evaluator and reports whether they are told apart.
func differs(in *rule.Instance, opts options) bool {
	if in.Broken != "" {
		return true
	}
	before, after, err := in.Programs()
	if err != nil {
		return true
	}
	env, err := glenside.MergeEnv([]*glenside.Program{before, after})
	if err != nil {
		return true
	}
	x, errX := glenside.Check(before, env)
	y, errY := glenside.Check(after, env)
	if errX != nil || errY != nil {
		return true
	}
	p, o := language.Typed(x), language.Typed(y)
	if !equiv.SameType(p, o, opts.Equal) {
		return true
	}
	if opts.formed {
		return false
	}
	different, err := sample.Plain(p, o, opts.Arith, opts.SampleSeed()).Quick( // every sampler of a search draws alike
		context.Background(), domain.Point{}, quickModes)
	return different || err != nil
}

// atoms lists the conditions that guards are made of, simple ones first.
func atoms(groups, integers []string) []string {
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprintf("(< 0 (rank %s))", g), fmt.Sprintf("(= (rank %s) 1)", g), fmt.Sprintf("(= (rank %s) 0)", g))
	}
	terms := append([]string{}, integers...)
	for _, g := range groups {
		terms = append(terms, "(size "+g+")")
	}
	for _, x := range terms {
		out = append(out, fmt.Sprintf("(< 0 %s)", x), fmt.Sprintf("(= %s 1)", x), fmt.Sprintf("(= %s 0)", x),
			fmt.Sprintf("(<= %s 1)", x), fmt.Sprintf("(<= 2 %s)", x))
	}
	for i, x := range terms {
		for j, y := range terms {
			if i < j {
				out = append(out, fmt.Sprintf("(= %s %s)", x, y), fmt.Sprintf("(< 0 (+ %s %s))", x, y))
			}
			if i != j {
				out = append(out, fmt.Sprintf("(<= %s %s)", x, y), fmt.Sprintf("(< %s %s)", x, y), fmt.Sprintf("(divides %s %s)", x, y))
			}
		}
	}
	for _, x := range integers {
		out = append(out, fmt.Sprintf("(divides 2 %s)", x), fmt.Sprintf("(<= 0 %s)", x))
		for _, y := range integers {
			for _, z := range integers {
				if x != y && x != z && y != z {
					out = append(out, fmt.Sprintf("(divides %s (- %s %s))", x, y, z))
				}
				if y < z && x != y && x != z {
					out = append(out, fmt.Sprintf("(= %s (* %s %s))", x, y, z), fmt.Sprintf("(= %s (+ %s %s))", x, y, z),
						fmt.Sprintf("(<= (+ %s %s) %s)", y, z, x), fmt.Sprintf("(<= %s (+ %s %s))", x, y, z),
						fmt.Sprintf("(< %s (+ %s %s))", x, y, z))
				}
			}
		}
	}
	return out
}

// numbered lists the conditions that hold numbers of the rule's own, as a slice of what is padded by 2 wants them.
func numbered(r *rule.Rule, integers []string) []string {
	set := map[int64]bool{}
	r.Numbers(func(n int64) {
		if n > 1 && n <= mendSize {
			set[n] = true
		}
	})
	var out []string
	for _, n := range slices.Sorted(maps.Keys(set)) {
		for _, x := range integers {
			out = append(out, fmt.Sprintf("(<= %d %s)", n, x), fmt.Sprintf("(<= %s %d)", x, n), fmt.Sprintf("(= %s %d)", x, n),
				fmt.Sprintf("(divides %d %s)", n, x))
			for _, y := range integers {
				if x != y {
					out = append(out, fmt.Sprintf("(<= %s (+ %s %d))", x, y, n), fmt.Sprintf("(< %s (+ %s %d))", x, y, n),
						fmt.Sprintf("(= %s (* %d %s))", x, n, y), fmt.Sprintf("(= %s (+ %s %d))", x, y, n))
				}
			}
		}
	}
	return out
}

// judgeAtoms finds out where conditions are true, and keeps those that tell wrong from right.
func (m *mender) judgeAtoms(texts []string) {
	var wrong, right []func(*rule.Guard) bool
	for _, v := range m.wrong {
		wrong = append(wrong, m.r.Holds(v))
	}
	for _, v := range m.right {
		right = append(right, m.r.Holds(v))
	}
	for _, text := range texts {
		g, err := m.r.ParseGuard(text)
		if err != nil {
			continue
		}
		a := &mendAtom{text: text, parts: []string{text}}
		a.wrong, a.right = noInstances(len(m.wrong)), noInstances(len(m.right))
		for i, holds := range wrong {
			if holds(g) {
				a.wrong.add(i)
			}
		}
		if a.wrong.count() == m.wrongs {
			continue
		}
		for i, holds := range right {
			if holds(g) {
				a.right.add(i)
			}
		}
		m.add(a)
	}
}

// add adds a condition that is true somewhere where the rule is right.
func (m *guards) add(a *mendAtom) {
	if a.excluded = m.rights - a.right.count(); a.excluded < m.rights {
		m.atoms = append(m.atoms, a)
	}
}

// either lists disjunctions of two or three conditions each of which alone is false at every wrong instance, and one of
// which is true at every right one; short ones first.
func (m *guards) either() [][]int {
	var alone []*mendAtom
	for _, a := range m.atoms {
		if a.wrong.empty() {
			alone = append(alone, a)
		}
	}
	slices.SortStableFunc(alone, func(a, b *mendAtom) int { return a.excluded - b.excluded })
	alone = alone[:min(mendEither, len(alone))]
	parts := alone
	var out [][]int
	for range 2 {
		var next []*mendAtom
		for _, a := range parts {
			for _, b := range alone {
				o := &mendAtom{wrong: a.wrong, right: a.right.combine(b.right, or)}
				if o.excluded = m.rights - o.right.count(); o.excluded < min(a.excluded, b.excluded) {
					o.parts = append(slices.Clip(a.parts), b.parts...)
					o.text = fmt.Sprintf("(or %s)", strings.Join(o.parts, " "))
					next = append(next, o)
				}
			}
		}
		slices.SortStableFunc(next, func(a, b *mendAtom) int {
			return cmp.Or(a.excluded-b.excluded, len(a.text)-len(b.text))
		})
		parts = next[:min(mendEither, len(next))]
		for _, o := range parts {
			if o.excluded == 0 && len(out) < mendTries {
				m.atoms = append(m.atoms, o)
				out = append(out, []int{len(m.atoms) - 1})
			}
		}
	}
	return out
}

// candidates lists conjunctions that are false at every wrong instance, those first that exclude few right ones: single
// conditions, then pairs, then what choose finds. Conditions that agree everywhere may differ for the prover.
func (m *guards) candidates() [][]int {
	var singles, pairs, equalities [][]int
	for i, x := range m.atoms {
		alone := x.wrong.empty()
		if alone {
			singles = append(singles, []int{i})
		}
		for j := i + 1; j < len(m.atoms); j++ {
			y := m.atoms[j]
			equal := strings.HasPrefix(x.text, "(=") && strings.HasPrefix(y.text, "(=")
			if known := alone || y.wrong.empty(); known && !equal || !m.together(x, y) {
				continue
			} else if known {
				equalities = append(equalities, []int{i, j})
			} else {
				pairs = append(pairs, []int{i, j})
			}
		}
	}
	var out [][]int
	for _, list := range [][][]int{singles, pairs, equalities} {
		list = m.cheapest(list)
		out = append(out, list[:min(mendTries, len(list))]...)
	}
	if chosen := m.choose(); chosen != nil {
		out = append(out, chosen)
	}
	out = append(out, m.either()...)
	return m.cheapest(out)
}

// cheapest returns conjunctions in the order of their costs.
func (m *guards) cheapest(list [][]int) [][]int {
	costs := make([]int, len(list))
	order := make([]int, len(list))
	for i, chosen := range list {
		costs[i], order[i] = m.cost(chosen), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return costs[a] - costs[b] })
	out := make([][]int, len(list))
	for i, from := range order {
		out[i] = list[from]
	}
	return out
}

// together tells whether two conditions are true at no wrong instance.
func (m *guards) together(x, y *mendAtom) bool {
	for i, w := range x.wrong {
		if w&y.wrong[i] != 0 {
			return false
		}
	}
	return true
}

// cost orders conjunctions: by the right instances that they exclude, sizes of 0 last.
func (m *guards) cost(chosen []int) int {
	n := m.excluded(chosen)
	if n > 0 && slices.ContainsFunc(m.zeros, func(z int) bool {
		return slices.Contains(chosen, z) || m.excluded(append(chosen[:len(chosen):len(chosen)], z)) == n
	}) {
		n += m.rights
	}
	return n
}

// excluded counts the right instances at which conditions are not all true.
func (m *guards) excluded(chosen []int) int {
	all := m.atoms[chosen[0]].right
	for _, a := range chosen[1:] {
		all = all.combine(m.atoms[a].right, and)
	}
	return m.rights - all.count()
}

// choose picks conditions that together are false at every wrong instance: one after the other that which leaves the
// fewest wrong ones, of those that exclude no right one if that will do. It returns nil where none do.
func (m *guards) choose() []int {
	for _, exact := range []bool{true, false} {
		var chosen []int
		open := noInstances(m.wrongs) // wrong instances that are not excluded
		for i := range m.wrongs {
			open.add(i)
		}
		for !open.empty() && len(chosen) < mendAtoms {
			best, bestCost := -1, 0
			for i, a := range m.atoms {
				if exact && a.excluded > 0 {
					continue
				}
				gone := open.combine(a.wrong, andNot).count()
				cost := gone*m.rights - a.excluded*m.wrongs
				if gone > 0 && (best < 0 || cost > bestCost) {
					best, bestCost = i, cost
				}
			}
			if best < 0 {
				break
			}
			chosen = append(chosen, best)
			open = open.combine(m.atoms[best].wrong, and)
		}
		if open.empty() {
			return chosen
		}
	}
	return nil
}

func (m *mender) result(chosen []int, texts []string) *Mend {
	out := &Mend{Guard: strings.Join(texts, " "), Shapes: m.shapes, Right: len(m.right)}
	out.Excluded = m.excluded(chosen)
	out.Exact = out.Excluded == 0
	return out
}
