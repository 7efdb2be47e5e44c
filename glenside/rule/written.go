package rule

import (
	"fmt"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// asWritten prints a right side that has no meaning in a case: a program that is ill formed beside the left side's, so
// that whoever replays the case sees that. Each block is one axis. It is "" where a part has no value to print.
func (e *elaborator) asWritten(before string) (text string) {
	e.right = true
	out := attempt(func() { text = e.written(e.rule.RHS) + "\n" })
	e.right = false
	if out.stopped() || out.bad != "" || !IllFormed(before, text) {
		return ""
	}
	return text
}

// IllFormed tells whether a program has no type beside one that declares its inputs.
func IllFormed(before, after string) bool {
	p, err := glenside.Parse(source.NewFile("", before))
	if err != nil {
		return false
	}
	q, err := glenside.Parse(source.NewFile("", after))
	if err != nil {
		return false
	}
	env, err := glenside.MergeEnv([]*glenside.Program{p, q})
	if err != nil {
		return false
	}
	_, err = glenside.Check(q, env)
	return err != nil && !glenside.Unsupported(err)
}

// written prints an expression with the values that its integers, lists and shapes have in the case.
func (e *elaborator) written(x *Expr) string {
	switch {
	case x.Kind == Tensor:
		return e.variable(x).text
	case x.Kind == Call:
		op := x.Op
		if op == nil {
			op = glenside.LookupSpelling(x.category, e.token(x.Text))
		}
		parts := []string{op.Head()}
		for _, a := range x.Args {
			parts = append(parts, e.written(a))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case x.Kind == Number || x.Kind == Token:
		return x.Text
	case x.Kind == TokenName:
		return e.token(x.Text)
	case x.Kind == Access || x.Kind == AccessOf:
		segs, split := e.ashape(x)
		return fmt.Sprintf("(access-shape %s %s)", shapeText(segs[:split]), shapeText(segs[split:]))
	case x.Kind == Shape || x.Kind == ShapeOp:
		return shapeText(e.shape(x))
	case isList(x):
		words := []string{"list"}
		for _, r := range e.list(x) {
			lo, okLo := oneAxis(r.lo).Int64()
			hi, okHi := oneAxis(r.hi).Int64()
			if !okLo || !okHi {
				panic(noValue{"a list of sizes"})
			}
			for n := lo; n < hi; n++ {
				words = append(words, fmt.Sprint(n))
			}
		}
		return "(" + strings.Join(words, " ") + ")"
	}
	return oneAxis(e.int(x)).String()
}

// oneAxis puts 1 for the number of dims of each block.
func oneAxis(x domain.Size) domain.Size {
	by := map[string]domain.Size{}
	for _, name := range x.Names() {
		if isRank(name) {
			by[name] = domain.IntSize(1)
		}
	}
	return x.Subst(by)
}
