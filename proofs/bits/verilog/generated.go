package verilog

import (
	"fmt"
	"maps"
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// A generated part of a module is a loop of a block, or blocks of which the first one whose
// condition holds is there.
type generated struct {
	number      int        // among those of a module or block, from 1
	start, step *statement // of a loop
	args        []*node    // conditions; the last block may have none
	of          *node      // what a case compares
	labels      [][]*node  // of its blocks; nil: by default
	blocks      []*module  // without ports
}

func (t *tokens) generated(number int) *generated {
	t.deep++
	defer func() { t.deep-- }()
	gates.Need(t.deep < 100, "generated blocks nest too deeply")
	g := &generated{number: number}
	if t.take("for") {
		t.want("(")
		t.take("genvar")
		g.start = t.assignment()
		t.want(";")
		g.args = []*node{t.expression(0)}
		t.want(";")
		g.step = t.step()
		t.want(")")
		from, to := g.start.args[0], g.step.args[0]
		counts := g.start.op == "=" && g.step.op == "=" && from.op == "name" && to.op == "name"
		gates.Need(counts && from.text == to.text, "a loop that does not count")
		g.blocks = []*module{t.generatedBlock()}
		return g
	}
	if t.take("case") {
		g.of = t.condition()
		for !t.take("endcase") {
			var labels []*node
			if t.take("default") {
				t.take(":")
			} else {
				for n := 0; n == 0 || t.take(","); n++ {
					labels = append(labels, t.expression(0))
				}
				t.want(":")
			}
			g.labels = append(g.labels, labels)
			g.blocks = append(g.blocks, t.generatedBlock())
		}
		return g
	}
	for t.take("if") {
		g.args = append(g.args, t.condition())
		g.blocks = append(g.blocks, t.generatedBlock())
		if !t.take("else") {
			return g
		}
	}
	g.blocks = append(g.blocks, t.generatedBlock())
	return g
}

func (t *tokens) generatedBlock() *module {
	m := &module{local: map[string]bool{}, functions: map[string]*function{}}
	if !t.take("begin") {
		t.item(m)
		return m
	}
	if t.take(":") {
		m.name = t.name()
	}
	for !t.take("end") {
		t.item(m)
	}
	if t.take(":") {
		gates.Need(t.name() == m.name, "a block that ends with another name")
	}
	for _, d := range m.declared {
		gates.Need(d.kind == "", "a port in a block")
	}
	return m
}

// generate makes the blocks of a part.
func (f *frame) generate(g *generated) {
	if g.of != nil {
		if i := f.labelled(g); i >= 0 {
			f.inner(g, g.blocks[i], "", f.all())
		}
		return
	}
	if g.start == nil {
		for i, m := range g.blocks {
			if i < len(g.args) && !f.yes(g.args[i]) {
				continue
			}
			f.inner(g, m, "", f.all())
			return
		}
		return
	}
	name := g.start.args[0].text
	seen := map[int]bool{}
	for n := f.constant(g.start.args[1]); ; {
		in := *f
		in.buses = f.all()
		in.buses[name] = &bus{name: name, width: 32, signed: true, left: 31, isRanged: true,
			value: circuit.Constant(gates.Number(uint64(n)&0xffffffff, 32))}
		if !in.yes(g.args[0]) {
			return
		}
		gates.Need(!seen[n] && len(seen) < 1<<13, "a loop of blocks without end")
		seen[n] = true
		f.inner(g, g.blocks[0], fmt.Sprintf("[%d]", n), in.buses)
		n = in.constant(g.step.args[1])
	}
}

// labelled is the block of a case that has the label; that by default, or -1, where none has. All
// are as wide as the widest, and have signs if all have.
func (f *frame) labelled(g *generated) int {
	width, signed := f.shape(g.of)
	for _, labels := range g.labels {
		for _, l := range labels {
			w, isSigned := f.shape(l)
			width, signed = max(width, w), signed && isSigned
		}
	}
	value, otherwise := f.constantBits(g.of, width, signed), -1
	for i, labels := range g.labels {
		if labels == nil {
			gates.Need(otherwise < 0, "two defaults")
			otherwise = i
		}
	}
	for i, labels := range g.labels {
		for _, l := range labels {
			if slices.Equal(f.constantBits(l, width, signed), value) {
				return i
			}
		}
	}
	return otherwise
}

// yes is a constant condition.
func (f *frame) yes(x *node) bool {
	holds, ok := f.decided(x)
	gates.Need(ok, "a condition that is no constant")
	return holds
}

// inner opens a block, which sees what is around it. A block without a name has the number of what
// generates it.
func (f *frame) inner(g *generated, m *module, index string, around map[string]*bus) {
	label := m.name
	if label == "" {
		label = fmt.Sprint("genblk", g.number)
	}
	own := *m
	own.functions = maps.Clone(f.module.functions)
	maps.Copy(own.functions, m.functions)
	in := &frame{netlist: f.netlist, module: &own, path: f.path + label + index + ".",
		buses: map[string]*bus{}, kinds: map[string]string{}, around: around}
	in.declareAll(nil)
	f.blocks = append(f.blocks, in)
	in.connect()
}

// all is what is known here by its name.
func (f *frame) all() map[string]*bus {
	out := maps.Clone(f.around)
	if out == nil {
		out = map[string]*bus{}
	}
	maps.Copy(out, f.buses)
	return out
}

// frames are an instance and what it generates, blocks in blocks too.
func (f *frame) frames() []*frame {
	out := []*frame{f}
	for _, in := range f.blocks {
		out = slices.Concat(out, in.frames())
	}
	return out
}
