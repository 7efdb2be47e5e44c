package syntax

import (
	"strings"
	"sync"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/words"
)

// A pattern is a function that programs apply. In its type n, m, k, p, l, r are sizes and all other letters types: i one of
// integers, a of numbers, the others of data.
type pattern struct {
	sizes  []string // that are given first
	least  []int64  // that they may be
	typ    *Type
	paired bool // it takes two numbers, or a pair of them
}

// written is the table: names, the sizes that come first with the least that they may be, the type.
const written = `
map mapSeq mapPar mapSeqUnroll : (s -> t) -> n.s -> n.t
zip : n.s -> n.t -> n.(s, t)
unzip : n.(s, t) -> (n.s, n.t)
fst : (s, t) -> s
snd : (s, t) -> t
makePair : s -> t -> (s, t)
mapFst : (s -> u) -> (s, t) -> (u, t)
mapSnd : (t -> u) -> (s, t) -> (s, u)
reduce : (t -> t -> t) -> t -> n.t -> t
reduceSeq : (t -> s -> t) -> t -> n.s -> t
scanSeq : (s -> t -> t) -> t -> n.s -> n.t
transpose : n.m.t -> m.n.t
split asVector n>=1 : (m*n).t -> m.n.t
join asScalar : n.m.t -> (n*m).t
slide k>=0 p>=1 : (p*n+k).t -> (1+n).k.t
padClamp pad l>=0 r>=0 : n.t -> (l+n+r).t
padCst l>=0 r>=0 : t -> n.t -> (l+n+r).t
padEmpty r>=0 : n.t -> (n+r).t
take n>=0 : (n+m).t -> n.t
drop n>=0 : (n+m).t -> m.t
concat : n.t -> m.t -> (n+m).t
generate n>=0 : (index -> t) -> n.t
idx : i -> n.t -> t
gather : m.i -> n.t -> m.t
scatter : n.i -> n.t -> n.t
reorder n>=0 : (index -> index) -> (index -> index) -> n.t -> n.t
let : s -> (s -> t) -> t
id toMem : t -> t
cast : a -> b
select : bool -> t -> t -> t
neg : a -> a
< > == <= >= : a -> a -> bool
add sub mult mul div mod min max : a -> a -> a
`

// functions are those that operators stand for; comparisons are patterns by themselves.
var functions = map[string]string{"+": "add", "-": "sub", "*": "mult", "/": "div", "%": "mod"}

// same are patterns that mean the same: the core has the name on the right.
var same = map[string]string{"mapSeq": "map", "mapPar": "map", "mapSeqUnroll": "map", "reduceSeq": "reduce",
	"asVector": "split", "asScalar": "join", "pad": "padClamp", "toMem": "id", "mul": "mult"}

// classes are those of variables in the table.
var classes = map[string]class{"a": number, "b": number, "i": integer}

var (
	table = map[string]*pattern{} // by name
	once  sync.Once
)

// patterns returns the table. It is read when a text is, and not by what it is read with.
func patterns() map[string]*pattern {
	once.Do(readTable)
	return table
}

func readTable() {
	for _, line := range strings.Split(strings.TrimSpace(written), "\n") {
		names, typ, _ := strings.Cut(line, " : ")
		p := &pattern{typ: scheme(typ)}
		for _, w := range strings.Fields(names) {
			if size, least, ok := strings.Cut(w, ">="); ok && size != "" {
				p.sizes, p.least = append(p.sizes, size), append(p.least, int64(least[0]-'0'))
			} else {
				table[w] = p
			}
		}
		p.paired = strings.HasPrefix(names, "add ")
	}
}

func scheme(text string) *Type {
	r := &parser{Reader: words.New(source.NewFile("pattern", text), wordPattern(), ""), scheme: true}
	return r.typ()
}

// instance is the type of a pattern with fresh variables; sizes are those given.
func (in *inference) instance(p *pattern, given []domain.Size, from origin) *Type {
	by, vars := map[string]domain.Size{}, map[string]*Type{}
	for i, name := range p.sizes {
		by[name] = given[i]
	}
	var copied func(t *Type) *Type
	copied = func(t *Type) *Type {
		switch t.Kind {
		case Scalar, Index:
			return t
		case Var:
			v := vars[t.name]
			if v == nil {
				v = &Type{Kind: Var, class: max(data, classes[t.name])}
				vars[t.name] = v
			}
			return v
		}
		out := &Type{Kind: t.Kind}
		if t.Kind == Array {
			for _, name := range t.Dim.Names() {
				if _, ok := by[name]; !ok {
					by[name] = in.unknown(from)
				}
			}
			out.Dim = t.Dim.Subst(by)
			out.A = copied(t.A)
			return out
		}
		out.A, out.B = copied(t.A), copied(t.B)
		return out
	}
	return copied(p.typ)
}
