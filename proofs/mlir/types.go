package mlir

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A typ is a type. Two types are the same if their texts are.
type typ struct {
	text  string
	kind  kind
	elem  domain.Elem // of it or of its elements; index has that of i64
	dims  []int64     // of memrefs and vectors; -1 stands for ?
	index bool        // it is index, or its elements are
	plain bool        // a memref in row-major order
}

type kind uint8

const (
	other  kind = iota // of which no value can be read
	scalar             // an integer, a float, index
	bit                // i1
	memref
	vector
)

var index = typ{text: "index", kind: scalar, elem: integer(64), index: true}

func integer(width int) domain.Elem { return domain.Elem{Kind: domain.ElemInt, Width: width} }

func (t typ) isFloat() bool { return t.elem.Kind == domain.ElemFloat }

// limits are the least and the greatest value of an integer type.
func (t typ) limits() (least, most *big.Int) {
	most = loops.Beyond(uint(t.elem.Width) - 1)
	least = new(big.Int).Neg(most)
	return least, most.Sub(most, big.NewInt(1))
}

// single is the type of an element of a vector.
func (t typ) single() typ {
	if t.index {
		return index
	}
	text := map[bool]string{true: "f", false: "i"}[t.isFloat()] + strconv.Itoa(t.elem.Width)
	return typ{text: text, kind: scalar, elem: t.elem}
}

// bits is the type of comparisons of t.
func (t typ) bits() typ {
	if t.kind == scalar {
		return known["i1"]
	}
	return typ{kind: bit, dims: t.dims, text: "vector<" + extents(t.dims) + "i1>"}
}

func extents(dims []int64) (text string) {
	for _, n := range dims {
		if n < 0 {
			text += "?x"
		} else {
			text += strconv.FormatInt(n, 10) + "x"
		}
	}
	return text
}

// known are the types of elements.
var known = map[string]typ{"index": index, "i1": {text: "i1", kind: bit, elem: algebra.Truth},
	"i8":  {text: "i8", kind: scalar, elem: integer(8)},
	"i16": {text: "i16", kind: scalar, elem: integer(16)},
	"i32": {text: "i32", kind: scalar, elem: integer(32)},
	"i64": {text: "i64", kind: scalar, elem: integer(64)},
	"f32": {text: "f32", kind: scalar, elem: domain.Float32},
	"f64": {text: "f64", kind: scalar, elem: domain.Elem{Kind: domain.ElemFloat, Width: 64}},
}

// typ reads a type.
func (p *parser) typ() typ {
	defer p.deeper()()
	at := p.here()
	if p.is("!") {
		name := p.id("!")
		t, ok := p.types[name]
		if !ok && p.is("<") {
			p.balanced()
		}
		if !ok {
			t = typ{text: "!" + name}
		}
		return t
	}
	if p.is("(") { // of a function
		p.balanced()
		p.want("->")
		p.results()
		return typ{text: p.from(at).Text()}
	}
	name := p.word()
	if t, ok := known[name]; ok {
		return t
	}
	if name != "memref" && name != "vector" || !p.is("<") {
		if p.is("<") {
			p.balanced()
		}
		return typ{text: p.from(at).Text()}
	}
	return p.shaped(name, at)
}

// shaped reads what stands behind memref or vector.
func (p *parser) shaped(name string, at source.Span) typ {
	begin := p.at
	p.want("<")
	t := typ{kind: map[string]kind{"memref": memref, "vector": vector}[name], plain: true}
	for {
		if s := p.rest()[:whole(p.rest())]; s != "" && !strings.HasPrefix(s, "0x") {
			n, err := strconv.ParseInt(s, 10, 62)
			check(err == nil && n > 0, at, "unsupported-op", "an extent of %s", s)
			p.at, t.dims = p.at+len(s), append(t.dims, n)
		} else if name == "memref" && p.accept("?") {
			t.dims = append(t.dims, -1)
		} else {
			break
		}
		check(strings.HasPrefix(p.rest(), "x"), p.here(), "bad-syntax", "expected x")
		p.at++
	}
	if p.is("*") || p.is("[") { // of no rank, or scalable
		p.at = begin
		p.balanced()
		return typ{text: p.from(at).Text()}
	}
	of := p.typ()
	if p.accept(",") && !p.layout(&t) {
		p.memorySpace()
	}
	if p.accept(",") {
		p.memorySpace()
	}
	p.want(">")
	if of.kind == bit && t.kind == vector {
		return t.bits()
	} else if of.kind != scalar {
		return typ{text: p.from(at).Text()}
	}
	t.elem, t.index = of.elem, of.index
	layout := map[bool]string{false: ", of a layout"}[t.plain]
	t.text = name + "<" + extents(t.dims) + of.text + layout + ">"
	return t
}

// layout reads that of a memref, if there is one.
func (p *parser) layout(t *typ) bool {
	switch {
	case p.is("strided"):
		p.word()
		p.want("<")
		stride, k := big.NewInt(1), len(t.dims)
		var strides []*big.Int // nil where one is not known
		p.list("[", "]", func() {
			if p.accept("?") {
				strides = append(strides, nil)
			} else {
				strides = append(strides, p.number())
			}
		})
		t.plain = len(strides) == k
		for k--; k >= 0 && t.plain; k-- {
			t.plain = stride != nil && strides[k] != nil && strides[k].Cmp(stride) == 0
			if t.dims[k] < 0 {
				stride = nil
			} else if stride != nil {
				stride = new(big.Int).Mul(stride, big.NewInt(t.dims[k]))
			}
		}
		if p.accept(",") {
			p.want("offset")
			p.want(":")
			t.plain = p.is("0") && t.plain
			if !p.accept("?") {
				p.number()
			}
		}
		p.want(">")
	case p.is("affine_map"), p.is("#") && p.maps[p.peekID()] != nil:
		m := p.mapping()
		t.plain = len(m.syms) == 0 && len(m.results) == len(t.dims) && len(m.dims) == len(t.dims)
		for k, e := range m.results {
			t.plain = t.plain && e.op == "input" && e.k == k
		}
	default:
		return false
	}
	return true
}

func (p *parser) peekID() string {
	at := p.at
	defer func() { p.at = at }()
	return p.id("#")
}

// memorySpace skips a space of memory, which says nothing of values: a number, a string, or what a
// dialect has for it. Any other attribute may be a layout.
func (p *parser) memorySpace() {
	at := p.here()
	p.attribute()
	check(p.at > at.Start, at, "bad-syntax", "expected an attribute")
	check(isSpace().MatchString(p.from(at).Text()), at, "unsupported-op",
		"a memref of an unknown layout")
}

var isSpace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9"]|#(gpu\.address_space|spirv\.storage_class)\b)`)
})

// results reads the types of results: one, or several in parentheses.
func (p *parser) results() (out []typ) {
	if p.is("(") {
		p.list("(", ")", func() { out = append(out, p.typ()) })
		return out
	}
	return append(out, p.typ())
}
