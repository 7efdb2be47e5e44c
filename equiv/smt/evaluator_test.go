package smt

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"tv/glenside"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/glenside/lower"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// scalarTypes are element types of every kind, narrow and wide; the empty one stands for the reals.
var scalarTypes = []string{"", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"float16", "bfloat16", "float32", "float64", "sat8", "sat16", "sat32", "fix8.0", "fix8.3", "fix16.8", "fix32.30"}

// wideIntegers are those whose roots take a solver long: it has to find each.
var wideIntegers = map[string]bool{"int32": true, "int64": true, "uint32": true, "uint64": true, "sat32": true,
	"fix32.30": true, "fix16.8": true}

// scalarPrograms have each operation that a formula may have, with A, B and C of one type; TYPE is another.
var scalarPrograms = []string{
	"(relay-operator-call relay-add (access A 1) (access B 1))",
	"(relay-operator-call relay-multiply (access A 1) (access B 1))",
	"(relay-operator-call relay-divide (access A 1) (access B 1))",
	"(relay-operator-call relay-maximum (access A 1) (access B 1))",
	"(relay-operator-call relay-minimum (access A 1) (access B 1))",
	"(relay-operator-call relay-add (access A 1) (relay-operator-call relay-negative (access B 1)))",
	"(relay-operator-call relay-relu (access A 1))",
	"(relay-operator-call relay-leaky-relu (access A 1) 2)",
	"(relay-operator-call relay-leaky-relu (access A 1) 0.25)",
	"(relay-operator-call relay-clip (access A 1) 0 3)",
	"(relay-operator-call relay-left-shift (access A 1) 3)",
	"(relay-operator-call relay-left-shift (access A 1) 8)",
	"(relay-operator-call relay-right-shift (access A 1) 2)",
	"(relay-operator-call relay-right-shift (access A 1) 31)",
	"(relay-operator-call relay-round (access A 1))",
	"(relay-operator-call relay-round (relay-operator-call relay-multiply (access A 1) (access-literal (literal 0.25))))",
	"(relay-operator-call relay-sqrt (access A 1))",
	"(relay-operator-call relay-cast (access A 1) TYPE)",
	"(relay-operator-call relay-cast (access A 1) bool)",
	"(relay-operator-call relay-add (access A 1) (access-literal (literal 1)))",
	"(relay-operator-call relay-mean (access A 1) 0)",
	"(relay-operator-call relay-divide (relay-operator-call relay-relu (access A 1)) (relay-operator-call relay-clip (access B 1) 0 1))",
	"(compute reduce-sum (access A 0))",
	"(compute reduce-max (access A 0))",
	"(compute reduce-mean (access A 0))",
	"(compute negative (access A 1))",
	"(compute dot-product (access-pair (access A 0) (access B 0)))",
	"(compute elementwise-mul (access-pair (access A 0) (access B 0)))",
	"(compute reduce-max (access-pad (access A 0) min-padding 0 1 1))",
	"(compute reduce-max (access-windows (access-pad (access A 0) min-padding 0 1 1) (shape 2) (shape 1)))",
}

// samplesOf are the values with which a program is tried: of each mode, so many.
const samplesOf = 3

// TestEvaluator holds formulas against the reference evaluator, at constants. What it says an element is the formula must
// say too: a solver that is told that it is another finds no model. Where it has no value the formula must not be
// defined. And a solver that is told of a wrong value finds a model, so that the formulas are not false by themselves.
func TestEvaluator(t *testing.T) {
	var mu sync.Mutex
	asked, skipped := map[string]int{}, map[string]int{}
	values, undefined := 0, 0
	t.Run("programs", func(t *testing.T) {
		n := 0
		for i, typ := range scalarTypes {
			for _, text := range scalarTexts(typ) {
				if n++; n%tier.Draw(8, 3, 1) != 0 {
					continue
				}
				t.Run(cmp.Or(typ, "real"), func(t *testing.T) {
					t.Parallel()
					v, u, ok := againstEvaluator(t, text, arithOf(typ), uint64(i))
					mu.Lock()
					defer mu.Unlock()
					if values, undefined = values+v, undefined+u; ok {
						asked[typ]++
					} else {
						skipped[typ]++
					}
				})
			}
		}
	})
	t.Logf("%d values, %d without; programs by type %v, without a formula %v", values, undefined, asked, skipped)
	for _, typ := range scalarTypes {
		if asked[typ] < tier.Draw(1, 5, 15) {
			t.Errorf("%q: %d programs have formulas", typ, asked[typ])
		}
	}
}

