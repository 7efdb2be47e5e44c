package bits

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/algebra"
	"tv/equiv/bits/induct"
	"tv/equiv/bits/sweep"
	"tv/semantics/bits"
)

// A Text is what a design was read from, as certificates include it.
type Text struct {
	Language string // bv or verilog
	Name     string
	Data     string
	Top      string // of Verilog the module
}

// Certificate returns the text of a certificate of what r proved, which proofs/bits reads: both texts, the question, and the gates with
// their lemmas, or that all inputs are to be tried. It is nil where there is none. doc/certificates.md has its form.
func (r *Result) Certificate(q Question, before, after Text) []byte {
	body := r.body()
	if r.Verdict != Proved || r.machine == nil && r.Early == 0 && body.kind == "" ||
		r.machine == nil && r.Early > 0 && !r.cycles.complete() {
		return nil
	}
	var out bytes.Buffer
	none := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	fmt.Fprintln(&out, "tv bits certificate 1")
	for _, side := range []struct {
		role string
		text Text
	}{{"before", before}, {"after", after}} {
		t := side.text
		fmt.Fprintf(&out, "%s %s %x %d %s\n%s\n", side.role, t.Language, sha256.Sum256([]byte(t.Data)), len(t.Data), t.Name, t.Data)
	}
	clock := q.After.Clock
	if clock == "" {
		clock = q.Before.Clock
	}
	fmt.Fprintf(&out, "top-before %s\ntop-after %s\n", none(before.Top), none(after.Top))
	arch := func(d *bits.Design) string { return none(d.Arch) }
	fmt.Fprintf(&out, "arch-before %s\narch-after %s\n", arch(q.Before), arch(q.After))
	fmt.Fprintf(&out, "clock %s\nlatency %d\n", none(clock), q.Latency)
	switch {
	case r.machine != nil:
		fmt.Fprintln(&out, "kind machine")
		r.machine.write(&out)
	case r.Early > 0:
		fmt.Fprintln(&out, "kind cycles")
		r.cycles.write(&out)
	default:
		fmt.Fprintf(&out, "kind %s\n", body.kind)
		body.write(&out)
	}
	fmt.Fprintln(&out, "end")
	return out.Bytes()
}

// A shown cycle has what a certificate says of it.
type shown struct {
	kind   string // empty: there is none
	lemmas *sweep.Certificate
	words  *algebra.Proof
}

// body is what shows that outputs are equal in the one cycle that r is about.
func (r *Result) body() shown {
	switch {
	case r.Verdict != Proved || r.unchecked:
		return shown{}
	case r.Engine == Simulation:
		return shown{kind: "exhaustive"}
	case r.Lemmas == nil:
		return shown{}
	case r.Words != nil:
		return shown{"algebra", r.Lemmas, r.Words}
	}
	return shown{"gates", r.Lemmas, nil}
}

// write appends it.
func (b shown) write(out *bytes.Buffer) {
	if b.lemmas != nil {
		b.lemmas.WriteTo(out) //nolint:errcheck // a buffer takes everything
	}
	if b.words != nil {
		b.words.WriteTo(out) //nolint:errcheck // likewise
	}
}

// cycles are proofs of each cycle from the latency on that sees initial values, and of one that stands for all later ones.
type cycles struct {
	latency int
	early   []shown
	later   shown
	choices []sweep.Named // initial bits that the first text leaves open
	start   *aig.Graph    // that these are of
}

// choose takes over what bits that the first text leaves open begin with.
func (c *cycles) choose(m *machine) { c.choices, c.start = m.initials, m.system.Start }

// choice is what a certificate says of a choice: a constant or an initial bit of the second text, in each cycle the same. It is empty of others.
func (c *cycles) choice(x sweep.Named) string {
	if n := x.Value.Node(); n == 0 {
		return fmt.Sprintf("c %s %d %d", x.Name, x.Bit, x.Value)
	} else if i, ok := c.start.InputOf(n); ok && !x.Value.Negated() && c.start.Signals()[i].Kind == aig.After {
		return fmt.Sprintf("c %s %d %s %d", x.Name, x.Bit, c.start.Signals()[i].Port, c.start.Signals()[i].Bit)
	}
	return ""
}

// complete tells whether there are all.
func (c *cycles) complete() bool {
	return c != nil && c.later.kind != "" && !slices.ContainsFunc(c.early, func(b shown) bool { return b.kind == "" }) &&
		!slices.ContainsFunc(c.choices, func(x sweep.Named) bool { return c.choice(x) == "" })
}

// write appends the body of a certificate.
func (c *cycles) write(out *bytes.Buffer) {
	fmt.Fprintf(out, "depth %d\nchoices %d\n", c.latency+len(c.early), len(c.choices))
	for _, x := range c.choices {
		fmt.Fprintln(out, c.choice(x))
	}
	for i, b := range c.early {
		fmt.Fprintf(out, "cycle %d %s\n", c.latency+i, b.kind)
		b.write(out)
	}
	fmt.Fprintf(out, "later %s\n", c.later.kind)
	c.later.write(out)
}

// An invariant is a proof about machines.
type invariant struct {
	*machine
	induct.Result
}

// write appends the body of a certificate.
func (i *invariant) write(out *bytes.Buffer) {
	fmt.Fprintf(out, "history %d\n", i.history)
	i.Step.WriteMachine(out, "step", i.places, i.StepShown)   //nolint:errcheck // a buffer takes everything
	i.Base.WriteMachine(out, "base", i.initials, i.BaseShown) //nolint:errcheck // likewise
}
