package cli

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"tv/ci"
	"tv/equiv"
	"tv/internal/source"
	proof "tv/proofs/bits"
)

// codeCircuitCertificate is the code of a certificate about circuits that the checker refuses.
const codeCircuitCertificate = "certificate-invalid"

// verifyCircuits checks certificates about circuits.
func verifyCircuits(flags *verifyFlags, name string, data []byte) ([]ci.Item, error) {
	start := time.Now()
	claims, err := proof.Check(data)
	if err != nil {
		return nil, source.Errorf(placeOf(name), codeCircuitCertificate, "%s", err.Error())
	}
	if flags.rules != nil {
		return nil, source.Errorf(placeOf(name), codeOther, "the certificate is of circuits")
	}
	if want := flags.programs; want != nil && len(want) != len(claims) {
		return nil, source.Errorf(placeOf(name), codeOther, "the certificate is about %d pairs of circuits, not %d", len(claims), len(want))
	}
	took := time.Since(start) / time.Duration(len(claims))
	var items []ci.Item
	for i, c := range claims {
		if want := flags.programs; want != nil && want[i] != [2]stated{{text: c.Before.Data}, {text: c.After.Data}} {
			return nil, source.Errorf(placeOf(name), codeOther, "pair %d of the certificate is of other circuits", i+1)
		}
		title := fmt.Sprintf("pair %d of %d", i+1, len(claims))
		item := new(resolved).item(name, title, fmt.Sprintf("%s (%s)", title, claimed(c)))
		r := &item.Result
		r.Before, r.After = name+": before", name+": after"
		r.Arith, r.Equal, r.Elapsed = equiv.Exact, equiv.Bits, took
		r.Domain, r.Trusts = circuitDomain(c.Assume, c.Latency, fromStart(c)), circuitTrusts(c)
		r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "bits %d\n%s\x00%s", c.Latency, c.Before.Data, c.After.Data)))
		if flags.programs == nil {
			item.Text += fmt.Sprintf("  before:\n%s  after:\n%s", indented(c.Before.Data), indented(c.After.Data))
		}
		items = append(items, item)
	}
	return items, nil
}

// verifyAbsences checks certificates that there is no netlist.
func verifyAbsences(flags *verifyFlags, name string, data []byte) ([]ci.Item, error) {
	if flags.rules != nil || flags.programs != nil {
		return nil, source.Errorf(placeOf(name), codeOther, "the certificate is about netlists that there are not, and has no AFTER")
	}
	start := time.Now()
	list, err := proof.CheckAbsence(data)
	if err != nil {
		return nil, source.Errorf(placeOf(name), codeCircuitCertificate, "%s", err.Error())
	}
	took := time.Since(start) / time.Duration(len(list))
	var items []ci.Item
	for i, a := range list {
		title := fmt.Sprintf("absence %d of %d", i+1, len(list))
		item := new(resolved).item(name, title, fmt.Sprintf("%s (%s)", title, a))
		r := &item.Result
		r.Before, r.After = name+": specification", name+": nothing"
		r.Arith, r.Equal, r.Elapsed, r.Domain = equiv.Exact, equiv.Bits, took, circuitDomain(nil, a.Latency, false)
		r.Trusts = []string{"what the sketch says of its template"}
		if a.Sketch.Data == "" {
			r.Trusts = []string{"the description of DSP48E2 in doc/fpga.md, 4"}
		}
		r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "absence %s %d\n%s\x00%s", a.Output, a.Latency, a.Spec.Data, a.Sketch.Data)))
		item.Text += fmt.Sprintf("  specification:\n%s", indented(a.Spec.Data))
		items = append(items, item)
	}
	return items, nil
}

// claimed is what a certificate shows, on a line.
func claimed(c *proof.Claim) string {
	parts := append([]string{"exact", "bits"}, circuitDomain(c.Assume, c.Latency, fromStart(c))...)
	for _, t := range []proof.Text{c.Before, c.After} {
		if t.Top != "" {
			parts = append(parts, "module "+t.Top)
		}
	}
	return strings.Join(parts, ", ")
}

// fromStart tells of certificates about runs from initial values, those of cycles that see these included.
func fromStart(c *proof.Claim) bool { return c.Kind == "machine" || c.Kind == "cycles" }

// circuitDomain says for which inputs and cycles a verdict is.
func circuitDomain(assume []string, latency int, machine bool) []string {
	switch {
	case latency > 0 || machine:
		return append(slices.Clone(assume), fmt.Sprintf("every cycle from %d", latency))
	case len(assume) > 0:
		return assume
	}
	return []string{"all inputs"}
}

// circuitTrusts is what a certificate rests on besides its texts.
func circuitTrusts(c *proof.Claim) []string {
	out := slices.Clone(c.Trusts)
	for _, t := range []proof.Text{c.Before, c.After} {
		if cells := cellsOf(t.Arch); t.Arch != "" && !slices.Contains(out, cells) {
			out = append(out, cells)
		}
	}
	return out
}

// cellsOf says that what cells mean is trusted.
func cellsOf(arch string) string { return fmt.Sprintf("the cells of %s, as tv has them", arch) }
