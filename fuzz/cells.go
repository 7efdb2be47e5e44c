package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	equivbits "tv/equiv/bits"
	"tv/equiv/fault"
	"tv/fuzz/circuits"
	"tv/internal/source"
	proof "tv/proofs/bits"
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/verilog"
	words "tv/semantics/bits/word"
)

// Cells hunts for faults in the models of vendors' cells. A case is a cell with drawn parameters and pins, as a netlist: the evaluator by
// cells, the words that the prover takes it for, a model that others wrote, under Icarus Verilog, and the model that the
// checker has of its own are held against one another.
type Cells struct {
	all                            []*cells.Cell
	compared, simulated, certified atomic.Int64
}

// NewCells hunts in the cells of these names, all where there is none. Errors: *source.Error with code unknown-cell.
func NewCells(names []string) (*Cells, error) {
	t := &Cells{}
	known := map[string]bool{}
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			known[c.Name] = true
			if len(names) == 0 || slices.Contains(names, c.Name) {
				t.all = append(t.all, c)
			}
		}
	}
	for _, n := range names {
		if !known[n] {
			return nil, &source.Error{Code: "unknown-cell", Msg: fmt.Sprintf("no table has a cell %s", n)}
		}
	}
	return t, nil
}

// Name returns "cells".
func (t *Cells) Name() string { return "cells" }

// ID names the cells.
func (t *Cells) ID() string {
	var names []string
	for _, c := range t.all {
		names = append(names, c.Arch+"/"+c.Name)
	}
	return strings.Join(names, " ")
}

// Worker returns a runner of cases.
func (t *Cells) Worker() Worker { return t }

// Remark says what was compared with what.
func (t *Cells) Remark() (text string, nothing bool) {
	n := t.compared.Load()
	return fmt.Sprintf("%d netlists of a cell: each in the evaluator and as words, %d in a model of others, %d in the checker's", n, t.simulated.Load(),
		t.certified.Load()), n == 0
}

// Kinds of findings of cells: what disagrees with the evaluator.
const (
	kindWords     = "words"
	kindSimulator = "simulator"
	kindChecker   = "checker" // its model computes something else
	kindRefusal   = "refusal" // it takes no such cell: a proof with one is unknown
)

// Limits: drawn configurations until a cell has one, cycles of a run, conflicts of a certificate.
const (
	cellTries     = 80
	cellCycles    = 12
	cellConflicts = 5000
)

// Case draws a cell, its parameters and what its pins are connected to.
func (t *Cells) Case(ctx context.Context, seed uint64, k int64) Outcome {
	draw := rand.New(rand.NewPCG(caseSeed(seed, k), 2))
	c := t.all[draw.IntN(len(t.all))]
	for range cellTries {
		text, features := drawnCell(draw, c)
		if _, err := readCell(c.Arch, text); err != nil {
			continue
		}
		return Outcome{Covered: features, Suspect: t.suspect(ctx, c.Arch, c.Name, text)}
	}
	return Outcome{}
}

// drawnCell is a netlist of one instance. Features are the cell with the texts of its parameters.
func drawnCell(draw *rand.Rand, c *cells.Cell) (text string, features []string) {
	values := map[string]cells.Value{}
	var params []string
	for _, p := range c.Params {
		if draw.IntN(3) == 0 || strings.HasPrefix(p.Name, "IS_") && draw.IntN(4) > 0 { // as it is without
			continue
		}
		v := cells.Value{Width: p.Width, Bits: drawnBits(draw, p.Width)}
		shown := fmt.Sprintf("%d'h%x", p.Width, v.Bits)
		if p.Width == 0 {
			v = cells.Value{IsText: true, Text: p.Texts[draw.IntN(len(p.Texts))]}
			shown = fmt.Sprintf("%q", v.Text)
			features = append(features, c.Name+" "+p.Name+" "+v.Text)
		}
		values[p.Name] = v
		params = append(params, fmt.Sprintf(".%s(%s)", p.Name, shown))
	}
	features = append(features, c.Arch+" "+c.Name)
	model, err := c.Configure(values)
	if err != nil {
		return "", nil
	}
	clocks := map[string]bool{}
	for _, r := range model.Registers {
		clocks[r.Clock] = true
	}
	fixed := fixedPins(model)
	var ports, pins []string
	for _, p := range c.Inputs {
		switch {
		case clocks[p.Name]:
			pins = append(pins, fmt.Sprintf(".%s(clk)", p.Name))
		case fixed[p.Name]:
			pins = append(pins, fmt.Sprintf(".%s(%d'h%x)", p.Name, p.Width, drawnBits(draw, p.Width)))
		case model.Control() && strings.HasPrefix(p.Name, "CE"):
			pins = append(pins, fmt.Sprintf(".%s(1'b1)", p.Name))
		case model.Control() && (strings.HasPrefix(p.Name, "RST") || strings.Contains(p.Name, "CIN")) || draw.IntN(12) == 0:
		default:
			ports = append(ports, fmt.Sprintf("input [%d:0] i_%s", p.Width-1, p.Name))
			pins = append(pins, fmt.Sprintf(".%s(i_%s)", p.Name, p.Name))
		}
	}
	if len(clocks) > 0 {
		ports = append(ports, "input clk")
	}
	for _, p := range c.Outputs {
		if model.Control() && p.Name != "P" { // what has no model is not read
			continue
		}
		ports = append(ports, fmt.Sprintf("output [%d:0] o_%s", p.Width-1, p.Name))
		pins = append(pins, fmt.Sprintf(".%s(o_%s)", p.Name, p.Name))
	}
	with := ""
	if len(params) > 0 {
		with = "#(" + strings.Join(params, ", ") + ") "
	}
	return fmt.Sprintf("module m(%s);\n  %s %su (%s);\nendmodule\n", strings.Join(ports, ", "), c.Name, with, strings.Join(pins, ", ")), features
}

