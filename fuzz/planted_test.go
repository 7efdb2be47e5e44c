//go:build planted

package fuzz

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"tv/fuzz/programs"
	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/internal/mix"
	faults "tv/internal/planted"
	"tv/internal/tier"
	"tv/semantics/domain"
)

// bound is the number of cases within which every planted fault is found.
const bound = 4_000

// A family is a grammar of small programs of which any two are compared: what stands behind a letter, the first
// choice being a leaf. It aims at one part of the prover, which general mutants seldom meet.
type family struct {
	heads         []string // declarations and assumes, one is drawn
	rules         map[string][]string
	exact, access bool
	drawn         func(draw uint64) []pair // instead of all these
}

const (
	sized    = "(input A (shape (n 0)))\n(input B (shape))\n(input C (shape M))\n"
	fixed    = "(input A (shape 4))\n(input B (shape 4))\n"
	long     = "(input A (shape 1000))\n(input B (shape 1000))\n"
	listed   = "(input A (shape 4))\n(input I (shape 2) int32)\n"
	copies   = "(access-broadcast (access-reshape B (access-shape (shape 1) (shape))) (access-shape (shape n) (shape)))"
	column   = "(access-reshape (access A 1) (access-shape (shape 4 1) (shape)))"
	first    = "(access-slice (access A 1) 0 0 1)"
	zero     = "(access-literal (literal 0))"
	multiply = "(relay-operator-call relay-multiply "
)

