// Package cells is the table of vendors' cells: what a LUT, a carry block or a register computes, as data.
//
//	cells.go        Library and Cell; Configure, which makes a Model of a cell and its parameters
//	read.go         the reader of tables
//	term.go         the terms of tables, as words
//	xilinx.cells    7-series and UltraScale+
//	lattice.cells   ECP5
//	sofa.cells      the fracturable LUT of SOFA
//	intel.cells     Cyclone V and Cyclone 10 LP
//	generic.cells   registers of Yosys, which all architectures have
//
// A table is a list of (cell NAME ITEM..). The items:
//
//	(param NAME WIDTH VALUE)         a parameter of bits, and its value where a netlist has none
//	(param NAME "TEXT" "TEXT"..)     one that is one of some texts; the first is the default
//	(in PIN..), (out PIN..)          pins; PIN is NAME, of one bit, (NAME WIDTH) or, of inputs, (NAME WIDTH VALUE) with what it reads when open
//	(row in NAME WIDTH [VALUE])      pins NAME0, NAME1, .. of one bit, which terms name together as the word NAME
//	(row out NAME WIDTH)
//	(let NAME TERM)                  a name for what follows
//	(is PIN TERM), (is (PIN H L) TERM)  what an output computes, all of it or a part
//	(clock PIN TERM)                 the clock of the registers that follow; TERM is 1 if these load on the falling edge. For PIN there may be
//	                                 (choose PARAM ("TEXT" PIN).. (else PIN))
//	(register NAME WIDTH INITIAL NEXT)  a register; NAME in terms is what it holds
//	(inactive TERM "WHAT")           must be 0 under all inputs, or the cell is refused as unsupported: "WHAT"
//	(asynchronous TERM VALUE)        while TERM is 1 the one register is VALUE, whatever the clock does
//	(forbidden TERM HELD "WHAT" [PIN OUT])  TERM, of pins, must be 0: where constant pins make it 1 that is illegal-configuration. Where they do not
//	                                 decide, HELD, which may read registers, has to be 0 in all states that are reached. With PIN it is said of
//	                                 a cell where that is open, or driven by neither constants nor the output OUT of a cell of the kind
//	(illegal TERM "WHAT")            of parameters alone: 1 is illegal-configuration: "WHAT"
//	(ignored PIN.. PARAM..)          names that are accepted and mean nothing
//	(trusts "TEXT")                  what a verdict about the cell rests on
//
// A part of an output depends on the bits that its term reads, and on no others: a carry chain is written bit by bit.
package cells

import (
	"embed"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tv/internal/sexpr"
	"tv/semantics/bits/word"
)

// A Pin of a cell.
type Pin struct {
	Name    string
	Width   int
	Default *big.Int // of an input: what it reads when open; nil: nothing
}

// A Param is a parameter: of Width bits, or one of Texts.
type Param struct {
	Name    string
	Width   int // 0: one of Texts
	Default *big.Int
	Any     bool // of INIT: without it the register starts as anything
	Texts   []string
	Table   bool // a lookup reads it
}

// A Cell is a primitive of an architecture.
type Cell struct {
	Arch    string
	Name    string
	Inputs  []Pin
	Outputs []Pin
	Params  []Param
	ignored map[string]bool
	rows    map[string]row
	items   []*sexpr.Form // let, is, clock, register, inactive, illegal, trusts
	models  map[string]*Model
}

type row struct{ width int }

// A Value is that of a parameter in a netlist.
type Value struct {
	Text    string
	IsText  bool
	Bits    *big.Int
	Unknown *big.Int // bits that are x; nil: none
	Width   int      // 0: as many as fit
}

// A Model is a cell under its parameters.
type Model struct {
	Cell      *Cell // nil: made of an expression
	Inputs    []Pin // in the order of the bits that instances connect, least first
	Outputs   []Pin
	Parts     []Part
	Of        []int // the part of each bit of the outputs; below 0: what it computes is not said
	Registers []Register
	Inactive  []Inactive
	Async     *Async // nil: registers change at the clock alone
	Trusts    []string
}

// An Async is an asynchronous reset of the one register of a model: while Active is 1, bits of Mask are those of Value.
type Async struct {
	Active      Part
	Value, Mask *big.Int
}

