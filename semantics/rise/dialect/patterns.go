package dialect

import (
	"strings"

	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
)

// A pattern is an operation without operands that is a function.
type pattern struct {
	attrs []string // in the order of the pretty form; n, m, l, r, sz, sp are numbers, s and t types
	typ   func(g *given) *typ
	core  string // the pattern of the core; empty: see core.go
	sizes []string
}

// A given has the attributes of a pattern.
type given struct {
	nats  map[string]int64
	types map[string]*typ
}

func (g *given) array(n string, of *typ) *typ { return arrayOf(g.nats[n], of) }

// patterns are the operations that are patterns, by name.
var patterns = func() map[string]*pattern {
	out := map[string]*pattern{}
	add := func(names, attrs string, core string, t func(g *given, s, t *typ) *typ, sizes ...string) {
		for _, name := range strings.Fields(names) {
			out[name] = &pattern{strings.Fields(attrs), func(g *given) *typ { return t(g, g.types["s"], g.types["t"]) }, core, sizes}
		}
	}
	add("map mapSeq mapPar", "n s t", "map", func(g *given, s, t *typ) *typ {
		return function(function(s, t), g.array("n", s), g.array("n", t))
	})
	add("reduce reduceSeq", "n s t", "", func(g *given, s, t *typ) *typ {
		return function(function(s, t, t), t, g.array("n", s), t)
	})
	add("zip", "n s t", "zip", func(g *given, s, t *typ) *typ {
		return function(g.array("n", s), g.array("n", t), g.array("n", pairOf(s, t)))
	})
	add("tuple", "s t", "makePair", func(_ *given, s, t *typ) *typ { return function(s, t, pairOf(s, t)) })
	add("fst", "s t", "fst", func(_ *given, s, t *typ) *typ { return function(pairOf(s, t), s) })
	add("snd", "s t", "snd", func(_ *given, s, t *typ) *typ { return function(pairOf(s, t), t) })
	add("transpose", "n m t", "transpose", func(g *given, _, t *typ) *typ {
		return function(g.array("n", g.array("m", t)), g.array("m", g.array("n", t)))
	})
	add("split", "n m t", "split", func(g *given, _, t *typ) *typ {
		return function(arrayOf(g.nats["n"]*g.nats["m"], t), g.array("m", g.array("n", t)))
	}, "n")
	add("join", "n m t", "join", func(g *given, _, t *typ) *typ {
		return function(g.array("n", g.array("m", t)), arrayOf(g.nats["n"]*g.nats["m"], t))
	})
	add("slide", "n sz sp t", "slide", func(g *given, _, t *typ) *typ {
		return function(arrayOf((g.nats["n"]-1)*g.nats["sp"]+g.nats["sz"], t), g.array("n", g.array("sz", t)))
	}, "sz", "sp")
	add("pad", "n l r t", "padClamp", func(g *given, _, t *typ) *typ {
		return function(g.array("n", t), arrayOf(g.nats["l"]+g.nats["n"]+g.nats["r"], t))
	}, "l", "r")
	add("add mult", "t", "add", func(_ *given, _, t *typ) *typ {
		return &typ{curried: function(t, t, t), paired: function(pairOf(t, t), t)}
	})
	out["mult"] = &pattern{out["mult"].attrs, out["mult"].typ, "mult", nil}
	return out
}()

// least are numbers that attributes are at least, where that is not 0.
var least = map[string]int64{"split n": 1, "slide n": 1, "slide sp": 1, "pad n": 1}

// given takes the attributes of a pattern; what is missing or of another kind is told.
func (e *elaboration) given(op *operation, pt *pattern) *given {
	g := &given{map[string]int64{}, map[string]*typ{}}
	names := e.attributeNames(op, pt)
	named := map[string]*attr{}
	for name, a := range op.attrs {
		if name == "s" && len(names) == 1 {
			name = "t" // of add and mult
		}
		named[name] = a
	}
	if len(op.order) > len(names) {
		e.fault(op.order[len(names)].span, "wrong-arity", "%s is given %s", op.name, strings.Join(names, " "))
		op.order = op.order[:len(names)]
	}
	for i, a := range op.order {
		named[names[i]] = a
	}
	for _, name := range names {
		a, isNat := named[name], !(name == "s" || name == "t")
		delete(named, name)
		g.types[name] = fresh()
		switch {
		case a == nil:
			e.fault(op.at, "wrong-arity", "%s is given %s: %s is missing", op.name, strings.Join(names, " "), name)
		case isNat && a.nat == nil || !isNat && a.typ == nil || a.value != nil:
			e.fault(a.span, "type-mismatch", "%s of %s is %s, not %s", name, op.name,
				map[bool]string{true: "a number, #rise.nat<..>", false: "a type of data"}[isNat], a.span.Text())
		case isNat:
			if g.nats[name] = *a.nat; *a.nat < least[op.name+" "+name] {
				e.fault(a.span, "bad-size", "%s of %s is at least %d", name, op.name, least[op.name+" "+name])
			}
		case a.typ.found().kind == fun:
			e.fault(a.span, "type-mismatch", "%s of %s is a type of data, and %s is one of functions", name, op.name, a.typ)
		default:
			g.types[name] = a.typ
		}
	}
	if len(names) == 2 && op.name == "reduce" {
		g.types["s"] = g.types["t"]
	}
	e.unknownAttributes(op, named)
	return g
}

// attributeNames are those that a pattern has: reduce has n t too, where elements are what is folded.
func (e *elaboration) attributeNames(op *operation, pt *pattern) []string {
	if op.name == "reduce" && (op.attrs["s"] == nil && len(op.order) == 0 || len(op.order) == 2) {
		return []string{"n", "t"}
	}
	return pt.attrs
}

// unknownAttributes tells of those that an operation does not have; to says how a loop is to be made, and nothing else.
func (e *elaboration) unknownAttributes(op *operation, rest map[string]*attr) {
	for name, a := range rest {
		loops := op.name == "map" || op.name == "mapSeq" || op.name == "mapPar" || op.name == "reduce" || op.name == "reduceSeq"
		if name == "to" && loops && (a.text == "affine" || a.text == "scf" || a.text == "loop") {
			continue
		}
		e.fault(a.span, "bad-syntax", "%s has no attribute %s of this kind", op.name, name)
	}
}

// of is the function that a pattern is, in the core.
func (pt *pattern) of(op *operation, g *given, t *syntax.Type) *syntax.Core {
	c := &syntax.Core{Form: syntax.Pattern, Name: pt.core, Type: t, Span: op.at}
	if pt.core == "" {
		return folding(c)
	}
	for _, name := range pt.sizes {
		c.Given = append(c.Given, domain.IntSize(g.nats[name]))
	}
	return c
}