var families = map[string]*family{
	"sizes": {
		heads: []string{sized, sized + "(assume (or (= M 1) (= M 2)))\n", sized + "(assume (<= K (+ M 1)))\n"},
		rules: map[string][]string{
			"S": {"(access B 0)", zero, "(compute $R (access $V 0))", "(compute $R (access $V 0))",
				"(relay-operator-call relay-add (access B 0) $S)", multiply + zero + " $S)",
				"(access-squeeze (access-slice (access C 1) 0 0 1) 0)"},
			"R": {"reduce-sum", "reduce-max", "reduce-mean", "elementwise-mul"},
			"V": {"(access A 1)", "(access C 1)", copies, multiply + "A " + zero + ")",
				"(access-slice (access-pad (access C 1) zero-padding 0 0 1) 0 0 K)"},
		},
	},
	"places": {
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"(compute $R (access $V 0))", "(compute $R (access $V 0))",
				"(compute $R (access (access-windows (access $V 0) (shape $N) (shape 1)) 0))"},
			"R": {"reduce-sum", "reduce-max"},
			"N": {"1", "2", "3", "4", "5", "6", "7"},
			"V": {"(access A 1)", "(access-flatten (access-broadcast " + column + " (access-shape (shape 4 2) (shape))))",
				"(access-slice $V 0 0 $N)", "(access-pad $V zero-padding 0 0 1)"},
		},
	},
	"parts": { // sums whose parts end within what is repeated
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"(compute elementwise-add (access-pair (access (compute elementwise-add (access-pair $P $P)) 0) $P))"},
			"P": {"(access (compute reduce-sum (access (access-slice (access-flatten (access-broadcast " + column +
				" (access-shape (shape 4 3) (shape)))) 0 $N) 0)) 0)"},
			"N": {"0 4", "4 8", "8 12"},
		},
	},
	"windows": {
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"(access-broadcast " + first + " (access-shape (shape $N) (shape)))", "(compute reduce-sum (access-windows " +
				"(access (access-pad " + first + " zero-padding 0 $N $N) 0) (shape $N) (shape 1)))"},
			"N": {"1", "2", "3", "4", "5"},
		},
	},
	"cells": {
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"$W", "(access-broadcast (access-slice $W 1 0 1) (access-shape (shape $M) (shape $N)))"},
			"W": {"(access-windows (access (access-flatten (access-broadcast " + column +
				" (access-shape (shape 4 $N) (shape)))) 0) (shape $N) (shape $H))"},
			"N": {"4", "6", "8"}, "H": {"2", "4"}, "M": {"7", "6", "5"},
		},
	},
	"orders": {
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"(access A 1)", "(access B 1)", "(relay-operator-call relay-$O $S $S)",
				multiply + "$S (access-literal (literal -2)))"},
			"O": {"maximum", "minimum", "add"},
		},
	},
	"rises": { // exp, as Relay has it
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"$E", "(relay-operator-call relay-$O $E $E)"},
			"E": {"(relay-operator-call relay-divide (relay-operator-call relay-sigmoid $V) " +
				"(relay-operator-call relay-sigmoid (compute negative $V)))"},
			"V": {"(access A 1)", "(access B 1)"},
			"O": {"maximum", "minimum"},
		},
	},
	"narrow": {
		heads: []string{"(input A (shape 3) int16)\n(input B (shape 3) int16)\n"},
		rules: map[string][]string{
			"S": {"(relay-operator-call relay-cast $V int8)", "(relay-operator-call relay-$O $S $S)"},
			"V": {"(access A 1)", "(access B 1)", "(relay-operator-call relay-$O $V $V)"},
			"O": {"maximum", "minimum"},
		},
		exact: true,
	},
	"integers": {
		heads: []string{"(input A (shape 3) int8)\n(input B (shape 3) int8)\n",
			"(input A (shape 3) int16)\n(input B (shape 3) int16)\n"},
		rules: map[string][]string{
			"S": {"(access A 1)", "(access B 1)", "(relay-operator-call relay-$O $S $S)", "(compute negative $S)",
				"(compute relu $S)",
				"(relay-operator-call relay-cast $S int16)", "(relay-operator-call relay-left-shift $S 8)",
				multiply + "A " + zero + ")"},
			"O": {"maximum", "minimum", "add"},
		},
		exact: true,
	},
	"widths": {
		heads: []string{"(input A (shape 3) int8)\n(input B (shape 3) int8)\n"},
		rules: map[string][]string{
			"S": {"(relay-operator-call relay-cast $V int16)", "(relay-operator-call relay-$O $S $S)"},
			"V": {"(access A 1)", "(access B 1)", "(relay-operator-call relay-$O $V $V)"},
			"O": {"add", "multiply"},
		},
		exact: true,
	},
	"floats": {
		heads: []string{fixed},
		rules: map[string][]string{
			"S": {"(access A 1)", "(access B 1)", "(relay-operator-call relay-$O $S $S)"},
			"O": {"maximum", "minimum", "add"},
		},
		exact: true,
	},
	"folds": {
		heads: []string{"(input A (shape N))\n", "(input A (shape N))\n(assume (= N 2))\n"},
		rules: map[string][]string{
			"S": {"(compute $R (access $V 0))", "(compute $R (access $V 0))", "(relay-operator-call relay-$O $S $S)",
				"(access-squeeze (access-slice A 0 0 1) 0)", "(access-squeeze (access-slice A 0 (- N 1) N) 0)"},
			"R": {"reduce-sum", "reduce-max"},
			"O": {"add", "maximum"},
			"V": {"A", "(access-slice A 0 0 (- N 1))", "(access-slice A 0 (- N 1) N)"},
		},
		exact: true,
	},
	"gathers": {
		heads: []string{listed},
		rules: map[string][]string{
			"S": {"(relay-operator-call relay-zeros (shape 2))", "(relay-operator-call relay-take A I 0)",
				"(access-slice (access A 1) 0 0 2)", multiply + "$S $S)"},
		},
	},
	"pools": {
		heads: []string{listed},
		rules: map[string][]string{
			"S": {"(relay-operator-call relay-zeros (shape 2))", "(relay-operator-call relay-take $M I 0)"},
			"M": {"(compute reduce-max (access-windows (access (access-pad (access A 1) zero-padding 0 $P $P) 0) " +
				"(shape $N) (shape 1)))"},
			"N": {"2", "3"}, "P": {"0", "1", "2"},
		},
	},
	"stages": {
		heads: []string{long, long + "(input M (shape 4 (n 0)))\n"},
		rules: map[string][]string{
			"S": {"(compute relu $T)", "(compute relu (relay-operator-call relay-add $T $T))"},
			"T": {"(compute relu $P)", "(compute relu $L)", "(access-slice $Q 0 0 1)", multiply + "(access-slice $Q 0 1 2) " + zero + ")"},
			"P": {"(access A 1)", "(access-concatenate (access-slice (access A 1) 0 0 999) (access-slice (access B 1) 0 999 1000) 0)"},
			"L": {"(compute reduce-max (access M 1))", "(relay-operator-call relay-add $L " + zero + ")"},
			"Q": {"(compute relu (relay-operator-call relay-divide (access A 1) (access B 1)))"},
		},
	},
	"twice": {
		heads: []string{"(input A (shape 2 3))\n(input E (shape 1))\n"},
		rules: map[string][]string{
			"S": {multiply + "$T (relay-operator-call relay-erf $T))", "(compute reduce-sum (access " + multiply + "$M $F) 0))"},
			"M": {"$V", "(relay-operator-call relay-maximum $V $V)"},
			"F": {"$V", "(relay-operator-call relay-erf $V)"},
			"V": {"(compute reduce-sum (access $W 1))", "(compute reduce-sum (access (access-transpose $W (list 1 0)) 1))"},
			"T": {"(compute reduce-sum (access $W 0))", "(compute reduce-max (access $W 0))"},
			"W": {multiply + "A (access (access-windows (access (access-pad E zero-padding 0 2 2) 0) (shape 3) (shape 2)) 0))"},
		},
	},
	"axes": {
		heads: []string{"(input A (shape 2 2 2))\n"},
		rules: map[string][]string{
			"S": {"(access A 3)", "(access-transpose $S (list $P))", "(access-transpose $S (list $P))"},
			"P": {"1 2 0", "2 0 1", "0 2 1", "1 0 2", "2 1 0"},
		},
	},
	"mixed": {drawn: mixedPairs},
	"types": {
		heads: []string{"(input A (shape 2 2))\n"},
		rules: map[string][]string{
			"S": {"(access A 2)", "(relay-operator-call relay-cast $S float64)", "(access $S 1)", "(access-slice $S 0 0 1)",
				"(compute relu $S)"},
		},
		access: true,
	},
}