// A Part is what bits of the outputs are computed from: Word is over Input(pin) and State(register).
type Part struct {
	At      int // the first of its bits among those of all outputs
	Word    *word.Word
	Reach   []*word.Word // of Word
	Steps   []Step       // by Reach
	Narrow  bool         // each word of Reach has one bit, or is read bit by bit
	Support []int        // bits of the inputs that it reads, ascending
}

// A Step is where a word of a part finds what it is made of.
type Step struct {
	Args []int32 // places in Reach
	At   int32   // of an input, or of a field of one: its first bit among those of all inputs
}

// A Register of a cell. Bits of Open start as anything.
type Register struct {
	Name    string
	Width   int
	Initial *big.Int
	Open    *big.Int // nil: none
	Next    Part
	Clock   string // the pin
	Falling bool   // loads on the falling edge
}

// An Inactive is what must be 0.
type Inactive struct {
	Part
	Held    Part // of Illegal: what must be 0 in each cycle, where pins do not decide
	What    string
	Illegal bool   // 1 is no configuration that the cell has
	Open    string // if not empty, it has to be so only where this pin is open, or From does not drive it
	From    string // an output of cells of the kind
}

// An Error is a parameter or configuration that a cell does not have.
type Error struct {
	Code  string
	Param string // empty: of the whole cell
	Text  string
}

func (e *Error) Error() string { return e.Text }

//go:embed *.cells
var tables embed.FS

// Arches are the architectures, in the order of their names.
var Arches = []string{"intel", "lattice", "sofa", "xilinx"}

var library = sync.OnceValue(func() map[string]map[string]*Cell {
	out := map[string]map[string]*Cell{}
	for _, arch := range append([]string{generic}, Arches...) {
		data, err := tables.ReadFile(arch + ".cells")
		if err != nil {
			panic(err)
		}
		out[arch] = readTable(arch, arch+".cells", string(data))
	}
	return out
})

// generic are cells that all architectures have, and no vendor.
const generic = "generic"

// Find returns the cell of an architecture, or one that belongs to none, or nil.
func Find(arch, name string) *Cell {
	if c := ofNone(name); c != nil {
		return c
	}
	return library()[arch][name]
}

// Generic tells whether a cell belongs to no architecture.
func Generic(name string) bool { return ofNone(name) != nil }

// ofNone is a cell of no architecture, or nil.
func ofNone(name string) *Cell {
	if c := register(name); c != nil {
		return c
	}
	return library()[generic][name]
}

// wordRegister and wordClear begin the names of registers of words.
const (
	wordRegister = "$dff$"
	wordClear    = "$adff$"
)

// WordRegister is the name of a cell that holds a word: Q is what D was at the last edge of C, the falling one where FALLS is 1, and INIT at
// first. It is one of no table, as it is there in every width.
func WordRegister(width int) string { return wordRegister + strconv.Itoa(width) }

// WordClear is the name of a cell that is such a register with an asynchronous reset: Q is VALUE while R is 1.
func WordClear(width int) string { return wordClear + strconv.Itoa(width) }

var registers sync.Map // by name

// register is the cell of such a name, or nil.
func register(name string) *Cell {
	if c, ok := registers.Load(name); ok {
		return c.(*Cell)
	}
	pins, params, clears := "C", "", ""
	digits, ok := strings.CutPrefix(name, wordRegister)
	if !ok {
		if digits, ok = strings.CutPrefix(name, wordClear); !ok {
			return nil
		}
		pins, params, clears = "C R", "(param VALUE %[2]d 0)", "(asynchronous R VALUE)"
	}
	width, err := strconv.Atoi(digits)
	if err != nil || width < 1 {
		return nil
	}
	text := fmt.Sprintf("(cell %[1]s (param FALLS 1 0) (param INIT %[2]d x)"+params+" (in "+pins+" (D %[2]d)) (out (Q %[2]d)) (clock C FALLS) "+
		"(register q %[2]d INIT D) "+clears+" (is Q q))", name, width)
	c, _ := registers.LoadOrStore(name, readTable(generic, name, text)[name])
	return c.(*Cell)
}

// ones has all bits of a width.
func ones(width int) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return v.Sub(v, big.NewInt(1))
}

