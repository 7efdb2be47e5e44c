package bits

import (
	"errors"
	"fmt"
	"math/big"
	"runtime/debug"
	"strconv"
	"strings"

	"tv/proofs/bits/nofit"
)

// An Absence is what a certificate shows of an output of a specification: that no words for the
// holes of a sketch make it, or that no configuration of one DSP48E2 does, late by Latency cycles.
type Absence struct {
	Spec    Text
	Output  string
	Sketch  Text // a module with the holes among its inputs; empty: of a slice
	Latency int  // of a slice
	Tried   int  // for how many inputs it is shown
}

const absenceLine = "tv bits absence 1"

// IsAbsence tells whether data is such a certificate.
func IsAbsence(data []byte) bool { return strings.HasPrefix(string(data), absenceLine+"\n") }

// CheckAbsence reads certificates, one behind the other, and returns what each shows, or why one
// shows nothing.
func CheckAbsence(data []byte) (list []*Absence, err error) {
	defer debug.SetMaxStack(debug.SetMaxStack(2 << 30))
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(refusal)
			if !ok {
				panic(r)
			}
			list, err = nil, errors.New(why.text)
		}
	}()
	for l := (&lines{string(data)}); len(list) == 0 || l.rest != ""; {
		list = append(list, l.absence())
	}
	return list, nil
}

func (l *lines) absence() *Absence {
	need(l.next() == absenceLine, "its first line is not %q", absenceLine)
	a := &Absence{Spec: l.text("spec")}
	need(a.Spec.Language == "bv", "the specification is in another language")
	a.Output = l.field("output")
	switch kind := l.field("kind"); kind {
	case "sketch":
		l.sketch(a)
	case "slice":
		l.slice(a)
	default:
		refuse("the kind %q", kind)
	}
	need(l.next() == "end", "something stands where the end should be")
	return a
}

// natural is a field that is a number.
func (l *lines) natural(name string, most int) int {
	text := l.field(name)
	n, err := strconv.Atoi(text)
	need(err == nil && n >= 0 && n <= most && strconv.Itoa(n) == text, "%s is no number", name)
	return n
}

// words reads a line of words of the ports, in hexadecimal.
func (l *lines) words(ports []port) []*big.Int {
	f := strings.Fields(l.next())
	need(len(f) == len(ports), "a line of %d words", len(ports))
	out := make([]*big.Int, len(f))
	for i, text := range f {
		v, ok := new(big.Int).SetString(text, 16)
		need(ok && v.Sign() >= 0 && v.BitLen() <= ports[i].width, "%q is no word of %s", text, ports[i].name)
		out[i] = v
	}
	return out
}

// fix makes inputs constants from now on.
func (g *graph) fix(ports []port, values []*big.Int) {
	g.fixed = map[string]*big.Int{}
	for i, p := range ports {
		g.fixed[p.name] = values[i]
	}
}

// valued is what an output of the specification is where its inputs are so. It is not asked of
// inputs that the specification does not allow.
func valued(text, output string, ports []port, values []*big.Int) vec {
	g := newGraph()
	g.fix(ports, values)
	c := readSpec(g, text)
	for _, a := range c.assume(0) {
		need(a == yes, "inputs that the specification does not allow")
	}
	for _, p := range c.out {
		if p.name == output {
			return c.outputs(output, 0)
		}
	}
	refuse("the specification has no output %s", output)
	return nil
}

// sketch checks that no words for the holes are right for the samples.
func (l *lines) sketch(a *Absence) {
	arch := l.field("arch")
	a.Sketch = l.text("sketch")
	need(a.Sketch.Language == "verilog", "the sketch is in another language")
	a.Sketch.Arch = arch
	ports := readSpec(newGraph(), a.Spec.Data).in
	a.Tried = l.natural("samples", 1<<20)
	g := newGraph()
	assumed := map[lit]bool{}
	modules := readModules(a.Sketch.Data)
	for range a.Tried {
		values := l.words(ports)
		want := valued(a.Spec.Data, a.Output, ports, values)
		g.fix(ports, values)
		c := flatten(g, modules, "sketch", arch, "", 0)
		need(len(c.out) == 1 && c.out[0] == (port{a.Output, len(want)}), "the sketch has other outputs")
		for _, p := range ports {
			for _, q := range c.in {
				need(p.name != q.name || p == q, "input %s of another width", p.name)
			}
		}
		for i, got := range c.outputs(a.Output, 0) {
			need(want[i] == yes || want[i] == no, "an output that is not known")
			assumed[got^lit(want[i]^yes)] = true
		}
	}
	g.fixed = nil
	b := readBody(g, l, assumed)
	need(assumed[no] || b.empty(), "the lemmas do not end in a contradiction")
}

// empty tells whether the last lemma is the empty clause.
func (b *body) empty() bool {
	n := len(b.start)
	return n > 1 && b.start[n-1] == b.start[n-2]
}

// slice checks that no configuration of a DSP48E2 is right in all experiments.
func (l *lines) slice(a *Absence) {
	need(l.field("cell") == "DSP48E2", "another cell")
	a.Latency = l.natural("latency", 4096)
	spec := readSpec(newGraph(), a.Spec.Data)
	need(len(spec.texts) == 0, "a specification with assumptions")
	q := nofit.Question{Latency: a.Latency}
	for _, p := range spec.in {
		need(p.width <= 30, "input %s is too wide", p.name)
		q.Widths = append(q.Widths, p.width)
	}
	for _, p := range spec.out {
		if p.name == a.Output {
			q.Width = p.width
		}
	}
	want := func(values []*big.Int) (out uint64) {
		for i, b := range valued(a.Spec.Data, a.Output, spec.in, values) {
			need(b == yes || b == no, "an output that is not known")
			out |= uint64(b&1) << min(i, 63)
		}
		return out
	}
	row := func(values []*big.Int) (out []uint64) {
		for _, v := range values {
			out = append(out, v.Uint64())
		}
		return out
	}
	a.Tried = l.natural("experiments", 1<<16)
	at := l.natural("at", 1<<10)
	var list []nofit.Experiment
	for range a.Tried {
		e := nofit.Experiment{At: at}
		for cycle := range at + a.Latency + 1 {
			values := l.words(spec.in)
			if e.First = append(e.First, row(values)); cycle <= at {
				e.Want = append(e.Want, want(values))
			}
		}
		values := l.words(spec.in)
		e.Changed, e.Other = row(values), want(values)
		list = append(list, e)
	}
	if err := nofit.Check(q, list); err != nil {
		refuse("%s", err)
	}
}

// String says what is not there.
func (a *Absence) String() string {
	if a.Sketch.Data != "" {
		return fmt.Sprintf("%s of %s has no netlist of this sketch of cells of %s, by %d inputs", a.Output, a.Spec.Name, a.Sketch.Arch, a.Tried)
	}
	return fmt.Sprintf("%s of %s, %d cycles late, is no configuration of one DSP48E2, by %d pairs of runs", a.Output, a.Spec.Name, a.Latency, a.Tried)
}