// hunts says which faults are looked for in a family; those that are not here, with mutants of general programs.
var hunts = map[string][]string{
	"sizes": {"absorb-unchecked", "empty-maximum", "empty-product", "least-sizes",
		"cases-dropped", "lowest-is-number", "count-dropped"},
	"places":   {"overlap-in-sum", "digits-unchecked", "cut-uncovered", "maximum-is-sum"},
	"parts":    {"parts-unlike"},
	"cells":    {"remainder-dropped"},
	"windows":  {"pinned-outside"},
	"orders":   {"negative-content", "one-order"},
	"rises":    {"falls-as-rises"},
	"narrow":   {"narrowing-rises"},
	"integers": {"minimum-in-integers", "modulus-of-bytes", "signed-relu"},
	"widths":   {"widening-distributes"},
	"axes":     {"inverse-permutation"},
	"mixed":    {"widening-forgets", "sum-of-one", "signs-kept"},
	"floats":   {"floats-as-integers", "maximum-of-floats"},
	"folds":    {"peeled-from-one", "infinity-is-least"},
	"gathers":  {"gathered-within"},
	"pools":    {"terms-gathered"},
	"stages":   {"stage-unproved", "cut-has-value", "cut-of-lowest"},
	"twice":    {"bound-captured"},
	"types":    {"types-ignored", "splits-ignored", "lengths-ignored"},
}

// huntsIn says where a fault is looked for; "" is general programs.
func huntsIn(fault string) string {
	for name, list := range hunts {
		if slices.Contains(list, fault) {
			return name
		}
	}
	return ""
}

var letter = regexp.MustCompile(`\$[A-Z]`)

// expand draws what a letter stands for.
func (f *family) expand(rng *rand.Rand, of string, depth int) string {
	choices := f.rules[of]
	text := choices[rng.IntN(len(choices))]
	if depth <= 0 && (of == "S" || of == "V") {
		text = choices[0]
	}
	return letter.ReplaceAllStringFunc(text, func(l string) string { return f.expand(rng, l[1:], depth-1) })
}

// programs draws different programs of a family that type, by declarations.
func (f *family) programs(draw uint64, n int) map[string][]*programs.Program {
	rng := rand.New(rand.NewPCG(1+draw, 0x66616d696c79))
	out := map[string][]*programs.Program{}
	seen := map[string]bool{}
	for range n {
		head := f.heads[rng.IntN(len(f.heads))]
		text := head + f.expand(rng, "S", 3)
		if seen[text] {
			continue
		}
		seen[text] = true
		if p, err := programs.Typed("program", text); err == nil {
			p.Exact = f.exact
			out[head] = append(out[head], p)
		}
	}
	return out
}

// A pair is a question that is asked of the faulty prover.
type pair struct {
	before, after *programs.Program
	access        bool
	arith         domain.Arith
}

// mixedPairs are what campaigns draw of programs that mix element types.
func mixedPairs(draw uint64) (out []pair) {
	for k := range uint64(bound) {
		p := drawMixed(mix.Spread(draw*bound + k))
		x, errX := programs.Typed("before", p.before)
		y, errY := programs.Typed("after", p.after)
		if errX == nil && errY == nil {
			out = append(out, pair{x, y, false, p.arith})
		}
	}
	return out
}

