package cells

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/sexpr"
	"tv/semantics/bits/word"
)

// terms makes words of the terms of one cell. All are words, truth too.
//
//	NAME                      a pin, parameter, register or let
//	(NAME BIT), (NAME H L)    bits of it
//	#b01, #x0f, (bv N WIDTH)  constants
//	(lookup T I0 I1 ..)       bit {.., I1, I0} of T
//	(mux C A B)               C ? A : B
//	(choose PARAM ("TEXT" TERM).. (else TERM))  by what the parameter is
//	(param= PARAM "TEXT"..)   1 if the parameter is one of the texts
//	(zext WIDTH A), (sext WIDTH A), (concat A ..), (repeat N A), (not A), (bvadd A B) and other operations of SMT-LIB 2
type terms struct {
	cell  *Cell
	b     *word.Builder
	names map[string]*word.Word
	bound map[string]*big.Int
}

func (t *terms) require(x *sexpr.Form, ok bool, format string, args ...any) {
	must(x, ok, t.cell.Name+": "+format, args...)
}

func (t *terms) number(x *sexpr.Form) int { return integer(x) }

// operations are those that words have, by name.
var operations = map[string]word.Op{
	"bvnot": word.Not, "bvneg": word.Neg, "bvand": word.And, "bvor": word.Or, "bvxor": word.Xor, "bvadd": word.Add, "bvsub": word.Sub,
	"bvmul": word.Mul, "=": word.Eq, "bvult": word.ULT, "bvslt": word.SLT, "concat": word.Concat, "mux": word.Ite,
	"bvshl": word.Shl, "bvlshr": word.LShr, "bvashr": word.AShr,
}

func (t *terms) term(x *sexpr.Form) *word.Word { return t.b.Simplify(t.raw(x)) }

func (t *terms) raw(x *sexpr.Form) *word.Word {
	if !x.IsList {
		if strings.HasPrefix(x.Atom, "#") {
			per := map[byte]int{'b': 1, 'x': 4}[x.Atom[1]]
			return t.b.Const(per*(len(x.Atom)-2), constant(x))
		}
		w := t.names[x.Atom]
		t.require(x, w != nil, "nothing is named %s", x.Atom)
		return w
	}
	head, rest := x.Head(), x.List[1:]
	if w := t.names[head]; w != nil {
		hi := integer(rest[0])
		lo := hi
		if len(rest) > 1 {
			lo = integer(rest[1])
		}
		return t.b.Extract(w, hi, lo)
	}
	switch head {
	case "bv":
		return t.b.Const(integer(rest[1]), constant(rest[0]))
	case "zext":
		return t.b.Extend(word.ZeroExt, t.term(rest[1]), integer(rest[0]))
	case "sext":
		return t.b.Extend(word.SignExt, t.term(rest[1]), integer(rest[0]))
	case "repeat":
		return t.b.Concat(slices.Repeat([]*word.Word{t.term(rest[1])}, integer(rest[0]))...)
	case "lookup":
		table := t.term(rest[0])
		var address []*word.Word
		for _, a := range rest[1:] {
			address = append(address, t.term(a))
		}
		t.require(x, table.Width == 1<<len(address), "a table of %d bits for %d inputs", table.Width, len(address))
		if table.Op == word.Const {
			return t.b.Lookup(table.Value, address...)
		}
		return t.selected(table, address)
	case "param=":
		return t.b.Bool(slices.ContainsFunc(rest[1:], func(y *sexpr.Form) bool { return y.Atom == t.text(rest[0]) }))
	case "choose":
		return t.term(t.choice(x))
	}
	op, ok := operations[head]
	t.require(x, ok, "no operation %s", head)
	args := make([]*word.Word, len(rest))
	for i, a := range rest {
		args[i] = t.term(a)
	}
	return t.b.Apply(op, args...)
}

// choice is what (choose PARAM ("TEXT" X).. (else X)) chooses.
func (t *terms) choice(x *sexpr.Form) *sexpr.Form {
	text := t.text(x.List[1])
	for _, y := range x.List[2:] {
		if y.List[0].Atom == text || !y.List[0].Quoted && y.List[0].Atom == "else" {
			return y.List[1]
		}
	}
	t.require(x, false, "no choice for %s", text)
	return nil
}

// selected is the bit of a word that is not constant: the highest input chooses between halves.
func (t *terms) selected(table *word.Word, address []*word.Word) *word.Word {
	n := len(address) - 1
	if n < 0 {
		return table
	}
	half := table.Width / 2
	yes := t.selected(t.b.Simplify(t.b.Extract(table, table.Width-1, half)), address[:n])
	no := t.selected(t.b.Simplify(t.b.Extract(table, half-1, 0)), address[:n])
	return t.b.Apply(word.Ite, address[n], yes, no)
}

// text is what a parameter of texts is.
func (t *terms) text(x *sexpr.Form) string {
	for _, p := range t.cell.Params {
		if p.Name == x.Atom {
			return p.Texts[t.bound[p.Name].Int64()]
		}
	}
	t.require(x, false, "no parameter %s", x.Atom)
	return ""
}

// target is the place of (PIN H L), or of PIN whole, among the bits of the outputs.
func (t *terms) target(x *sexpr.Form) (at, width int) {
	name := x.Atom
	if x.IsList {
		name = x.List[0].Atom
	}
	if r, ok := t.cell.rows[name]; ok && !x.IsList {
		return Offset(t.cell.Outputs, name+"0"), r.width
	}
	p := t.cell.Output(name)
	t.require(x, p != nil, "no output %s", name)
	at, width = Offset(t.cell.Outputs, name), p.Width
	if x.IsList {
		hi, lo := integer(x.List[1]), integer(x.List[len(x.List)-1])
		t.require(x, lo <= hi && hi < p.Width, "bits of %s", name)
		return at + lo, hi - lo + 1
	}
	return at, width
}
