package relay

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A node is a tensor or a tuple that the function computes.
type node struct {
	kind  string // input, scalar, tuple, item, or the operator
	args  []*node
	typ   *typ
	text  string // what it is in Glenside
	name  string // by which it is used there
	num   *big.Rat
	index int
	first bool // of the components the first alone has a meaning
	at    source.Span
	keep  bool
}

// A frame is a function at a call.
type frame struct {
	fn   *function
	args []result
	up   *frame
}

// A result is a node, or a function with what is around it.
type result struct {
	node *node
	fn   *function
	in   *frame
}

type occurrence struct {
	e  *expr
	in *frame
}

// A builder makes the nodes of a function.
type builder struct {
	meta   *metadata
	nodes  []*node
	values map[occurrence]result
	taken  map[string]bool
	calls  int // of functions
}

const mostNodes = 1 << 18

func (b *builder) add(n *node) *node {
	if len(b.nodes) >= mostNodes {
		refuse(n.at, codeLarge, "the function computes too much")
	}
	b.nodes = append(b.nodes, n)
	if n.name == "" {
		n.name = fmt.Sprintf("%%.%d", len(b.nodes))
	}
	return n
}

// input makes the nodes of a parameter: one for each tensor.
func (b *builder) input(name string, t *typ, at source.Span) *node {
	if t == nil {
		refuse(at, "type-missing", "%%%s has no type", name)
	}
	if t.tuple {
		n := &node{kind: "tuple", typ: t, at: at}
		for i, item := range t.items {
			n.args = append(n.args, b.input(name+"."+strconv.Itoa(i), item, at))
		}
		return n
	}
	b.taken[name] = true
	return b.add(&node{kind: "input", typ: t, name: name, at: at})
}

// rename gives inputs that are words of Glenside other names, and quotes all.
func (b *builder) rename() {
	for _, n := range b.nodes {
		if glenside.Reserved(n.name) || strings.HasPrefix(n.name, "%") {
			for n.name = "%" + n.name; b.taken[n.name]; n.name += "'" {
			}
			b.taken[n.name] = true
		}
	}
}

// value evaluates an expression in the frame of the function that it stands in.
func (b *builder) value(e *expr, in *frame) (v result) {
	for in != nil && in.fn != e.in {
		in = in.up
	}
	if in == nil {
		refuse(e.at, "unknown-name", "this is bound in a function that does not enclose it")
	}
	at := occurrence{e, in}
	if v, known := b.values[at]; known {
		return v
	}
	switch e.kind {
	case "param":
		v = in.args[e.index]
	case "fn":
		v = result{fn: e.fn, in: in}
	case "if":
		cond := b.node(e.args[0], in)
		if cond.kind != "scalar" || cond.typ.elem.Kind != domain.ElemBool {
			refuse(e.at, codeOutside, "a condition is a constant")
		}
		v = b.value(e.args[1+boolean(cond.num.Sign() == 0)], in)
	case "apply":
		f := b.value(e.args[0], in)
		if f.fn == nil || len(f.fn.params) != len(e.args)-1 || len(e.attrs) > 0 {
			refuse(e.at, codeShape, "this is no function of so many operands")
		}
		called := &frame{fn: f.fn, up: f.in}
		for i, p := range f.fn.params {
			a := b.value(e.args[i+1], in)
			if p.typ != nil && (a.node == nil || !a.node.typ.is(p.typ)) {
				refuse(e.args[i+1].at, codeShape, "%%%s is of another type", p.name)
			}
			called.args = append(called.args, a)
		}
		if b.calls++; b.calls > mostNodes {
			refuse(e.at, codeLarge, "the function computes too much")
		}
		v = b.value(f.fn.body, called)
		if t := f.fn.result; t != nil && (v.node == nil || !v.node.typ.is(t)) {
			refuse(e.at, codeShape, "the function does not return what it says")
		}
	default:
		v = result{node: b.make(e, in)}
	}
	if t := e.note; t != nil && v.node != nil && !v.node.typ.is(t) {
		refuse(e.at, "note-mismatch", "the text notes another type")
	}
	b.values[at] = v
	return v
}

// boolean is 1 of what is so, and 0 else.
func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// node evaluates what is no function.
func (b *builder) node(e *expr, in *frame) *node {
	v := b.value(e, in)
	if v.node == nil {
		refuse(e.at, codeShape, "a function stands where a tensor is wanted")
	}
	return v.node
}