// All returns the cells of an architecture, by name.
func All(arch string) []*Cell {
	table := library()[arch]
	var out []*Cell
	for _, name := range slices.Sorted(maps.Keys(table)) {
		out = append(out, table[name])
	}
	return out
}

// Definition is what the table says of outputs and registers, an item a line, with the names of pins and parameters.
func (c *Cell) Definition() (items []string) {
	for _, x := range c.items {
		items = append(items, strings.Join(strings.Fields(x.Span.Text()), " "))
	}
	return items
}

// Input returns the input pin of a name, or nil.
func (c *Cell) Input(name string) *Pin { return find(c.Inputs, name) }

// Output returns the output pin of a name, or nil.
func (c *Cell) Output(name string) *Pin { return find(c.Outputs, name) }

func find(pins []Pin, name string) *Pin {
	for i := range pins {
		if pins[i].Name == name {
			return &pins[i]
		}
	}
	return nil
}

// HasPin tells whether a pin of the name may be connected.
func (c *Cell) HasPin(name string) bool {
	return c.Input(name) != nil || c.Output(name) != nil || c.ignored[name]
}

// Ignores tells whether a pin or parameter means nothing.
func (c *Cell) Ignores(name string) bool { return c.ignored[name] }

// Configure returns the cell under parameters. Its error is an *Error.
func (c *Cell) Configure(values map[string]Value) (*Model, error) {
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		fmt.Fprintf(&key, "%s %q %v %v %d\n", name, v.Text, v.Bits, v.Unknown, v.Width)
	}
	if m := c.models[key.String()]; m != nil {
		return m, nil
	}
	bound, open, err := c.bind(values)
	if err != nil {
		return nil, err
	}
	m, err := c.build(bound, open)
	if err != nil {
		return nil, err
	}
	if c.models == nil {
		c.models = map[string]*Model{}
	}
	c.models[key.String()] = m
	return m, nil
}

// Hole is what comes before the name of a parameter where a word reads it as an input.
const Hole = "#"

// Symbolic is the cell with its parameters of bits as inputs of their own, named by Hole and their names: those parameters are to be found.
// values are of texts. Such a model is for words alone, what it reads is not said. Its error is an *Error.
func (c *Cell) Symbolic(values map[string]Value) (*Model, error) {
	bound, open, err := c.bind(values)
	if err != nil {
		return nil, err
	}
	for _, p := range c.Params {
		if p.Width > 0 {
			delete(bound, p.Name)
		}
	}
	return c.build(bound, open)
}

// bind gives each parameter a value: bits, or the index among its texts. open has the bits that are x.
func (c *Cell) bind(values map[string]Value) (bound, open map[string]*big.Int, err error) {
	bound, open = map[string]*big.Int{}, map[string]*big.Int{}
	for name := range values {
		if !c.ignored[name] && !slices.ContainsFunc(c.Params, func(p Param) bool { return p.Name == name }) {
			return nil, nil, &Error{"unknown-parameter", name, fmt.Sprintf("%s has no parameter %s", c.Name, name)}
		}
	}
	for _, p := range c.Params {
		v, ok := values[p.Name]
		wrong := func(code, format string, args ...any) (map[string]*big.Int, map[string]*big.Int, error) {
			return nil, nil, &Error{code, p.Name, fmt.Sprintf("parameter %s of %s ", p.Name, c.Name) + fmt.Sprintf(format, args...)}
		}
		switch {
		case !ok && p.Width > 0:
			bound[p.Name] = p.Default
			if p.Any {
				open[p.Name] = ones(p.Width)
			}
		case !ok:
			bound[p.Name] = new(big.Int)
		case p.Width == 0:
			i := slices.Index(p.Texts, v.Text)
			if !v.IsText && v.Unknown == nil { // Lakeroad and others write 0 and 1 for texts that are digits
				i = slices.Index(p.Texts, v.Bits.String())
			}
			if i < 0 {
				return wrong("illegal-configuration", "is one of %s", strings.Join(p.Texts, ", "))
			}
			bound[p.Name] = big.NewInt(int64(i))
		case v.IsText:
			return wrong("width", "is a number of %d bits", p.Width)
		case v.Width != 0 && v.Width != p.Width:
			return wrong("width", "is %d wide, and this %d", p.Width, v.Width)
		case v.Bits.Sign() < 0 || v.Bits.BitLen() > p.Width:
			return wrong("width", "is %d wide, and this number is wider", p.Width)
		case v.Unknown != nil && v.Unknown.Sign() != 0 && p.Name != "INIT":
			return wrong("four-valued", "has a bit that is x or z")
		default:
			bound[p.Name] = v.Bits
			if v.Unknown != nil {
				open[p.Name] = v.Unknown
			}
		}
	}
	return bound, open, nil
}

