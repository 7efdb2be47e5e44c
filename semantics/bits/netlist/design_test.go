package netlist

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// random is a netlist of drawn cells of an architecture, with drawn parameters and connections: nets, constants, or nothing where that is
// allowed. Registers' clock is clk.
func random(draw *rand.Rand, arch string) string {
	const inputs = 6
	var b strings.Builder
	nets := []string{}
	for i := range inputs {
		nets = append(nets, fmt.Sprintf("x[%d]", i))
	}
	var body, outs strings.Builder
	all := cells.All(arch)
	n := 0
	for i := range 12 {
		c := all[draw.IntN(len(all))]
		model, params := drawn(draw, c)
		if model == nil || model.Control() { // few drawn configurations are legal
			continue
		}
		clocks := map[string]bool{}
		for _, r := range model.Registers {
			clocks[r.Clock] = true
		}
		inert := map[string]bool{}
		for _, x := range model.Inactive {
			for _, at := range x.Support {
				pin, _ := (&Instance{Model: model}).pin(at)
				inert[pin.Name] = true
			}
		}
		resets := map[string]bool{}
		if model.Async != nil {
			for _, at := range model.Async.Active.Support {
				pin, _ := (&Instance{Model: model}).pin(at)
				resets[pin.Name] = true
			}
		}
		var pins []string
		for _, p := range c.Inputs {
			bit := func() string {
				switch {
				case resets[p.Name]:
					return []string{"r", "~r", "1'b0", "1'b1"}[draw.IntN(4)]
				case clocks[p.Name]:
					return "clk"
				case inert[p.Name]:
					return fmt.Sprintf("1'b%d", inactive(p.Name))
				case draw.IntN(3) == 0:
					return fmt.Sprintf("1'b%d", draw.IntN(2))
				}
				return nets[draw.IntN(len(nets))]
			}
			if p.Default != nil && !inert[p.Name] && draw.IntN(4) == 0 {
				continue
			}
			bits := make([]string, p.Width)
			for k := range bits {
				bits[k] = bit()
			}
			pins = append(pins, fmt.Sprintf(".%s({%s})", p.Name, strings.Join(bits, ", ")))
		}
		for _, p := range c.Outputs {
			name := fmt.Sprintf("n%d", n)
			n++
			fmt.Fprintf(&outs, "  wire [%d:0] %s;\n", p.Width-1, name)
			pins = append(pins, fmt.Sprintf(".%s(%s)", p.Name, name))
		}
		fmt.Fprintf(&body, "  %s #(%s) u%d (%s);\n", c.Name, params, i, strings.Join(pins, ", "))
		for k := n - len(c.Outputs); k < n; k++ {
			width := c.Outputs[k-n+len(c.Outputs)].Width
			for bit := range width {
				nets = append(nets, fmt.Sprintf("n%d[%d]", k, bit))
			}
		}
	}
	// Operations of Verilog on words of nets.
	for i, op := range []string{"+", "-", "*", "&", "|", "^", "~^", "<<", ">>", ">>>", "<", "<=", "==", "&&"} {
		word := func() string {
			parts := make([]string, 1+draw.IntN(4))
			for k := range parts {
				parts[k] = nets[draw.IntN(len(nets))]
			}
			s := "{" + strings.Join(parts, ", ") + "}"
			if len(parts) == 1 {
				s = parts[0]
			}
			if draw.IntN(3) == 0 {
				s = "$signed(" + s + ")"
			}
			return s
		}
		fmt.Fprintf(&outs, "  wire [%d:0] e%d;\n", i%6, i)
		fmt.Fprintf(&body, "  assign e%d = %s ? %s %s %s : -%s;\n", i, word(), word(), op, word(), word())
		for bit := range i%6 + 1 {
			nets = append(nets, fmt.Sprintf("e%d[%d]", i, bit))
		}
	}
	shown := nets[inputs:]
	fmt.Fprintf(&b, "module m(input clk, input r, input [%d:0] x, output [%d:0] y);\n%s%s  assign y = {%s};\nendmodule\n", inputs-1, len(shown)-1, outs.String(),
		strings.ReplaceAll(body.String(), " #() ", " "), strings.Join(shown, ", "))
	return b.String()
}

// The words of a design say what the simulator computes, in every cycle, of drawn netlists of all cells.
func TestDesign(t *testing.T) {
	rounds := tier.Pick(10, 60)
	for _, arch := range cells.Arches {
		done := 0
		for seed := range uint64(rounds) {
			draw := rand.New(rand.NewPCG(seed, 11))
			text := random(draw, arch)
			v, err := verilog.Parse(source.NewFile("m.v", text))
			if err != nil {
				t.Fatal(err, text)
			}
			n, err := Elaborate(v, Options{Arch: arch, Clock: "clk"})
			if err != nil && strings.Contains(err.Error(), "an asynchronous reset that is not constant") {
				continue // where a parameter inverts it
			}
			if err != nil {
				t.Fatal(err, text)
			}
			done++
			d := n.Design(word.NewBuilder())
			m := n.NewMachine(nil)
			state := map[string]*big.Int{}
			var roots []*word.Word
			for _, r := range d.Registers {
				state[r.Name] = r.Initial
				roots = append(roots, r.Next)
			}
			roots = append(roots, d.Outputs[0].Word)
			for cycle := range 8 {
				in := map[string]*big.Int{"x": big.NewInt(draw.Int64N(64))}
				for _, p := range d.Inputs {
					if p.Width == 1 {
						in[p.Name] = big.NewInt(draw.Int64N(2))
					}
				}
				of := word.Eval(func(w *word.Word) *big.Int {
					if w.Op == word.State {
						return state[w.Name]
					}
					return in[w.Name]
				}, roots...)
				out, _ := m.Step(in)
				if got := out["y"]; got.Cmp(of[d.Outputs[0].Word]) != 0 {
					t.Fatalf("%s seed %d, cycle %d: %b simulated, %b in words\n%s", arch, seed, cycle, got, of[d.Outputs[0].Word], text)
				}
				for _, r := range d.Registers {
					state[r.Name] = of[r.Next]
				}
			}
		}
		if done < rounds/2 {
			t.Errorf("%s: %d netlists of %d", arch, done, rounds)
		}
	}
}
