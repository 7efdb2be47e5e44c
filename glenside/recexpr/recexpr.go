// Package recexpr reads dumps of Glenside programs as its e-graph library keeps them: lists of nodes, children first.
//
//	Program    a dump as a program: declarations, definitions of what is used twice, the last node as the result
//	Shapes     what the tensors are: a file of shapes, or the companion of a dump
//
// A dump has no shapes, and three spellings that programs do not have: a last operand of accelerator calls that is the shape of
// the result, windows whose strides are two numbers, numbers that were decimals. The first is compared with the type of the call.
package recexpr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// The codes of what is wrong with a dump.
const (
	CodeDump      = "bad-dump"
	CodeCompanion = "companion-mismatch"
	CodeWindows   = "windows-strides"
	CodeShape     = "result-shape"
	CodeUnused    = "unused-nodes"
)

// A node is one of a dump.
type node struct {
	id       int
	symbol   string
	children []int
	at       int // offset in the file
}

// A Program is a dump as a program.
type Program struct {
	Text      string
	Parsed    *glenside.Program
	Typing    *glenside.Typing
	Operators map[string]int // calls by operator, of those that the result reaches
	Calls     int
	Tree      *big.Int
	Accel     map[string]int // accelerator calls by operator
	Warnings  source.Errors
}

// A reader makes a program of a dump.
type reader struct {
	file    *source.File
	nodes   []node
	reached []bool
	uses    []int
	shapes  []domain.Input
	text    strings.Builder
	places  []place
	claims  map[int][]int64 // shapes of results that calls end with
	warn    source.Errors
}

// A place says of which node the text is from an offset on.
type place struct{ offset, node int }

func (r *reader) errorf(n int, code, format string, args ...any) error {
	at := r.nodes[n].at
	return source.Errors{source.Errorf(source.Span{File: r.file, Start: at, End: at + 1}, code, format, args...)}
}

// Read makes a program of a dump, whose tensors are as shapes and companion say; either may be nil. Errors: source.Errors.
func Read(f *source.File, shapes []domain.Input, companion *source.File) (*Program, error) {
	r := &reader{file: f, shapes: shapes, claims: map[int][]int64{}}
	if err := r.parse(); err != nil {
		return nil, err
	}
	r.reach()
	entries, err := r.companion(companion)
	if err != nil {
		return nil, err
	}
	if _, err := r.program(true, entries); err != nil { // each node by its name, so that all of them can be compared
		return nil, err
	}
	return r.program(false, nil)
}

// parse reads [[id, symbol, [child...]], ...].
func (r *reader) parse() error {
	d := json.NewDecoder(strings.NewReader(r.file.Text))
	fail := func(format string, args ...any) error {
		at := min(int(d.InputOffset()), len(r.file.Text))
		return source.Errors{source.Errorf(source.Span{File: r.file, Start: at, End: at}, CodeDump, format, args...)}
	}
	const usage = "a dump is [[ID, SYMBOL, [CHILD, ...]], ...]"
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return fail(usage)
	}
	for d.More() {
		at := int(d.InputOffset())
		at += len(r.file.Text[at:]) - len(strings.TrimLeft(r.file.Text[at:], ", \t\r\n"))
		var raw []json.RawMessage
		n := node{at: at}
		if err := d.Decode(&raw); err != nil || len(raw) != 3 || json.Unmarshal(raw[0], &n.id) != nil ||
			json.Unmarshal(raw[1], &n.symbol) != nil || json.Unmarshal(raw[2], &n.children) != nil {
			return fail(usage)
		}
		r.nodes = append(r.nodes, n)
		if n.id != len(r.nodes)-1 {
			return r.errorf(len(r.nodes)-1, CodeDump, "node %d stands where node %d is wanted", n.id, len(r.nodes)-1)
		}
		for _, c := range n.children {
			if c < 0 || c >= n.id {
				return r.errorf(n.id, CodeDump, "the child %d of node %d does not stand before it", c, n.id)
			}
		}
		if n.symbol == "" {
			return r.errorf(n.id, CodeDump, "node %d has no symbol", n.id)
		}
	}
	if _, err := d.Token(); err != nil || d.More() {
		return fail(usage)
	}
	if strings.TrimSpace(r.file.Text[d.InputOffset():]) != "" {
		return fail("text after the dump")
	}
	if len(r.nodes) == 0 {
		return fail("there is no node in the dump")
	}
	return nil
}