// pairs lists the questions of a family: any two programs with the same declarations.
func (f *family) pairs(draw uint64) []pair {
	var out []pair
	if f.drawn != nil {
		return f.drawn(draw)
	}
	all := f.programs(draw, 400)
	for _, head := range f.heads {
		for _, x := range all[head] {
			for _, y := range all[head] {
				if after := *y.Parsed; x != y {
					after.Assumes = nil
					z := *y
					z.Parsed = &after
					out = append(out, pair{x, &z, f.access, domain.ArithOf(f.exact)})
				}
			}
		}
	}
	rand.New(rand.NewPCG(2, 0x70616972)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), bound)]
}

// mutantPair returns the k-th general program of a draw with a mutant, if the evaluator tells them apart.
func mutantPair(draw uint64, k int) (pair, bool) {
	salt := mix.Spread(0x706c616e74 ^ mix.Spread(draw*bound+uint64(k)))
	p := programs.Random(programs.Params{MaxOps: 6}, salt)
	m := programs.Mutate(p, p.Seed)
	if m == nil || !Judge(p.Typed(), m.Typed(), domain.ArithOf(p.Exact), 300, p.Seed).Apart {
		return pair{}, false
	}
	return pair{p, m.Program, false, domain.ArithOf(p.Exact)}, true
}

func (p pair) options() equiv.Options {
	opts := smallOptions(p.before)
	opts.Arith = p.arith
	if p.access {
		opts.Equal = equiv.Access
	}
	return opts
}

// wrongly reports whether the prover with a fault proves a pair that is refuted without.
func (p pair) wrongly(fault string) bool {
	remove := faults.Plant(fault)
	proved, err := equiv.Prove(context.Background(), equiv.Question{Before: language.Of(p.before.Parsed), After: language.Of(p.after.Parsed)}, p.options())
	remove()
	if err != nil || !proved {
		return false
	}
	r, err := equiv.Check(context.Background(), equiv.Question{Before: language.Of(p.before.Parsed), After: language.Of(p.after.Parsed)}, p.options())
	return err == nil && r.Verdict == equiv.Refuted
}

// A hunt looks for faults in one draw of programs.
type hunt struct {
	draw      uint64
	questions map[string][]pair // by family, as far as they are made
}

func newHunt(draw uint64) *hunt { return &hunt{draw, map[string][]pair{}} }

// find returns the first question that the prover with a fault answers wrongly, or less than 0, and how many there are.
func (h *hunt) find(fault string) (at, of int) {
	family := huntsIn(fault)
	if h.questions[family] == nil && family != "" {
		h.questions[family] = families[family].pairs(h.draw)
	}
	for k := range bound {
		if family == "" && k >= len(h.questions[""]) {
			p, _ := mutantPair(h.draw, k)
			h.questions[""] = append(h.questions[""], p)
		}
		if k >= len(h.questions[family]) {
			break
		}
		if p := h.questions[family][k]; p.before != nil && p.wrongly(fault) {
			return k, len(h.questions[family])
		}
	}
	return -1, len(h.questions[family])
}

// faultNames reads the list of faults, and asks that all that are hunted for in a family are on it.
func faultNames(t *testing.T) []string {
	list, err := faults.Read("../testdata/planted/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	for family, names := range hunts {
		for _, f := range names {
			if families[family] == nil || !slices.Contains(list.Names, f) {
				t.Errorf("there is no fault %s or no family %s", f, family)
			}
		}
	}
	return list.Names
}

// TestPlantedFaults runs in a build with the faults ("make planted"), plants each in the prover, the checker being
// off, and hunts for it: within the bound there is a pair that the faulty prover proves and that the evaluator tells
// apart.
func TestPlantedFaults(t *testing.T) {
	h := newHunt(0)
	for _, f := range faultNames(t) {
		t.Run(f, func(t *testing.T) {
			if at, of := h.find(f); at < 0 {
				t.Errorf("not found in %d cases (%s)", of, huntsIn(f))
			} else {
				t.Logf("found in case %d of at most %d (%s)", at, bound, huntsIn(f))
			}
		})
	}
}

// TestStressFaults hunts for each fault in other draws of programs. Some are rare: one draw of them has to find each.
func TestStressFaults(t *testing.T) {
	part := tier.Stress(t)
	var draws []*hunt
	for draw := range uint64(8) {
		draws = append(draws, newHunt(draw+1))
	}
	for i, f := range faultNames(t) {
		if !part.Has(i) {
			continue
		}
		t.Run(f, func(t *testing.T) {
			found := 0
			for _, h := range draws {
				at, of := h.find(f)
				if at >= 0 {
					found++
				}
				t.Logf("draw %d: case %d of %d", h.draw, at, of)
			}
			if found == 0 {
				t.Error("not found")
			}
		})
	}
}
