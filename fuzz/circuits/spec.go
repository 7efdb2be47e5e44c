package circuits

import (
	"fmt"
	"math/big"
	"strings"

	"tv/semantics/bits/word"
)

// Specification writes words as a specification over bit-vectors (.bv), whose outputs are late by so many cycles: all inputs that the words
// read are those of so many cycles ago. ok is false where they are not, or a word is none of SMT-LIB's.
func Specification(inputs []Port, names []string, words []*word.Word) (text string, latency int, ok bool) {
	latency = -1
	for _, w := range word.Reach(words...) {
		switch {
		case w.Op == word.Input && latency >= 0 && latency != w.Delay, w.Op == word.State, w.Op == word.Open:
			return "", 0, false
		case w.Op == word.Input:
			latency = w.Delay
		}
	}
	latency = max(latency, 0)
	var b strings.Builder
	b.WriteString("(spec")
	for _, p := range inputs {
		fmt.Fprintf(&b, " (in %s %d)", p.Name, p.Width)
	}
	if latency > 0 {
		fmt.Fprintf(&b, " (latency %d)", latency)
	}
	for i, w := range words {
		term, ok := written(w)
		if !ok {
			return "", 0, false
		}
		fmt.Fprintf(&b, "\n  (out %s %d %s)", names[i], w.Width, term)
	}
	b.WriteString(")\n")
	return b.String(), latency, true
}

// written is a word as a term: each part has a name, as it may be read many times.
func written(root *word.Word) (string, bool) {
	names := map[*word.Word]string{}
	var lets strings.Builder
	count := 0
	for _, w := range word.Reach(root) {
		switch w.Op {
		case word.Const:
			names[w] = number(w.Value, w.Width)
			continue
		case word.Input:
			names[w] = w.Name
			continue
		}
		args := make([]string, len(w.Args))
		for i, a := range w.Args {
			args[i] = names[a]
		}
		term, ok := operation(w, args)
		if !ok {
			return "", false
		}
		count++
		names[w] = fmt.Sprintf("_%d", count)
		fmt.Fprintf(&lets, "(let ((%s %s))\n    ", names[w], term)
	}
	return lets.String() + names[root] + strings.Repeat(")", count), true
}

func number(v *big.Int, width int) string { return fmt.Sprintf("(_ bv%s %d)", v, width) }

// operation is what a word computes of terms. A bit that is a truth is a word of one bit.
func operation(w *word.Word, args []string) (string, bool) {
	all := strings.Join(args, " ")
	of := func(i int) int { return w.Args[i].Width }
	switch w.Op {
	case word.Not, word.Neg, word.And, word.Or, word.Xor, word.Add, word.Mul, word.Sub, word.UDiv, word.URem, word.SDiv, word.SRem, word.SMod, word.Concat:
		return fmt.Sprintf("(%s %s)", w.Op, all), true
	case word.Shl, word.LShr, word.AShr:
		if of(1) > of(0) {
			return "", false
		}
		return fmt.Sprintf("(%s %s ((_ zero_extend %d) %s))", w.Op, args[0], of(0)-of(1), args[1]), true
	case word.Eq:
		return fmt.Sprintf("(bvcomp %s)", all), true
	case word.ULT, word.ULE, word.SLT, word.SLE:
		return fmt.Sprintf("(bool->bitvector (%s %s))", w.Op, all), true
	case word.Ite:
		return fmt.Sprintf("(ite (bitvector->bool %s) %s %s)", args[0], args[1], args[2]), true
	case word.Extract:
		return fmt.Sprintf("((_ extract %d %d) %s)", w.Hi, w.Lo, all), true
	case word.ZeroExt, word.SignExt:
		return fmt.Sprintf("((_ %s %d) %s)", w.Op, w.Width-of(0), all), true
	case word.RedAnd:
		return fmt.Sprintf("(bvcomp %s %s)", all, number(word.Mod(big.NewInt(-1), of(0)), of(0))), true
	case word.RedOr:
		return fmt.Sprintf("(bool->bitvector (bitvector->bool %s))", all), true
	case word.Lookup: // the first input is the lowest digit of the place
		at := args[0]
		for _, a := range args[1:] {
			at = fmt.Sprintf("(concat %s %s)", a, at)
		}
		wide := 1 << len(args)
		return fmt.Sprintf("((_ extract 0 0) (bvlshr %s ((_ zero_extend %d) %s)))", number(w.Value, wide), wide-len(args), at), true
	}
	return "", false
}