// reach finds what the last node uses, and how often.
func (r *reader) reach() {
	r.reached, r.uses = make([]bool, len(r.nodes)), make([]int, len(r.nodes))
	r.reached[len(r.nodes)-1] = true
	unused := 0
	for _, n := range slices.Backward(r.nodes) {
		if !r.reached[n.id] {
			unused++
			continue
		}
		for _, c := range n.children {
			r.reached[c] = true
			r.uses[c]++
		}
	}
	if unused > 0 {
		r.warn = append(r.warn, source.Errorf(source.Span{File: r.file}, CodeUnused, "%d nodes of %d are not used by the last one",
			unused, len(r.nodes)))
	}
}

// family tells whether a symbol calls the function that is its first child.
func family(symbol string) bool {
	return symbol == "compute" || symbol == "relay-operator-call" || symbol == "accelerator-call"
}

// nameable tells whether a node is a tensor, an access pattern or a tuple, and more than a leaf.
func (n *node) nameable() bool {
	switch n.symbol {
	case "access-tensor", "access-literal", "access-shape", "constant-tensor":
		return false
	case "construct-tuple", "tuple-get-item":
		return true
	}
	return len(n.children) > 0 && (family(n.symbol) || n.symbol == "access" || strings.HasPrefix(n.symbol, "access-") ||
		strings.HasPrefix(n.symbol, "systolic-array"))
}

// name is that of a node in definitions.
func name(id int) string { return "%" + strconv.Itoa(id) }

// write writes a node, in which those that have definitions stand by their names. Dumps may be deep: there is no recursion.
func (r *reader) write(root int, defined func(id int) bool) {
	type visit struct {
		id, next int
		children []int
	}
	open := func(id int) visit { return visit{id: id, children: r.operands(id)} }
	stack := []visit{open(root)}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		n := &r.nodes[v.id]
		if v.next == 0 {
			r.places = append(r.places, place{r.text.Len(), v.id})
		}
		if len(stack) > 1 && defined(v.id) {
			r.text.WriteString(name(v.id))
			stack = stack[:len(stack)-1]
			continue
		}
		if len(n.children) == 0 {
			if n.symbol == "shape" || n.symbol == "list" {
				r.text.WriteString("(" + n.symbol + ")")
			} else {
				r.text.WriteString(domain.Quote(n.symbol))
			}
			stack = stack[:len(stack)-1]
			continue
		}
		if v.next == 0 {
			r.text.WriteString("(" + domain.Quote(n.symbol))
		}
		if v.next < len(v.children) {
			c := v.children[v.next]
			v.next++
			r.text.WriteByte(' ')
			if c < 0 { // strides that were two numbers
				r.text.WriteString(r.strides(n))
				continue
			}
			stack = append(stack, open(c))
			continue
		}
		r.text.WriteByte(')')
		stack = stack[:len(stack)-1]
	}
}

// operands are the children of a node that programs have.
func (r *reader) operands(id int) []int {
	n := &r.nodes[id]
	list := n.children
	switch {
	case n.symbol == "accelerator-call" && r.claims[id] != nil:
		list = list[:len(list)-1]
	case n.symbol == "access-windows" && len(list) == 4:
		list = []int{list[0], list[1], -1}
	}
	return list
}

// numbers returns the integers of a node that is a shape.
func (r *reader) numbers(id int) ([]int64, bool) {
	if r.nodes[id].symbol != "shape" {
		return nil, false
	}
	list := []int64{}
	for _, c := range r.nodes[id].children {
		d, err := strconv.ParseInt(r.nodes[c].symbol, 10, 64)
		if err != nil || len(r.nodes[c].children) > 0 {
			return nil, false
		}
		list = append(list, d)
	}
	return list, true
}

// strides writes the strides of windows that have two of them as numbers: of the last two dims.
func (r *reader) strides(n *node) string {
	window, _ := r.numbers(n.children[1])
	return "(shape" + strings.Repeat(" 1", len(window)-2) + " " + r.nodes[n.children[2]].symbol + " " +
		r.nodes[n.children[3]].symbol + ")"
}