// arithOf is what programs on inputs of a type are asked in.
func arithOf(typ string) value.Arith {
	if typ == "" {
		return value.Real
	}
	return value.Exact
}

// TestConversions holds formulas of conversions between real numbers and exact types against the evaluator, each element type
// by itself, on all that is drawn of the types and of fractions.
func TestConversions(t *testing.T) {
	for i, typ := range scalarTypes[1:] {
		elem, _ := domain.ParseElem(typ)
		if elem.Kind == domain.ElemFloat || elem.Width > tier.Draw(8, 16, 32) { // a solver takes long to add up many bits
			continue
		}
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{
				"(input A (shape 3) %s) (relay-operator-call relay-cast A float32)",
				"(input A (shape 3)) (relay-operator-call relay-cast A %s)",
				"(input A (shape 3)) (relay-operator-call relay-cast (relay-operator-call relay-divide A (access-literal 100000)) %s)",
				"(input A (shape 3)) (relay-operator-call relay-cast (relay-operator-call relay-divide A (access-literal 60000)) %s)",
				"(input A (shape 3)) (relay-operator-call relay-cast (compute reduce-max (access-pad (access A 1) min-padding 0 1 0)) %s)",
				"(input A (shape 3)) (relay-operator-call relay-cast (access-pad (access A 1) min-padding 0 1 0) %s)",
			} {
				values, undefined, ok := againstEvaluator(t, fmt.Sprintf(text, typ), value.Auto, uint64(i))
				if !ok || values+undefined == 0 {
					t.Errorf("%s of %s has no formula", text, typ)
				}
			}
		})
	}
}

// scalarTexts are the programs on inputs of a type, those that name a type with each.
func scalarTexts(typ string) []string {
	var out []string
	for _, text := range scalarPrograms {
		if strings.Contains(text, "relay-sqrt") && wideIntegers[typ] {
			continue
		}
		kinds := []string{""}
		if strings.Contains(text, "TYPE") {
			kinds = scalarTypes[1:]
		}
		for _, kind := range kinds {
			text := strings.ReplaceAll(text, "TYPE", kind)
			for _, name := range []string{"A", "B"} {
				text = fmt.Sprintf("(input %s (shape 3) %s)\n", name, typ) + text
			}
			out = append(out, text)
		}
	}
	return out
}

// weak tells whether a constant stands for what a formula does not say, such as the value of a function without laws: it
// may be anything. (A root is said by an axiom.)
func weak(c constant) bool {
	return strings.Contains(c.name, " of ") && !strings.HasPrefix(c.name, "sqrt of t") || strings.Contains(c.name, " as ")
}

