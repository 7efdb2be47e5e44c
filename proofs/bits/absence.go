package bits

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
	"tv/proofs/bits/nofit"
	"tv/proofs/bits/verilog"
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
func CheckAbsence(data []byte) ([]*Absence, error) {
	return each(data, (*file).absence)
}

func (f *file) absence() *Absence {
	gates.Need(f.Next() == absenceLine, "its first line is not %q", absenceLine)
	a := &Absence{Spec: f.text("spec")}
	a.Spec.Top = f.field("top")
	a.Output = f.field("output")
	switch kind := f.field("kind"); kind {
	case "sketch":
		f.sketch(a)
	case "slice":
		f.slice(a)
	default:
		gates.Refuse("the kind %q", kind)
	}
	gates.Need(f.Next() == "end", "something stands where the end should be")
	return a
}

// natural is a field that is a number.
func (f *file) natural(name string, most int) int {
	text := f.field(name)
	n, err := strconv.Atoi(text)
	gates.Need(err == nil && n >= 0 && n <= most && strconv.Itoa(n) == text,
		"%s is no number", name)
	return n
}

// words reads a line of words of the ports, in hexadecimal.
func (f *file) words(ports []circuit.Port) []*big.Int {
	words := strings.Fields(f.Next())
	gates.Need(len(words) == len(ports), "a line of %d words", len(ports))
	out := make([]*big.Int, len(words))
	for i, text := range words {
		v, ok := new(big.Int).SetString(text, 16)
		gates.Need(ok && v.Sign() >= 0 && v.BitLen() <= ports[i].Width,
			"%q is no word of %s", text, ports[i].Name)
		out[i] = v
	}
	return out
}

// fixed are inputs as constants.
func fixed(ports []circuit.Port, values []*big.Int) map[string]*big.Int {
	out := map[string]*big.Int{}
	for i, p := range ports {
		out[p.Name] = values[i]
	}
	return out
}

// specified reads a specification without registers, of which nothing is asked yet.
func (t *Text) specified(v *circuit.View) *circuit.Circuit {
	c := t.read(v)
	gates.Need(len(c.Registers) == 0 && len(c.Illegal) == 0, "a specification with registers")
	return c
}

// valued is what an output of the specification is where its inputs are so. It is not asked of
// inputs that the specification does not allow.
func (t *Text) valued(output string, ports []circuit.Port, values []*big.Int) gates.Vec {
	c := t.specified(&circuit.View{Graph: gates.NewGraph(), Fixed: fixed(ports, values)})
	for _, a := range c.Assumed {
		gates.Need(a.Holds(0) == gates.Yes, "inputs that the specification does not allow")
	}
	for _, p := range c.Out {
		if p.Name == output {
			return c.Outputs(output, 0)
		}
	}
	gates.Refuse("the specification has no output %s", output)
	return nil
}

// sketch checks that no words for the holes are right for the samples.
func (f *file) sketch(a *Absence) {
	arch := f.field("arch")
	a.Sketch = f.text("sketch")
	a.Sketch.Arch = arch
	ports := a.Spec.specified(&circuit.View{Graph: gates.NewGraph()}).In
	a.Tried = f.natural("samples", 1<<20)
	g := gates.NewGraph()
	assumed := map[gates.Lit]bool{}
	for range a.Tried {
		values := f.words(ports)
		want := a.Spec.valued(a.Output, ports, values)
		c := verilog.Read(&circuit.View{Graph: g, After: true, Fixed: fixed(ports, values)},
			a.Sketch.Language, a.Sketch.Data, "sketch", arch)
		gates.Need(len(c.Out) == 1 && c.Out[0] == (circuit.Port{Name: a.Output, Width: len(want)}),
			"the sketch has other outputs")
		gates.Need(len(c.Registers) == 0 && len(c.Illegal) == 0 && c.Late == 0,
			"the sketch has registers")
		for _, p := range ports {
			for _, q := range c.In {
				gates.Need(p.Name != q.Name || p == q, "input %s of another width", p.Name)
			}
		}
		for i, got := range c.Outputs(a.Output, 0) {
			gates.Need(want[i] == gates.Yes || want[i] == gates.No, "an output that is not known")
			assumed[got^(want[i]^gates.Yes)] = true
		}
	}
	n := f.Counts("gates", 4)
	b := gates.NewBody(g, &f.Lines, n[0], n[1])
	for range n[2] {
		gates.Need(assumed[b.Unit(&f.Lines)], "a unit that nothing assumes")
	}
	b.Lemmas(&f.Lines, n[3])
	gates.Need(assumed[gates.No] || b.Empty(), "the lemmas do not end in a contradiction")
}

// slice checks that no configuration of a DSP48E2 is right in all experiments.
func (f *file) slice(a *Absence) {
	gates.Need(f.field("cell") == "DSP48E2", "another cell")
	a.Latency = f.natural("latency", 4096)
	spec := a.Spec.specified(&circuit.View{Graph: gates.NewGraph()})
	gates.Need(len(spec.Assumed) == 0, "a specification with assumptions")
	q := nofit.Question{Latency: a.Latency}
	for _, p := range spec.In {
		gates.Need(p.Width <= 30, "input %s is too wide", p.Name)
		q.Widths = append(q.Widths, p.Width)
	}
	for _, p := range spec.Out {
		if p.Name == a.Output {
			q.Width = p.Width
		}
	}
	want := func(values []*big.Int) (out uint64) {
		for i, b := range a.Spec.valued(a.Output, spec.In, values) {
			gates.Need(b == gates.Yes || b == gates.No, "an output that is not known")
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
	a.Tried = f.natural("experiments", 1<<16)
	at := f.natural("at", 1<<10)
	var list []nofit.Experiment
	for range a.Tried {
		e := nofit.Experiment{At: at}
		for cycle := range at + a.Latency + 1 {
			values := f.words(spec.In)
			if e.First = append(e.First, row(values)); cycle <= at {
				e.Want = append(e.Want, want(values))
			}
		}
		values := f.words(spec.In)
		e.Changed, e.Other = row(values), want(values)
		list = append(list, e)
	}
	if err := nofit.Check(q, list); err != nil {
		gates.Refuse("%s", err)
	}
}

// String says what is not there.
func (a *Absence) String() string {
	if a.Sketch.Data != "" {
		return fmt.Sprintf("%s of %s has no netlist of this sketch of cells of %s, by %d inputs",
			a.Output, a.Spec.Name, a.Sketch.Arch, a.Tried)
	}
	return fmt.Sprintf(
		"%s of %s, %d cycles late, is no configuration of one DSP48E2, by %d pairs of runs",
		a.Output, a.Spec.Name, a.Latency, a.Tried)
}
