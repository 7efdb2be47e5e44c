package bits

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"tv/equiv/bits/induct"
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
	if r.Verdict != Proved || r.unchecked || r.machine == nil && (r.Early > 0 || r.Engine != Simulation && r.Lemmas == nil) {
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
	case r.Engine == Simulation:
		fmt.Fprintln(&out, "kind exhaustive")
	case r.Words != nil:
		fmt.Fprintln(&out, "kind algebra")
		r.Lemmas.WriteTo(&out) //nolint:errcheck // a buffer takes everything
		r.Words.WriteTo(&out)  //nolint:errcheck // likewise
	default:
		fmt.Fprintln(&out, "kind gates")
		r.Lemmas.WriteTo(&out) //nolint:errcheck // likewise
	}
	fmt.Fprintln(&out, "end")
	return out.Bytes()
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
