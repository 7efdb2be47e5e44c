package cli

import (
	"fmt"
	"strings"

	"tv/semantics/bits"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/word"
)

// showCircuit prints what a text about circuits denotes: ports, words, registers; and what cells of a vendor's models do, with the values
// that parameters have there.
func (a *app) showCircuit(name string, lang *languages.Language, o circuitOptions, output string) error {
	texts, err := a.readCircuits([]string{name}, []*languages.Language{lang}, o)
	if err != nil {
		return err
	}
	c := texts[0]
	text := shownDesign(c.program.Design(word.NewBuilder()))
	for _, name := range languages.Modelled(c.program) {
		p, err := c.parsed.Elaborate(bits.Options{Top: name, Models: c.models})
		if err != nil {
			return err
		}
		text += "\ncell " + name + "\n" + shownDesign(p.Design(word.NewBuilder()))
	}
	return a.output(output, []byte(text))
}

// shownDesign lists ports, then words that are made of others, each once and under a number, then registers, assumptions and outputs.
func shownDesign(d *bits.Design) string {
	var b strings.Builder
	if d.Arch != "" {
		fmt.Fprintf(&b, "arch %s\n", d.Arch)
	}
	if d.Clock != "" {
		fmt.Fprintf(&b, "clock %s\n", d.Clock)
	}
	if d.Latency > 0 {
		fmt.Fprintf(&b, "latency %d\n", d.Latency)
	}
	for _, p := range d.Inputs {
		fmt.Fprintf(&b, "in %s %d\n", p.Name, p.Width)
	}
	var roots []*word.Word
	for _, r := range d.Registers {
		roots = append(roots, r.Next)
	}
	for _, list := range [][]bits.Assumption{d.Assume, d.Forbid} {
		for _, x := range list {
			roots = append(roots, x.Word)
		}
	}
	for _, o := range d.Outputs {
		roots = append(roots, o.Word)
	}
	names, count := map[*word.Word]string{}, 0
	for _, w := range word.Reach(roots...) {
		if leaf := shownLeaf(w); leaf != "" {
			names[w] = leaf
			continue
		}
		n := fmt.Sprintf("%%%d", count)
		count++
		fmt.Fprintf(&b, "%s %d %s\n", n, w.Width, shownWord(w, names))
		names[w] = n
	}
	for _, r := range d.Registers {
		start := "any"
		if r.Initial != nil {
			start = "#b" + binary(r)
		}
		fmt.Fprintf(&b, "register %s %d %s %s\n", r.Name, r.Width, start, names[r.Next])
	}
	for _, x := range d.Assume {
		fmt.Fprintf(&b, "assume %s\n", names[x.Word])
	}
	for _, x := range d.Forbid {
		fmt.Fprintf(&b, "never %s: %s\n", names[x.Word], x.Text)
	}
	for _, o := range d.Outputs {
		fmt.Fprintf(&b, "out %s %d %s\n", o.Name, o.Width, names[o.Word])
	}
	for _, t := range d.Trusts {
		fmt.Fprintf(&b, "trusting %s\n", t)
	}
	return b.String()
}

// binary are the digits that a register starts with; ? is one that may be either.
func binary(r bits.Register) string {
	digits := make([]byte, r.Width)
	for i := range digits {
		digits[r.Width-1-i] = '0' + byte(r.Initial.Bit(i))
		if r.Open != nil && r.Open.Bit(i) == 1 {
			digits[r.Width-1-i] = '?'
		}
	}
	return string(digits)
}

// shownLeaf is a word that is made of no others.
func shownLeaf(w *word.Word) string {
	switch w.Op {
	case word.Const:
		return fmt.Sprintf("(_ bv%s %d)", w.Value, w.Width)
	case word.Input, word.State:
		return w.Name
	case word.Open:
		return fmt.Sprintf("(open %s %d)", w.Name, w.Width)
	}
	return ""
}

func shownWord(w *word.Word, names map[*word.Word]string) string {
	args := make([]string, len(w.Args))
	for i, a := range w.Args {
		args[i] = names[a]
	}
	op := w.Op.String()
	switch w.Op {
	case word.Extract:
		op = fmt.Sprintf("(_ extract %d %d)", w.Hi, w.Lo)
	case word.ZeroExt, word.SignExt:
		op = fmt.Sprintf("(_ %s %d)", op, w.Width-w.Args[0].Width)
	case word.Lookup:
		op = fmt.Sprintf("(_ lookup %d'h%x)", 1<<len(w.Args), w.Value)
	}
	return "(" + op + " " + strings.Join(args, " ") + ")"
}
