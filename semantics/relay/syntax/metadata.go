package syntax

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
)

// Metadata is what a text holds of things that it cannot write: a graph in JSON, from whose root the elements of
// arrays are reached by a key and an index.
type Metadata struct {
	Version string // of TVM that wrote the text, or ""

	at      source.Span
	nodes   []metaNode
	arrays  []string
	entries map[string][]int // nodes by key
}

// A metaNode is a node of the graph.
type metaNode struct {
	Type  string            `json:"type_key"`
	Attrs map[string]string `json:"attrs"`
	Keys  []string          `json:"keys"`
	Data  json.RawMessage   `json:"data"`
}

// children are the nodes that an array or a map holds.
func (n *metaNode) children() (list []int) {
	if n.Data != nil && json.Unmarshal(n.Data, &list) != nil {
		return nil
	}
	return list
}

// readMetadata reads the JSON that begins there and ends the text.
func readMetadata(f *source.File, at int) (*Metadata, *source.Error) {
	m := &Metadata{at: source.Span{File: f, Start: at, End: at}, entries: map[string][]int{}}
	fail := func(format string, args ...any) *source.Error {
		return source.Errorf(m.at, CodeMetadata, format, args...)
	}
	var graph struct {
		Root   int               `json:"root"`
		Nodes  []metaNode        `json:"nodes"`
		Arrays []string          `json:"b64ndarrays"`
		Attrs  map[string]string `json:"attrs"`
	}
	text := f.Text[at:]
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&graph); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			m.at.Start = at + min(int(syntax.Offset), len(text))
			m.at.End = m.at.Start
		}
		return nil, fail("the metadata is no graph in JSON: %s", err)
	}
	if rest := strings.TrimSpace(text[d.InputOffset():]); rest != "" && rest != `"""` {
		m.at.Start = at + int(d.InputOffset())
		m.at.End = m.at.Start
		return nil, fail("text after the metadata")
	}
	m.nodes, m.arrays, m.Version = graph.Nodes, graph.Arrays, graph.Attrs["tvm_version"]
	if graph.Root < 0 || graph.Root >= len(m.nodes) {
		return nil, fail("the root of the metadata is node %d, and there are %d", graph.Root, len(m.nodes))
	}
	root := &m.nodes[graph.Root]
	values := root.children()
	if len(values) != len(root.Keys) {
		return nil, fail("the root of the metadata is no map from keys to arrays")
	}
	for i, key := range root.Keys {
		if values[i] < 0 || values[i] >= len(m.nodes) {
			return nil, fail("the array of %s is node %d, and there are %d", key, values[i], len(m.nodes))
		}
		for _, id := range m.nodes[values[i]].children() {
			if id < 0 || id >= len(m.nodes) {
				return nil, fail("the array of %s has node %d, and there are %d", key, id, len(m.nodes))
			}
			m.entries[key] = append(m.entries[key], id)
		}
	}
	return m, nil
}

// find returns what a reference is to.
func (m *Metadata) find(r *MetaRef) (*metaNode, *source.Error) {
	switch {
	case m == nil:
		return nil, source.Errorf(r.At, CodeDangling, "the text has no metadata, and so no meta[%s][%d]", r.Key, r.Index)
	case r.Index >= len(m.entries[r.Key]):
		return nil, source.Errorf(r.At, CodeDangling, "the metadata has no meta[%s][%d]: it has %d of that key", r.Key, r.Index,
			len(m.entries[r.Key]))
	}
	n := &m.nodes[m.entries[r.Key][r.Index]]
	if n.Type != r.Key {
		return nil, source.Errorf(r.At, CodeMetadata, "meta[%s][%d] is a %s", r.Key, r.Index, n.Type)
	}
	return n, nil
}

// attributes returns the attributes that a reference is to, those that are a number, a string or a list of numbers.
func (m *Metadata) attributes(r *MetaRef) ([]Attr, *source.Error) {
	n, err := m.find(r)
	if err != nil {
		return nil, err
	}
	var list []Attr
	for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
		list = append(list, Attr{Name: name, Value: Value{Kind: valueOfMeta, Text: n.Attrs[name], At: r.At}, At: r.At})
	}
	return list, nil
}