func drawnBits(draw *rand.Rand, width int) *big.Int {
	v := new(big.Int)
	for i := range width {
		v.SetBit(v, i, uint(draw.IntN(2)))
	}
	return v
}

// fixedPins are those that have to be constant.
func fixedPins(m *cells.Model) map[string]bool {
	fixed := map[string]bool{}
	for _, x := range m.Inactive {
		for _, at := range x.Support {
			rest := at
			for _, p := range m.Inputs {
				if rest < p.Width {
					fixed[p.Name] = true
					break
				}
				rest -= p.Width
			}
		}
	}
	return fixed
}

func readCell(arch, text string) (*netlist.Netlist, error) {
	v, err := verilog.Parse(source.NewFile("m.v", text))
	if err != nil {
		return nil, err
	}
	return netlist.Elaborate(v, netlist.Options{Arch: arch, Top: "m"})
}

// A cellVerdict is who disagrees: nobody, where kind is "".
type cellVerdict struct{ kind, detail string }

func (t *Cells) suspect(ctx context.Context, arch, name, text string) *Suspect {
	v := t.examine(ctx, arch, name, text)
	if v.kind == "" || ctx.Err() != nil {
		return nil
	}
	key := v.kind + ": " + name
	return &Suspect{Key: key, Finding: func() Finding {
		return Finding{Kind: v.kind, Detail: v.detail, Replay: []string{"tv", "replay"},
			Text: headline(t.Name(), v.kind) + note(v.detail) + note(knownBy+": "+key) + note(cellArch+": "+arch) + note(cellName+": "+name) + section("m.v", text)}
	}}
}

// Lines of the files of findings of cells.
const (
	cellArch = "architecture"
	cellName = "cell"
)

func (t *Cells) examine(ctx context.Context, arch, name, text string) (v cellVerdict) {
	defer func() {
		if r := recover(); r != nil {
			v = cellVerdict{kindFault, fault.Text(r)}
		}
	}()
	net, err := readCell(arch, text)
	if err != nil {
		return cellVerdict{}
	}
	t.compared.Add(1)
	var in, out []circuits.Port
	for _, p := range net.Inputs {
		if p.Name != net.Clock {
			in = append(in, circuits.Port{Name: p.Name, Width: p.Width})
		}
	}
	for _, p := range net.Outputs {
		out = append(out, circuits.Port{Name: p.Name, Width: p.Width})
	}
	draw := rand.New(rand.NewPCG(9, uint64(len(text))))
	var inputs []map[string]*big.Int
	for range cellCycles {
		values := map[string]*big.Int{}
		for _, p := range in {
			values[p.Name] = drawnBits(draw, p.Width)
		}
		inputs = append(inputs, values)
	}
	m := net.NewMachine(nil)
	var said []map[string]*big.Int
	for _, values := range inputs {
		out, _ := m.Step(values)
		said = append(said, out)
	}
	design := net.Design(words.NewBuilder())
	if v := againstWords(design, inputs, said); v.kind != "" {
		return v
	}
	if v := t.againstSimulator(ctx, net, name, text, in, out, inputs, said); v.kind != "" {
		return v
	}
	return t.againstChecker(ctx, net, text, in)
}