// make makes the node of an expression that is none yet.
func (b *builder) make(e *expr, in *frame) *node {
	n := &node{kind: e.kind, at: e.at}
	switch e.kind {
	case "number":
		return scalar(n, e)
	case "bool":
		n.kind, n.typ = "scalar", &typ{elem: domain.Elem{Kind: domain.ElemBool}}
		n.num = big.NewRat(int64(boolean(e.name == "True")), 1)
		return literal(n)
	case "meta":
		return b.meta.constant(n, e)
	}
	for _, a := range e.args {
		n.args = append(n.args, b.node(a, in))
	}
	switch e.kind {
	case "tuple":
		n.typ = &typ{tuple: true}
		n.text = "(construct-tuple"
		for _, a := range n.args {
			n.typ.items = append(n.typ.items, a.typ)
			n.text += " " + a.use()
		}
		n.text += ")"
		return n
	case "item":
		of := n.args[0]
		if !of.typ.tuple || e.index >= len(of.typ.items) || of.first && e.index > 0 {
			refuse(e.at, "no-inference-meaning", "there is no component %d", e.index)
		}
		if of.kind == "tuple" {
			return of.args[e.index]
		}
		n.typ, n.index = of.typ.items[e.index], e.index
		n.text = fmt.Sprintf("(tuple-get-item %s %d)", of.use(), e.index)
		if of.kind == "nn.batch_norm" {
			n.text = of.use()
		}
		return n
	}
	c := &call{e: e, b: b, node: n, attrs: e.attrs}
	c.read()
	return b.add(n)
}

// use is a node where it is an operand.
func (n *node) use() string {
	if n.name == "" { // it is written where it stands
		if len(n.text) > 1<<20 {
			refuse(n.at, codeLarge, "tuples are nested too deep")
		}
		return n.text
	}
	return domain.Quote(n.name)
}

// scalar is a number; without a suffix it is an int32, or an int64 where it is none.
func scalar(n *node, e *expr) *node {
	name := map[string]string{"f": "float32", "bf16": "bfloat16"}[e.num.suffix]
	if s := e.num.suffix; s != "" && name == "" {
		name = map[byte]string{'f': "float", 'i': "int", 'u': "uint"}[s[0]] + s[1:]
	}
	v, ok := rational(e.num.text)
	if name == "" && v != nil && !strings.ContainsAny(e.num.text, ".eE") {
		name = "int64"
		if v.Num().IsInt64() && int64(int32(v.Num().Int64())) == v.Num().Int64() {
			name = "int32"
		}
	}
	n.kind, n.num, n.typ = "scalar", v, &typ{}
	if n.typ.elem, _ = domain.ParseElem(name); !ok || name == "" {
		refuse(e.at, "ambiguous-number", "the type of this number is not known")
	}
	float := strings.Contains(name, "float")
	if !float && !v.IsInt() || len(e.num.text) > 1000 {
		refuse(e.at, "ambiguous-number", "this is no number of its type")
	}
	return literal(n)
}