// valueOfMeta is the kind of a value in the metadata, which is a string whatever it stands for.
const valueOfMeta ValueKind = 100

// integers returns the numbers of the array that is a node.
func (m *Metadata) integers(node string) (list []Value, ok bool) {
	id, err := strconv.Atoi(node)
	if err != nil || id < 0 || id >= len(m.nodes) || m.nodes[id].Type != "Array" {
		return nil, false
	}
	for _, c := range m.nodes[id].children() {
		if c < 0 || c >= len(m.nodes) || m.nodes[c].Attrs["value"] == "" {
			return nil, false
		}
		list = append(list, Value{Kind: ValueNumber, Number: Number{Text: m.nodes[c].Attrs["value"]}})
	}
	return list, true
}

// A Constant is a tensor that the metadata holds.
type Constant struct {
	Ref  *MetaRef
	Type *Type
	Data []byte // little-endian, in row-major order
}

// arrayMagic begins an array.
const arrayMagic = 0xDD5E40F096B4A13F

// constant returns the tensor that a reference is to.
func (m *Metadata) constant(r *MetaRef) (*Constant, *source.Error) {
	n, err := m.find(r)
	if err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) *source.Error {
		return source.Errorf(r.At, CodeMetadata, "meta[%s][%d]: %s", r.Key, r.Index, fmt.Sprintf(format, args...))
	}
	id, bad := strconv.Atoi(n.Attrs["data"])
	if bad != nil || id < 0 || id >= len(m.arrays) {
		return nil, fail("its data is array %q, and there are %d", n.Attrs["data"], len(m.arrays))
	}
	data, bad := base64.StdEncoding.DecodeString(m.arrays[id])
	if bad != nil {
		return nil, fail("array %d is not in base 64", id)
	}
	take := func(n int) (v uint64) {
		if len(data) < n {
			data = nil
			return 0
		}
		var b [8]byte
		copy(b[:], data[:n])
		data = data[n:]
		return binary.LittleEndian.Uint64(b[:])
	}
	if take(8) != arrayMagic {
		return nil, fail("array %d does not begin as one", id)
	}
	take(8)
	take(8) // the device, and which one
	rank, code, width, lanes := take(4), take(1), take(1), take(2)
	if rank > 32 || lanes != 1 {
		return nil, fail("array %d has %d dims and elements of %d lanes", id, rank, lanes)
	}
	t := &Type{Dims: []int64{}}
	elements := uint64(1)
	for range rank {
		d := take(8)
		t.Dims = append(t.Dims, int64(d))
		high, low := bits.Mul64(elements, d)
		if elements = low; high != 0 || low > 1<<40 {
			return nil, fail("array %d has too many elements", id)
		}
	}
	name := map[uint64]string{0: "int", 1: "uint", 2: "float", 4: "bfloat"}[code] + strconv.FormatUint(width, 10)
	if name == "uint1" {
		name, width = "bool", 8
	}
	var ok bool
	if t.Elem, ok = elementOf(name); !ok {
		return nil, fail("array %d has elements of type code %d and %d bits", id, code, width)
	}
	size := take(8)
	if size != elements*(width/8) || uint64(len(data)) != size {
		return nil, fail("array %d has %d bytes, and its shape wants %d", id, len(data), elements*(width/8))
	}
	return &Constant{Ref: r, Type: t, Data: data}, nil
}

// Elements is how many elements a constant has.
func (c *Constant) Elements() int {
	n := 1
	for _, d := range c.Type.Dims {
		n *= int(d)
	}
	return n
}

// Bits returns the bits of an element, by row-major offset.
func (c *Constant) Bits(i int) uint64 {
	width := len(c.Data) / max(c.Elements(), 1)
	var b [8]byte
	copy(b[:], c.Data[i*width:(i+1)*width])
	return binary.LittleEndian.Uint64(b[:])
}