// againstWords runs the words of a design from its initial state.
func againstWords(d *bits.Design, inputs, said []map[string]*big.Int) cellVerdict {
	state := map[string]*big.Int{}
	var roots []*words.Word
	for _, r := range d.Registers {
		if state[r.Name] = r.Initial; r.Initial == nil || r.Open != nil && r.Open.Sign() != 0 {
			return cellVerdict{}
		}
		roots = append(roots, r.Next)
	}
	for _, o := range d.Outputs {
		roots = append(roots, o.Word)
	}
	for cycle, values := range inputs {
		of := words.Eval(func(w *words.Word) *big.Int {
			if w.Op == words.State {
				return state[w.Name]
			}
			return values[w.Name]
		}, roots...)
		for _, o := range d.Outputs {
			if of[o.Word].Cmp(said[cycle][o.Name]) != 0 {
				return cellVerdict{kindWords, fmt.Sprintf("%s at cycle %d: %x by cells, %x by words", o.Name, cycle, said[cycle][o.Name], of[o.Word])}
			}
		}
		next := map[string]*big.Int{}
		for _, r := range d.Registers {
			next[r.Name] = of[r.Next]
		}
		state = next
	}
	return cellVerdict{}
}

func (t *Cells) againstSimulator(ctx context.Context, net *netlist.Netlist, name, text string, in, out []circuits.Port,
	inputs, said []map[string]*big.Int,
) cellVerdict {
	if !circuits.Modelled(net.Arch, name) || !simulable(cells.Find(net.Arch, name), text) {
		return cellVerdict{}
	}
	shown, err := circuits.Simulated(ctx, text, net.Arch, net.Clock, in, out, inputs)
	if err != nil { // there is no simulator, or its model has not that parameter
		return cellVerdict{}
	}
	t.simulated.Add(1)
	for cycle, values := range shown {
		for _, o := range out {
			mine := fmt.Sprintf("%0*b", o.Width, said[cycle][o.Name])
			if theirs := values[o.Name]; theirs != mine && !strings.ContainsAny(theirs, "xz") {
				return cellVerdict{kindSimulator, fmt.Sprintf("%s at cycle %d: %s here, %s in the simulator", o.Name, cycle, mine, theirs)}
			}
		}
	}
	return cellVerdict{}
}

// simulable tells whether a simulator can be asked: an open pin is z there, and the models of others have no inverted controls.
func simulable(c *cells.Cell, text string) bool {
	for _, p := range c.Inputs {
		if !strings.Contains(text, "."+p.Name+"(") {
			return false
		}
	}
	return !strings.Contains(text, "IS_C_INVERTED(1'h1") && !strings.Contains(text, "IS_CE_INVERTED(1'h1") &&
		!strings.Contains(text, "IS_CLR_INVERTED(1'h1") && !strings.Contains(text, "IS_PRE_INVERTED(1'h1")
}

// againstChecker has the checker accept that a netlist is the specification that its words are: it reads the cell by its own table.
func (t *Cells) againstChecker(ctx context.Context, net *netlist.Netlist, text string, in []circuits.Port) cellVerdict {
	b := words.NewBuilder()
	design := net.Design(b)
	if _, ok := design.Depth(); !ok { // the checker asks no constant whether a register keeps what it has
		return cellVerdict{}
	}
	outputs, depth, ok := design.Unrolled(b, 0)
	if !ok {
		return cellVerdict{}
	}
	var names []string
	for _, o := range design.Outputs {
		names = append(names, o.Name)
	}
	spec, latency, ok := circuits.Specification(in, names, outputs)
	if !ok || depth > latency {
		return cellVerdict{}
	}
	s, err := bv.Parse(source.NewFile("m.bv", spec))
	if err != nil {
		return cellVerdict{kindFault, "the words of a cell are no specification: " + err.Error()}
	}
	q := equivbits.Question{Before: lower.Design(s, b), After: design, Latency: latency}
	r, err := equivbits.Check(ctx, q, equivbits.Options{Conflicts: cellConflicts})
	switch {
	case err != nil || r.Verdict == equivbits.Unknown:
		return cellVerdict{}
	case r.Verdict == equivbits.Refuted:
		return cellVerdict{kindWords, "the words of a cell, written as a specification, are not the cell"}
	}
	certificate := r.Certificate(q, equivbits.Text{Language: "bv", Name: "m.bv", Data: spec}, equivbits.Text{Language: "verilog", Name: "m.v", Data: text, Top: "m"})
	if certificate == nil {
		return cellVerdict{}
	}
	t.certified.Add(1)
	if _, err := proof.Check(certificate); err != nil {
		kind := kindRefusal
		for _, sign := range []string{"differ", "not shown"} {
			if strings.Contains(err.Error(), sign) {
				kind = kindChecker
			}
		}
		return cellVerdict{kind, "the checker refuses what the prover's model shows: " + err.Error()}
	}
	return cellVerdict{}
}

// Again examines the netlist of a file.
func (t *Cells) Again(e *Entry) (Outcome, error) {
	text := e.Parts["m.v"]
	if text == "" {
		return Outcome{}, e.bad(errors.New("it wants a netlist"))
	}
	return Outcome{Suspect: t.suspect(context.Background(), e.value(cellArch), e.value(cellName), text)}, nil
}

// Covered implements Worker: files hold findings alone.
func (t *Cells) Covered(*Entry) []string { return nil }
