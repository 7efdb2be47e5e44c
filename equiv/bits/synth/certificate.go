package synth

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/rand/v2"

	circuits "tv/equiv/bits"
)

// Absences are certificates, one behind the other, that there is no netlist of the sketches that were tried, as far as that was found.
// doc/certificates.md has their form. spec is the text of the specification.
func (o *Output) Absences(arch string, spec circuits.Text) []byte {
	var out bytes.Buffer
	for _, t := range o.Tried {
		if t.Refutation == nil {
			continue
		}
		fmt.Fprintln(&out, "tv bits absence 1")
		writeText(&out, "spec", spec)
		fmt.Fprintf(&out, "top %s\noutput %s\n", cmp.Or(spec.Top, "-"), o.Name)
		t.Refutation.write(&out, arch)
		fmt.Fprintln(&out, "end")
	}
	return out.Bytes()
}

func writeText(out *bytes.Buffer, role string, t circuits.Text) {
	fmt.Fprintf(out, "%s %s %x %d %s\n%s\n", role, t.Language, sha256.Sum256([]byte(t.Data)), len(t.Data), t.Name, t.Data)
}

func (r *Refutation) write(out *bytes.Buffer, arch string) {
	row := func(values []*big.Int) {
		for i, v := range values {
			if i > 0 {
				out.WriteByte(' ')
			}
			fmt.Fprintf(out, "%x", v)
		}
		out.WriteByte('\n')
	}
	if r.Lemmas != nil {
		fmt.Fprintf(out, "kind sketch\narch %s\n", arch)
		writeText(out, "sketch", circuits.Text{Language: "verilog", Name: "sketch.v", Data: r.Sketch})
		fmt.Fprintf(out, "samples %d\n", len(r.Samples))
		for _, x := range r.Samples {
			row(x)
		}
		r.Lemmas.WriteTo(out) //nolint:errcheck // a buffer takes everything
		return
	}
	fmt.Fprintf(out, "kind slice\ncell DSP48E2\nlatency %d\nexperiments %d\nat %d\n", r.Latency, len(r.Experiments), warm)
	for _, e := range r.Experiments {
		for _, x := range e {
			row(x)
		}
	}
}

// warm is the cycle of experiments at which inputs differ: registers are filled by then.
const warm = 8

// experiments are pairs of runs that are to show that no configuration of a slice is right: random inputs, that differ at one cycle in one
// input or in all. How they differ shows in the low bits, and is nothing that a carry might be.
func (s *search) experiments() (list [][][]*big.Int) {
	draw := rand.New(rand.NewPCG(5, 6))
	value := func(width int) *big.Int { return new(big.Int).SetUint64(draw.Uint64() >> (64 - width)) }
	n := len(s.Spec.Inputs)
	for range 6 {
		for one := range n + 1 {
			var e [][]*big.Int
			for range warm + s.Latency + 1 {
				row := make([]*big.Int, n)
				for i, p := range s.Spec.Inputs {
					row[i] = value(p.Width)
				}
				e = append(e, row)
			}
			changed := make([]*big.Int, n)
			for i, p := range s.Spec.Inputs {
				if changed[i] = e[warm][i]; one == i || one == n {
					changed[i] = s.other(e[warm][i], p.Width, value)
				}
			}
			list = append(list, append(e, changed))
		}
	}
	return list
}

// other is a value that differs from v as experiments want.
func (s *search) other(v *big.Int, width int, value func(int) *big.Int) *big.Int {
	low := uint64(1)<<min(12, s.spec.Outputs[0].Width) - 1
	for range 1000 {
		w := value(width)
		good := true
		for _, d := range []uint64{w.Uint64() - v.Uint64(), signExtend(w.Uint64(), width) - signExtend(v.Uint64(), width)} {
			for k := uint64(1); k <= 3; k++ {
				good = good && (k*d+1)&low > 2
			}
		}
		if good {
			return w
		}
	}
	return value(width)
}