// againstEvaluator compares an element of a program with what the evaluator says, and returns how many have a value and
// how many have none; ok is false where the program is ill typed or an element has no formula that says all of it.
func againstEvaluator(t *testing.T, text string, arith value.Arith, seed uint64) (values, undefined int, ok bool) {
	t.Helper()
	p, err := glenside.Parse(source.NewFile("p", text))
	if err != nil {
		t.Fatal(err)
	}
	env, err := glenside.MergeEnv([]*glenside.Program{p})
	if err != nil {
		t.Fatal(err)
	}
	ty, err := glenside.Check(p, env)
	if err != nil {
		return 0, 0, false
	}
	q, wrong := newQuery(), newQuery()
	all, some := q.truth(false), wrong.truth(false)
	for mode := value.Small; mode <= value.Extremes; mode++ {
		for k := range uint64(samplesOf) {
			in := value.Random(seed*100+k, arith, mode, ty.Tensors)
			ev, err := eval.New(ty, arith, nil, in)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			want, wantErr := ev.Element(nil, make([]int64, len(ev.Dims(nil))))
			var symbol *value.UninterpretedError
			if errors.As(wantErr, &symbol) || errors.Is(wantErr, value.ErrUndecided) {
				continue
			}
			if _, exact := want.Rat(); wantErr == nil && arith != value.Exact && !exact { // MIN, or a number that is no fraction
				continue
			}
			differs := func(q *Query, change bool) (*form, error) {
				f, err := atConstants(q, ty, in, arith)
				switch {
				case err != nil:
					return nil, err
				case wantErr != nil:
					return f.defined, nil
				case f.lowest:
					return q.truth(true), nil
				}
				same := q.equal(f.value, constantOf(q, f.value.sort, want, change))
				return q.not(q.and(f.defined, same)), nil
			}
			d, err := differs(q, false)
			if errors.Is(err, ErrUnsupported) {
				return 0, 0, false
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if slices.ContainsFunc(q.constants, weak) {
				return 0, 0, false
			}
			all = q.or(all, d)
			if wantErr != nil {
				undefined++
				continue
			}
			values++
			if some.op == "false" {
				if some, err = differs(wrong, true); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, ask := range []struct {
		q    *Query
		goal *form
		want Answer
	}{{q, all, Valid}, {wrong, some, Counterexample}} {
		if ask.q == wrong && values == 0 {
			break
		}
		ask.q.assert(ask.goal)
		if r := Decide(t.Context(), ask.q, Options{}); r.Answer != ask.want {
			t.Errorf("%s\nat constants: %s (%s %s), want %s\n%s", text, r.Answer, r.Reason, r.Detail, ask.want, ask.q.Script())
		}
	}
	return values, undefined, true
}

// atConstants makes the formula of the first element of a program whose inputs are given.
func atConstants(q *Query, ty *glenside.Typing, in value.Inputs, arith value.Arith) (formed, error) {
	b := term.NewBuilder()
	p, err := lower.Lower(b, ty, lower.Options{Arith: arith})
	if err != nil {
		return formed{}, err
	}
	a := p.Components[0].Array
	at := make([]*index.Expr, len(a.Dims))
	for i := range at {
		at[i] = b.Index.Const(0)
	}
	x := newTranslation(q, b, b.Index.Root(), 1000, nil)
	t, err := x.u.at(a.Element(b.Index.Root(), at), nil)
	if err != nil {
		return formed{}, err
	}
	seen := map[*term.Term]bool{}
	var read func(t *term.Term) error
	read = func(t *term.Term) error {
		if seen[t] {
			return nil
		}
		seen[t] = true
		if t.Op == term.Read {
			n, _ := t.Index[0].Const()
			k, _ := n.Int64()
			s, err := sortOf(t.Sort)
			if err != nil {
				return err
			}
			x.reads[readKey{t.Tensor, t.Index[0]}] = constantOf(q, s, in.Element(t.Tensor.Name, k), false)
		}
		for _, a := range t.Args {
			if err := read(a); err != nil {
				return err
			}
		}
		return nil
	}
	if err := read(t); err != nil {
		return formed{}, err
	}
	return x.term(t)
}

// constantOf is a value of the evaluator as a formula, or another one of its sort.
func constantOf(q *Query, s sort, v value.Value, change bool) *form {
	if s.kind == 'r' {
		r, _ := v.Rat()
		if change {
			r.Add(r, big.NewRat(1, 1))
		}
		return q.rational(r)
	}
	n, _ := v.Bits()
	if change {
		n ^= 1
	}
	bits := new(big.Int).SetUint64(n)
	if s.kind == 'f' {
		if r, number := v.Rat(); change && (!number || r.Sign() == 0) {
			return q.float(s, floatBits(s, big.NewRat(1, 1)))
		}
		return q.float(s, bits)
	}
	return q.word(s.n, bits)
}