// build makes the model of parameters that are bound.
func (c *Cell) build(bound, open map[string]*big.Int) (*Model, error) {
	m := &Model{Cell: c, Inputs: c.Inputs, Outputs: c.Outputs}
	t := &terms{cell: c, b: word.NewBuilder(), names: map[string]*word.Word{}, bound: bound}
	for _, p := range c.Inputs {
		t.names[p.Name] = t.b.Input(p.Name, p.Width, 0)
	}
	for _, p := range c.Params {
		if p.Width > 0 && bound[p.Name] == nil {
			t.names[p.Name] = t.b.Input(Hole+p.Name, p.Width, 0)
		} else if p.Width > 0 {
			t.names[p.Name] = t.b.Const(p.Width, bound[p.Name])
		}
	}
	for name, r := range c.rows {
		parts := make([]*word.Word, r.width)
		for i := range parts {
			parts[r.width-1-i] = t.names[fmt.Sprintf("%s%d", name, i)]
		}
		if parts[0] != nil {
			t.names[name] = t.b.Concat(parts...)
		}
	}
	for _, x := range c.items { // a register may be read before the item that says what it loads
		if x.Head() == "register" {
			t.names[x.List[1].Atom] = t.b.State(x.List[1].Atom, t.number(x.List[2]))
		}
	}
	var clock string
	var falling bool
	for _, x := range c.items {
		switch x.Head() {
		case "let":
			t.names[x.List[1].Atom] = t.term(x.List[2])
		case "is":
			at, width := t.target(x.List[1])
			w := t.term(x.List[2])
			t.require(x, w.Width == width, "an output of %d bits is of %d", width, w.Width)
			m.Parts = append(m.Parts, NewPart(t.b, w, at, c.Inputs))
		case "clock":
			pin := x.List[1]
			if pin.IsList {
				pin = t.choice(pin)
			}
			w := t.term(x.List[2])
			t.require(x, w.Op == word.Const && c.Input(pin.Atom) != nil, "the clock is a pin, its edge one of parameters")
			clock, falling = pin.Atom, w.Value.Sign() != 0
		case "register":
			name := x.List[1].Atom
			initial := t.term(x.List[3])
			t.require(x, initial.Op == word.Const, "the initial value is one of parameters")
			next := t.term(x.List[4])
			width := t.names[name].Width
			t.require(x, next.Width == width && initial.Width == width, "a register of %d bits", width)
			r := Register{Name: name, Width: width, Initial: initial.Value, Next: NewPart(t.b, next, 0, c.Inputs), Clock: clock, Falling: falling}
			if !x.List[3].IsList { // of a parameter whose bits may be open
				r.Open = open[x.List[3].Atom]
			}
			m.Registers = append(m.Registers, r)
		case "asynchronous":
			active, value := t.term(x.List[1]), t.term(x.List[2])
			t.require(x, value.Op == word.Const, "the value of a reset is one of parameters")
			if active.Op != word.Const || active.Value.Sign() != 0 {
				m.Async = &Async{NewPart(t.b, active, 0, c.Inputs), value.Value, ones(value.Width)}
			}
		case "inactive":
			m.Inactive = append(m.Inactive, Inactive{Part: NewPart(t.b, t.term(x.List[1]), 0, c.Inputs), What: x.List[2].Atom})
		case "forbidden":
			i := Inactive{Part: NewPart(t.b, t.term(x.List[1]), 0, c.Inputs), Held: NewPart(t.b, t.term(x.List[2]), 0, c.Inputs),
				What: x.List[3].Atom, Illegal: true}
			if len(x.List) > 4 {
				i.Open, i.From = x.List[4].Atom, x.List[5].Atom
			}
			m.Inactive = append(m.Inactive, i)
		case "illegal":
			w := t.term(x.List[1])
			t.require(x, w.Op == word.Const, "legality is one of parameters")
			if w.Value.Sign() != 0 {
				return nil, &Error{"illegal-configuration", "", c.Name + ": " + x.List[2].Atom}
			}
		case "trusts":
			m.Trusts = append(m.Trusts, x.List[1].Atom)
		}
	}
	for name := range open { // only registers start as anything
		if !slices.ContainsFunc(m.Registers, func(r Register) bool { return r.Open != nil }) {
			return nil, &Error{"four-valued", name, fmt.Sprintf("parameter %s of %s has a bit that is x or z", name, c.Name)}
		}
	}
	m.settle()
	return m, nil
}

