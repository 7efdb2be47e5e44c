package rise

import (
	"maps"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// A scheme is the type of a pattern, with the naturals that are given first. Names of sizes are
// those before points, all others are types.
type scheme struct {
	nats string
	typ  string
	// asks are conditions on these sizes, which have to be naturals besides; code is that of what
	// is not so.
	asks  func(sizes map[string]size) []*domain.Pred
	code  string
	state func(l *lowering, in *pattern, a []*value) *value
}

// A pattern is one at a place of a text: what the names of its type are there.
type pattern struct {
	*scheme
	name  string
	sizes map[string]size
	types map[string]*typ
	arity int  // of what it is applied to, without naturals
	taken bool // it takes the two components of a pair
}

// atLeast says that a size is at least n.
func atLeast(n int64, name string) func(map[string]size) []*domain.Pred {
	return func(sizes map[string]size) []*domain.Pred {
		return []*domain.Pred{domain.Le(domain.IntSize(n), sizes[name])}
	}
}

var schemes = sync.OnceValue(func() map[string]*scheme {
	mapped := scheme{typ: "(s -> t) -> n.s -> n.t", state: stateMap}
	same := scheme{typ: "t -> t", state: stateSame}
	chunks := scheme{nats: "n", typ: "(m*n).t -> m.n.t", state: stateSplit, asks: atLeast(1, "n"),
		code: "not-divisible"}
	flat := scheme{typ: "n.m.t -> (n*m).t", state: stateJoin}
	clamped := scheme{nats: "l r", typ: "n.t -> (l+n+r).t", state: statePadClamp,
		asks: atLeast(1, "n"), code: "zero-size"}
	two := scheme{typ: "t -> t -> t", state: stateScalar}
	list := map[string]scheme{
		"map": mapped, "mapSeq": mapped, "mapPar": mapped, "mapSeqUnroll": mapped,
		"zip":      {typ: "n.s -> n.t -> n.(s, t)", state: stateZip},
		"unzip":    {typ: "n.(s, t) -> (n.s, n.t)", state: stateUnzip},
		"fst":      {typ: "(s, t) -> s", state: stateFirst},
		"snd":      {typ: "(s, t) -> t", state: stateSecond},
		"makePair": {typ: "s -> t -> (s, t)", state: statePair},
		"mapFst":   {typ: "(s -> u) -> (s, t) -> (u, t)", state: stateMapFirst},
		"mapSnd":   {typ: "(t -> u) -> (s, t) -> (s, u)", state: stateMapSecond},

		"reduce":    {typ: "(t -> t -> t) -> t -> n.t -> t", state: stateReduce},
		"reduceSeq": {typ: "(t -> s -> t) -> t -> n.s -> t", state: stateReduce},
		"scanSeq":   {typ: "(s -> t -> t) -> t -> n.s -> n.t", state: stateScan},
		// of operations, which no text can name
		"rise.reduce": {typ: "(s -> t -> t) -> t -> n.s -> t", state: stateReduceElements},

		"transpose": {typ: "n.m.t -> m.n.t", state: stateTranspose},
		"split":     chunks, "asVector": chunks, "join": flat, "asScalar": flat,
		"slide": {nats: "sz sp", typ: "(sp*n+sz).t -> (1+n).sz.t", state: stateSlide,
			asks: atLeast(1, "sp"), code: "bad-stride"},
		"padClamp": clamped, "pad": clamped,
		"padCst":   {nats: "l r", typ: "t -> n.t -> (l+n+r).t", state: statePadConst},
		"padEmpty": {nats: "r", typ: "n.t -> (n+r).t", state: statePadEmpty},
		"take":     {nats: "n", typ: "(n+m).t -> n.t", state: stateTake, code: "slice-bounds"},
		"drop":     {nats: "n", typ: "(n+m).t -> m.t", state: stateDrop, code: "slice-bounds"},
		"concat":   {typ: "n.t -> m.t -> (n+m).t", state: stateConcat},
		"generate": {nats: "n", typ: "(nat -> t) -> n.t", state: stateGenerate},
		"idx":      {typ: "i -> n.t -> t", state: stateIdx},
		"gather":   {typ: "m.i -> n.t -> m.t", state: stateGather},
		"scatter":  {typ: "n.i -> n.t -> n.t", state: stateScatter},
		"reorder": {nats: "n", typ: "(nat -> nat) -> (nat -> nat) -> n.t -> n.t",
			state: stateReorder},

		"let": {typ: "s -> (s -> t) -> t", state: stateLet}, "id": same, "toMem": same,
		"cast": {typ: "s -> t", state: stateCast}, "select": {typ: "bool -> t -> t -> t",
			state: stateSelect},
		"add": two, "sub": two, "mult": two, "mul": two, "div": two, "mod": two, "min": two,
		"max": two, "neg": {typ: "t -> t", state: stateScalar},
	}
	out := map[string]*scheme{}
	for name, s := range list {
		out[name] = &s
	}
	return out
})

// pairwise are the functions of two numbers that take those of a pair as well.
var pairwise = map[string]bool{"add": true, "mult": true, "mul": true}

// schemeType is the type of a pattern, taken apart.
func schemeType(text string) *written {
	if known, ok := schemeTypes.Load(text); ok {
		return known.(*written)
	}
	var out *written
	err := procedures.Read(source.NewFile("pattern", text), word(), " ", func(w *procedures.Words) {
		out = (&parser{Words: w}).function()
	})
	if err != nil {
		algebra.Fail(algebra.CodeUnsupported, "%v", err)
	}
	schemeTypes.Store(text, out)
	return out
}

var schemeTypes sync.Map

// instance is a pattern with naturals, of which nothing else is known.
func (f *inference) instance(at source.Span, name string, nats []size) (*pattern, *typ) {
	s := schemes()[name]
	in := &pattern{scheme: s, name: name, sizes: map[string]size{}, types: map[string]*typ{}}
	for i, n := range strings.Fields(s.nats) {
		in.sizes[n] = nats[i]
		f.ask(at, "negative-dim", domain.Le(domain.IntSize(0), nats[i]))
	}
	r := reader{
		size: func(n *node) size {
			return f.size(n, func(at source.Span) size {
				if _, known := in.sizes[at.Text()]; !known {
					in.sizes[at.Text()] = f.unknownSize(s.code)
				}
				return in.sizes[at.Text()]
			})
		},
		name: func(_ source.Span, name string) *typ {
			if name == "nat" {
				return &typ{kind: natural}
			}
			if in.types[name] == nil {
				in.types[name] = &typ{}
			}
			return in.types[name]
		},
	}
	t := r.read(schemeType(s.typ))
	if s.asks != nil {
		for _, p := range s.asks(maps.Clone(in.sizes)) {
			f.ask(at, s.code, p)
		}
	}
	for u := t; u.kind == function; u = u.part(1) {
		in.arity++
	}
	return in, t
}