// rational is a decimal number, unless its exponent is very large.
func rational(text string) (*big.Rat, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if x, err := strconv.Atoi(text[i+1:]); err != nil || x > 1000 || x < -1000 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// literal writes a scalar.
func literal(n *node) *node {
	n.text = "(access-literal (literal " + spelled(n.num, n.typ.elem) + "))"
	return n
}

// spelled writes a number. Glenside takes the type of a number from its use, and equal spellings
// are one: so numbers of two types are spelled apart, by zeros.
func spelled(v *big.Rat, elem domain.Elem) string {
	floats := []string{"float32", "float64", "float16", "bfloat16"}
	if zeros := slices.Index(floats, elem.String()); zeros >= 0 {
		text := strings.TrimRight(v.FloatString(1100), "0")
		if back, _ := new(big.Rat).SetString(text + "0"); back.Cmp(v) != 0 {
			panic(refusal{&source.Error{Code: codeLarge, Msg: "a number is too long"}})
		}
		return text + strings.Repeat("0", zeros+1)
	}
	zeros := 8 * boolean(elem.Kind == domain.ElemUint)
	zeros += slices.Index([]int{32, 64, 16, 8}, elem.Width)
	text := strings.TrimPrefix(v.Num().String(), "-")
	return strings.Repeat("-", boolean(v.Sign() < 0)) + strings.Repeat("0", max(zeros, 0)) + text
}

// metadata is what a text has of things that are not written in it: a graph in JSON.
type metadata struct {
	Root  int `json:"root"`
	Nodes []struct {
		Type  string            `json:"type_key"`
		Attrs map[string]string `json:"attrs"`
		Keys  []string          `json:"keys"`
		Data  json.RawMessage   `json:"data"`
	} `json:"nodes"`
	Arrays []string          `json:"b64ndarrays"`
	Attrs  map[string]string `json:"attrs"`
}

func (m *metadata) list(i int) (out []int) {
	if i < 0 || i >= len(m.Nodes) || m.Nodes[i].Data == nil {
		return nil
	}
	if json.Unmarshal(m.Nodes[i].Data, &out) != nil {
		return nil
	}
	return out
}

// find returns the attributes of meta[KEY][INDEX].
func (m *metadata) find(e *expr) map[string]string {
	if m != nil && m.Root >= 0 && m.Root < len(m.Nodes) {
		arrays := m.list(m.Root)
		k := slices.Index(m.Nodes[m.Root].Keys, e.name)
		if k >= 0 && k < len(arrays) {
			if ids := m.list(arrays[k]); e.index < len(ids) && ids[e.index] >= 0 &&
				ids[e.index] < len(m.Nodes) && m.Nodes[ids[e.index]].Type == e.name {
				return m.Nodes[ids[e.index]].Attrs
			}
		}
	}
	refuse(e.at, "dangling-metadata", "the text has no meta[%s][%d]", e.name, e.index)
	return nil
}

// constant is a tensor of the metadata: one number, everywhere.
func (m *metadata) constant(n *node, e *expr) *node {
	if e.name != "relay.Constant" {
		refuse(e.at, codeOutside, "meta[%s] is not read", e.name)
	}
	id, err := strconv.Atoi(m.find(e)["data"])
	bad := func(ok bool) {
		if !ok {
			refuse(e.at, "bad-metadata", "this constant is not read")
		}
	}
	bad(err == nil && id >= 0 && id < len(m.Arrays))
	data, err := base64.StdEncoding.DecodeString(m.Arrays[id])
	bad(err == nil && len(data) >= 32 && binary.LittleEndian.Uint64(data) == 0xDD5E40F096B4A13F)
	rank, width := int(binary.LittleEndian.Uint32(data[24:])), int(data[29])
	bad(rank <= 32 && binary.LittleEndian.Uint16(data[30:]) == 1 && len(data) >= 40+8*rank)
	kind := map[byte]string{0: "int", 1: "uint", 2: "float"}[data[28]]
	t, ok, count := &typ{}, false, 1
	t.elem, ok = domain.ParseElem(kind + strconv.Itoa(width))
	bad(ok && width >= 8)
	for i := range rank {
		d := int64(binary.LittleEndian.Uint64(data[32+8*i:]))
		bad(d > 0 && d < 1<<32/int64(count))
		t.dims = append(t.dims, d)
		count *= int(d)
	}
	data = data[40+8*rank:]
	bad(len(data) == count*width/8)
	first := data[:width/8]
	for i := range count {
		if string(data[i*width/8:(i+1)*width/8]) != string(first) {
			refuse(e.at, "constant-tensor", "tensors of numbers are not read")
		}
	}
	n.num, n.typ = new(big.Rat), t
	raw := binary.LittleEndian.Uint64(append(slices.Clone(first), make([]byte, 8)...))
	switch kind + strconv.Itoa(width) {
	case "float32":
		ok = n.num.SetFloat64(float64(math.Float32frombits(uint32(raw)))) != nil && raw != 1<<31
	case "float64":
		ok = n.num.SetFloat64(math.Float64frombits(raw)) != nil && raw != 1<<63
	case "float16":
		ok = false
	default:
		if n.num.SetUint64(raw); kind == "int" {
			n.num.SetInt64(int64(raw<<(64-width)) >> (64 - width))
		}
	}
	bad(ok)
	if n.kind = "scalar"; rank == 0 {
		return literal(n)
	}
	n.kind = "constant"
	n.text = fmt.Sprintf("(access-tensor (constant-tensor %s %s))", spelled(n.num, t.elem),
		shape(t.dims))
	return n
}

// version is that of TVM that the metadata names, as two numbers; dev is of one before a release.
func (m *metadata) version() (major, minor int, dev, ok bool) {
	if m == nil {
		return 0, 0, false, false
	}
	text := m.Attrs["tvm_version"]
	n, err := fmt.Sscanf(text, "%d.%d", &major, &minor)
	return major, minor, strings.Contains(text, "dev"), n == 2 && err == nil
}