// settle drops registers that nothing reads: their pins do not matter then, nor what is trusted about them.
func (m *Model) settle() {
	read := map[string]bool{}
	var reads func(p Part)
	reads = func(p Part) {
		for _, w := range p.Reach {
			if w.Op == word.State && !read[w.Name] {
				read[w.Name] = true
				for _, r := range m.Registers {
					if r.Name == w.Name {
						reads(r.Next)
					}
				}
			}
		}
	}
	for _, x := range m.Inactive {
		if x.Illegal {
			reads(x.Held)
		}
	}
	m.Of = slices.Repeat([]int{-1}, Width(m.Outputs))
	for i, p := range m.Parts {
		reads(p)
		for bit := range p.Word.Width {
			m.Of[p.At+bit] = i
		}
	}
	m.Registers = slices.DeleteFunc(m.Registers, func(r Register) bool { return !read[r.Name] })
	if len(m.Registers) == 0 {
		m.Trusts, m.Async = nil, nil
	}
}

// Control tells whether constant pins choose what the cell is: then a model is to be specialised before it is asked what it reads.
func (m *Model) Control() bool {
	return slices.ContainsFunc(m.Inactive, func(i Inactive) bool { return i.Illegal })
}

// Specialise is the model where bits of the inputs are constants. What these do not select is not read.
func (m *Model) Specialise(constant func(at int) (value, ok bool)) *Model {
	b := word.NewBuilder()
	pins := map[string]*word.Word{}
	at := 0
	for _, p := range m.Inputs {
		whole := b.Input(p.Name, p.Width, 0)
		parts := make([]*word.Word, p.Width)
		for i := range parts {
			parts[p.Width-1-i] = b.Bit(whole, i)
			if v, ok := constant(at + i); ok {
				parts[p.Width-1-i] = b.Bool(v)
			}
		}
		pins[p.Name] = b.Simplify(b.Concat(parts...))
		at += p.Width
	}
	again := func(p Part) Part {
		done := map[*word.Word]*word.Word{}
		for _, x := range p.Reach {
			if x.Op == word.Input {
				done[x] = pins[x.Name]
				continue
			}
			args := make([]*word.Word, len(x.Args))
			for i, a := range x.Args {
				args[i] = done[a]
			}
			done[x] = b.With(x, args)
		}
		return NewPart(b, done[p.Word], p.At, m.Inputs)
	}
	out := *m
	out.Parts, out.Registers, out.Inactive = nil, nil, nil
	for _, x := range m.Inactive {
		if x.Illegal {
			x.Held = again(x.Held)
		}
		out.Inactive = append(out.Inactive, x)
	}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, again(p))
	}
	for _, r := range m.Registers {
		r.Next = again(r.Next)
		out.Registers = append(out.Registers, r)
	}
	out.settle()
	return &out
}