// older checks the spellings that programs do not have.
func (r *reader) older() error {
	for id := range r.nodes {
		n := &r.nodes[id]
		if !r.reached[id] {
			continue
		}
		switch {
		case n.symbol == "access-windows" && len(n.children) == 4:
			window, ok := r.numbers(n.children[1])
			s := r.nodes[n.children[2]].symbol
			if !ok || len(window) < 2 || s != r.nodes[n.children[3]].symbol || len(r.nodes[n.children[2]].children) > 0 {
				return r.errorf(id, CodeWindows, "access-windows has its strides as two operands, which are read where they are one "+
					"number: which one is of which dim is not known")
			}
		case n.symbol == "accelerator-call" && len(n.children) > 1:
			of := r.nodes[n.children[0]].symbol
			last := n.children[len(n.children)-1]
			dims, ok := r.numbers(last)
			if ok && of != "flex-lstm" && of != "flex-lstm-cells" && !slices.Equal(dims, []int64{0}) {
				r.claims[id] = dims
			}
		}
	}
	return nil
}

// program writes the program and types it: with everything named to compare, or as it is to be read.
func (r *reader) program(all bool, entries []entry) (*Program, error) {
	if err := r.older(); err != nil {
		return nil, err
	}
	r.text.Reset()
	r.places = nil
	root := len(r.nodes) - 1
	defined := func(id int) bool { return id != root && r.nodes[id].nameable() && (all || r.uses[id] > 1) }
	named := map[string]bool{}
	for _, in := range r.shapes {
		named[in.Name] = true
	}
	for id, n := range r.nodes {
		if r.reached[id] && n.symbol == "access-tensor" && len(n.children) == 1 {
			if t := r.nodes[n.children[0]]; len(t.children) == 0 && !named[t.symbol] {
				return nil, r.errorf(t.id, CodeShape, "nothing says what shape the tensor %s has: --shapes FILE or --companion FILE does", t.symbol)
			}
		}
	}
	for _, in := range r.shapes {
		r.text.WriteString(glenside.FormatInput(&in) + "\n")
	}
	var ids []int
	for id := range r.nodes {
		if r.reached[id] && defined(id) {
			r.text.WriteString("(define " + name(id) + " ")
			r.write(id, defined)
			r.text.WriteString(")\n")
			ids = append(ids, id)
		}
	}
	r.write(root, defined)
	r.text.WriteString("\n")
	p := &Program{Text: r.text.String(), Operators: map[string]int{}, Accel: map[string]int{}, Warnings: r.warn}
	var err error
	if p.Parsed, err = glenside.Parse(source.NewFile("dump", p.Text)); err != nil {
		return nil, r.blame(err)
	}
	env, err := glenside.MergeEnv([]*glenside.Program{p.Parsed})
	if err != nil {
		return nil, r.blame(err)
	}
	if p.Typing, err = glenside.Check(p.Parsed, env); err != nil {
		return nil, r.blame(err)
	}
	if all {
		types := map[int]*glenside.Type{root: p.Typing.Root()}
		for i, d := range p.Parsed.Definitions {
			types[ids[i]] = p.Typing.Type(d.Node)
		}
		for _, in := range r.shapes {
			for id, n := range r.nodes {
				if n.symbol == in.Name && len(n.children) == 0 {
					types[id] = &glenside.Type{Kind: glenside.TypeTensor, Dims: in.Tensor().Dims}
				}
			}
		}
		return p, r.compare(types, entries)
	}
	r.count(p)
	return p, nil
}

// count counts the calls that the result reaches.
func (r *reader) count(p *Program) {
	trees := make([]*big.Int, len(r.nodes))
	for id, n := range r.nodes {
		if !r.reached[id] {
			continue
		}
		trees[id] = new(big.Int)
		for _, c := range n.children {
			trees[id].Add(trees[id], trees[c])
		}
		if family(n.symbol) && len(n.children) > 0 {
			of := r.nodes[n.children[0]].symbol
			p.Operators[of]++
			p.Calls++
			trees[id].Add(trees[id], big.NewInt(1))
			if n.symbol == "accelerator-call" {
				p.Accel[of]++
			}
		}
	}
	p.Tree = trees[len(r.nodes)-1]
}

// blame moves errors about the text to the nodes that the text is of.
func (r *reader) blame(err error) error {
	list := slices.Clone(source.AsErrors(err))
	for i, e := range list {
		at := sort.Search(len(r.places), func(i int) bool { return r.places[i].offset > e.Span.Start }) - 1
		moved := *e
		moved.Span = source.Span{File: r.file}
		if at >= 0 {
			o := r.nodes[r.places[at].node].at
			moved.Span = source.Span{File: r.file, Start: o, End: o + 1}
		}
		list[i] = &moved
	}
	return list
}

// An entry is what a companion file says of a node.
type entry struct {
	id                        int
	shape, item, relay        []int64
	hasShape, hasItem, hasRel bool
	at                        source.Span
}

// companion reads {"ID": {"shape": [...], "item_shape": [...], "relay_shape": [...]}, ...}, and declares the tensors that it has
// and the shapes do not.
func (r *reader) companion(f *source.File) ([]entry, error) {
	if f == nil {
		return nil, nil
	}
	fail := func(format string, args ...any) ([]entry, error) {
		return nil, source.Errors{source.Errorf(source.Span{File: f}, CodeDump, "the companion file: "+format, args...)}
	}
	var raw map[string]struct {
		Shape *[]int64 `json:"shape"`
		Item  *[]int64 `json:"item_shape"`
		Relay *[]int64 `json:"relay_shape"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(f.Text)))
	if err := d.Decode(&raw); err != nil {
		return fail("%s", err)
	}
	declared := map[string]bool{}
	for _, in := range r.shapes {
		declared[in.Name] = true
	}
	var list []entry
	for key, v := range raw {
		id, err := strconv.Atoi(key)
		if err != nil || id < 0 || id >= len(r.nodes) {
			return fail("%q is no node of the dump", key)
		}
		e := entry{id: id, at: source.Span{File: r.file, Start: r.nodes[id].at, End: r.nodes[id].at + 1}}
		for _, x := range []struct {
			from *[]int64
			to   *[]int64
			has  *bool
		}{{v.Shape, &e.shape, &e.hasShape}, {v.Item, &e.item, &e.hasItem}, {v.Relay, &e.relay, &e.hasRel}} {
			if x.from != nil {
				*x.to, *x.has = *x.from, true
			}
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return a.id - b.id })
	tensors := map[int]bool{}
	for id, n := range r.nodes {
		if r.reached[id] && n.symbol == "access-tensor" && len(n.children) == 1 {
			tensors[n.children[0]] = true
		}
	}
	for _, e := range list {
		n := r.nodes[e.id]
		if !tensors[e.id] || len(n.children) > 0 || declared[n.symbol] {
			continue
		}
		declared[n.symbol] = true
		in := domain.Input{Name: n.symbol, Elem: domain.Float32}
		for _, d := range e.dims() {
			if d < 0 {
				return fail("node %d has the dim %d", e.id, d)
			}
			in.Dims = append(in.Dims, domain.Dim{Size: domain.IntSize(d)})
		}
		r.shapes = append(r.shapes, in)
	}
	return list, nil
}

func (e *entry) dims() []int64 {
	if e.hasRel && !e.hasShape {
		return e.relay
	}
	return slices.Concat(e.shape, e.item)
}

// compare holds each entry of the companion, and each shape that a call ends with, to the types inferred.
func (r *reader) compare(types map[int]*glenside.Type, entries []entry) error {
	for id, dims := range r.claims {
		if t := types[id]; t != nil && !slices.Equal(numbersOf(t.Dims), dims) {
			return r.errorf(id, CodeShape, "the call ends with the shape %s of its result, which is %s", list(dims), list(numbersOf(t.Dims)))
		}
	}
	for _, e := range entries {
		t := types[e.id]
		if t == nil || t.Kind != glenside.TypeAccess && t.Kind != glenside.TypeTensor {
			continue
		}
		dims := numbersOf(t.Dims)
		if e.hasRel && !slices.Equal(e.relay, dims) || e.hasShape && e.hasItem && t.Kind == glenside.TypeAccess &&
			(!slices.Equal(e.shape, dims[:t.Split]) || !slices.Equal(e.item, dims[t.Split:])) ||
			!slices.Equal(e.dims(), dims) {
			return r.errorf(e.id, CodeCompanion, "the companion file has node %d as %s with items %s, and it is %s", e.id,
				list(e.dims()), list(e.item), t)
		}
	}
	return nil
}

func numbersOf(dims []domain.Size) []int64 {
	out := make([]int64, len(dims))
	for i, d := range dims {
		out[i], _ = d.Int64()
	}
	return out
}

func list(dims []int64) string { return strings.ReplaceAll(fmt.Sprint(dims), "[]", "()") }