// Resettable is the model with an input pin of one bit behind the others, which is 1 in a cycle in which the asynchronous reset was active for
// some time, if not at its end: what the register holds in that cycle is the value of the reset then.
func (m *Model) Resettable(pin string) *Model {
	out := *m
	out.Inputs = append(slices.Clone(m.Inputs), Pin{Name: pin, Width: 1})
	b := word.NewBuilder()
	again := func(p Part, state *word.Word) *word.Word {
		done := map[*word.Word]*word.Word{}
		for _, x := range p.Reach {
			if x.Op == word.State {
				done[x] = state
				continue
			}
			args := make([]*word.Word, len(x.Args))
			for i, a := range x.Args {
				args[i] = done[a]
			}
			done[x] = b.With(x, args)
		}
		return done[p.Word]
	}
	r := m.Registers[0]
	state := b.State(r.Name, r.Width)
	active := again(m.Async.Active, state)
	reset := func(w *word.Word) *word.Word {
		keep := b.Const(r.Width, new(big.Int).AndNot(ones(r.Width), m.Async.Mask))
		return b.Apply(word.Or, b.Apply(word.And, w, keep), b.Const(r.Width, m.Async.Value))
	}
	held := b.Apply(word.Ite, b.Apply(word.Or, active, b.Input(pin, 1, 0)), reset(state), state)
	out.Parts = nil
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, NewPart(b, again(p, held), p.At, out.Inputs))
	}
	next := again(r.Next, held)
	r.Next = NewPart(b, b.Apply(word.Ite, active, reset(next), next), 0, out.Inputs)
	out.Registers = []Register{r}
	return &out
}

// Several tells whether cells of a kind may have more than one register.
func (c *Cell) Several() bool {
	n := 0
	for _, x := range c.items {
		if x.Head() == "register" {
			n++
		}
	}
	return n > 1
}

// NewModel is the model of an expression: parts of outputs over inputs.
func NewModel(inputs, outputs []Pin, parts []Part) *Model {
	m := &Model{Inputs: inputs, Outputs: outputs, Parts: parts}
	m.settle()
	return m
}

// NewPart simplifies w, and finds what it reads of inputs.
func NewPart(b *word.Builder, w *word.Word, at int, inputs []Pin) Part {
	w = b.Simplify(w)
	p := Part{At: at, Word: w, Reach: word.Reach(w)}
	first := map[string]int{}
	n := 0
	for _, in := range inputs {
		first[in.Name] = n
		n += in.Width
	}
	read := map[int]bool{}
	add := func(in *word.Word, lo, hi int) {
		at, isPin := first[in.Name]
		for i := lo; i <= hi && isPin; i++ {
			read[at+i] = true
		}
	}
	whole := func(x *word.Word) {
		if x.Op == word.Input {
			add(x, 0, x.Width-1)
		}
	}
	whole(w)
	for _, x := range p.Reach {
		if x.Op == word.Extract && x.Args[0].Op == word.Input {
			add(x.Args[0], x.Lo, x.Hi)
			continue
		}
		for _, a := range x.Args {
			whole(a)
		}
	}
	p.Support = slices.Sorted(maps.Keys(read))
	p.Steps, p.Narrow = make([]Step, len(p.Reach)), true
	for i, x := range p.Reach {
		step := &p.Steps[i]
		for _, a := range x.Args {
			at, _ := slices.BinarySearchFunc(p.Reach[:i], a.ID, func(w *word.Word, id int) int { return w.ID - id })
			step.Args = append(step.Args, int32(at))
		}
		switch {
		case x.Op == word.Input:
			step.At = int32(first[x.Name])
		case x.Op == word.Extract && x.Args[0].Op == word.Input:
			step.At = int32(first[x.Args[0].Name] + x.Lo)
		case x.Op == word.State || x.Op == word.Extract && x.Args[0].Op == word.State:
		default:
			p.Narrow = p.Narrow && !slices.ContainsFunc(x.Args, func(a *word.Word) bool { return a.Width > 1 })
		}
		p.Narrow = p.Narrow && (x.Width == 1 || x.Op == word.Input || x.Op == word.State) && narrow[x.Op]
	}
	p.Narrow = p.Narrow && w.Width == 1
	return p
}

// narrow are the operations of narrow parts.
var narrow = map[word.Op]bool{word.Input: true, word.State: true, word.Const: true, word.Extract: true, word.Not: true, word.And: true,
	word.Or: true, word.Xor: true, word.Ite: true, word.Eq: true, word.Lookup: true}

// Offset is the place of the first bit of a pin among those of pins.
func Offset(pins []Pin, name string) int {
	n := 0
	for _, p := range pins {
		if p.Name == name {
			return n
		}
		n += p.Width
	}
	return -1
}

// Width is the number of bits of pins.
func Width(pins []Pin) (n int) {
	for _, p := range pins {
		n += p.Width
	}
	return n
}
