package languages

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// hashed chooses what a text leaves open by its name: the same wherever it is asked.
func hashed(name string, width, cycle int) *big.Int {
	h := fnv.New64a()
	fmt.Fprint(h, name, " ", cycle)
	return word.Mod(new(big.Int).SetUint64(h.Sum64()), width)
}

// program parses and elaborates a text.
func program(t *testing.T, language, name, text string) (bits.Program, error) {
	t.Helper()
	x, err := Named(language).Parse(source.NewFile(name, text))
	if err != nil {
		return nil, err
	}
	return x.Elaborate(bits.Options{})
}

// A designed run computes outputs from the words of a design.
type designed struct {
	*bits.Design
	choose bits.Choose
	state  map[string]*big.Int
	cycle  int
}

func runDesign(d *bits.Design, choose bits.Choose) *designed {
	r := &designed{d, choose, map[string]*big.Int{}, 0}
	for _, x := range d.Registers {
		free := choose.Value(x.Name, x.Width, -1)
		switch {
		case x.Initial == nil:
			r.state[x.Name] = free
		case x.Open != nil:
			v := new(big.Int).AndNot(x.Initial, x.Open)
			r.state[x.Name] = v.Or(v, free.And(free, x.Open))
		default:
			r.state[x.Name] = x.Initial
		}
	}
	return r
}

func (r *designed) Step(in map[string]*big.Int) map[string]*big.Int {
	var roots []*word.Word
	for _, o := range r.Outputs {
		roots = append(roots, o.Word)
	}
	for _, x := range r.Registers {
		roots = append(roots, x.Next)
	}
	values := word.Eval(func(w *word.Word) *big.Int {
		switch w.Op {
		case word.State:
			return r.state[w.Name]
		case word.Open:
			return r.choose.Value(w.Name, w.Width, r.cycle)
		}
		return in[w.Name]
	}, roots...)
	out := map[string]*big.Int{}
	for _, o := range r.Outputs {
		out[o.Name] = values[o.Word]
	}
	for _, x := range r.Registers {
		r.state[x.Name] = values[x.Next]
	}
	r.cycle++
	return out
}

// stream draws inputs of a cycle.
func stream(r *rand.Rand, ports []bits.Port) map[string]*big.Int {
	in := map[string]*big.Int{}
	for _, p := range ports {
		v := new(big.Int)
		for i := range p.Width {
			v.SetBit(v, i, uint(r.IntN(2)))
		}
		in[p.Name] = v
	}
	return in
}

const cycles = 6

// The evaluator and the words of a text agree, whatever is chosen for what the text leaves open: of modules that are drawn.
func TestBehaviour(t *testing.T) {
	refused := 0
	for seed := range uint64(tier.Pick(150, 4000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		text, _, _ := module(r, "m", false)
		p, err := program(t, "verilog", "m.v", text)
		if err != nil {
			if !strings.Contains(err.Error(), "clock") && !strings.Contains(err.Error(), "[unsupported]") {
				t.Fatal(seed, err, text)
			}
			refused++
			continue
		}
		agree(t, r, p, text)
	}
	if refused > tier.Pick(150, 4000)/4 {
		t.Errorf("%d texts are refused", refused)
	}
}

// agree runs machine and words of a program.
func agree(t *testing.T, r *rand.Rand, p bits.Program, text string) {
	t.Helper()
	in, _ := p.Ports()
	m, d := p.Machine(hashed), runDesign(p.Design(word.NewBuilder()), hashed)
	for cycle := range cycles {
		values := stream(r, in)
		got, _ := m.Step(values)
		for name, want := range d.Step(values) {
			if got[name].Cmp(want) != 0 {
				t.Fatalf("cycle %d, %v: %s is %x in the evaluator and %x in words\n%s", cycle, values, name, got[name], want, text)
			}
		}
	}
}

// What the evaluator computes is what Icarus Verilog computes, where nothing is open.
func TestIcarus(t *testing.T) {
	if _, err := exec.LookPath("iverilog"); err != nil {
		t.Log("no iverilog: nothing is run; .ci/deps iverilog installs it")
		return
	}
	compared := 0
	for batch := range uint64(tier.Pick(2, 60)) {
		compared += againstIcarus(t, batch, 60)
	}
	t.Logf("%d values", compared)
	if compared < tier.Pick(2, 60)*60*3 {
		t.Errorf("%d values are compared", compared)
	}
}

func againstIcarus(t *testing.T, batch uint64, n int) (compared int) {
	t.Helper()
	var file, want strings.Builder
	var texts []string
	var bench strings.Builder
	for k := range n {
		r := rand.New(rand.NewPCG(batch, uint64(k)+1000))
		name := fmt.Sprint("m", k)
		text, _, outputs := module(r, name, true)
		p, err := program(t, "verilog", "m.v", text)
		if err != nil {
			texts = append(texts, "")
			continue
		}
		texts = append(texts, text)
		file.WriteString(text)
		open := false
		m := p.Machine(func(string, int, int) *big.Int { open = true; return nil })
		ports, _ := p.Ports()
		fmt.Fprintf(&bench, "module bench%d;\n  reg clk;\n", k)
		connect := []string{".clk(clk)"}
		for _, q := range ports {
			if q.Name == "clk" || q.Of != "" {
				continue
			}
			fmt.Fprintf(&bench, "  reg [%d:0] %s;\n", q.Width-1, q.Name)
			connect = append(connect, fmt.Sprintf(".%s(%s)", q.Name, q.Name))
		}
		for _, o := range outputs {
			fmt.Fprintf(&bench, "  wire [%d:0] %s;\n", o.width-1, o.name)
			connect = append(connect, fmt.Sprintf(".%s(%s)", o.name, o.name))
		}
		fmt.Fprintf(&bench, "  %s u(%s);\n  initial begin\n    #%d clk = 0;\n", name, strings.Join(connect, ", "), 1000*k)
		for cycle := range cycles {
			in := stream(r, ports)
			got, _ := m.Step(in)
			if open { // what iverilog makes of x is no value that is chosen
				break
			}
			for _, q := range ports { // a reset may have been active since the last edge
				if q.Of != "" && in[q.Name].Sign() != 0 {
					fmt.Fprintf(&bench, "    %s = %d; #5;\n", q.Of, map[bits.Level]int{bits.High: 1}[q.Level])
				}
			}
			for _, q := range ports {
				if q.Name != "clk" && q.Of == "" {
					fmt.Fprintf(&bench, "    %s = %d'h%x;\n", q.Name, q.Width, in[q.Name])
				}
			}
			fmt.Fprintf(&bench, "    #10;\n")
			for _, o := range outputs {
				compared++
				fmt.Fprintf(&bench, "    $display(\"%d %d %s %%b\", %s);\n", k, cycle, o.name, o.name)
				fmt.Fprintf(&want, "%d %d %s %0*b\n", k, cycle, o.name, o.width, got[o.name])
			}
			bench.WriteString("    clk = 1; #10 clk = 0; #10;\n")
		}
		bench.WriteString("  end\nendmodule\n")
	}
	got := icarus(t, file.String()+bench.String())
	theirs, ours := strings.Split(got, "\n"), strings.Split(want.String(), "\n")
	for i := range ours {
		if i >= len(theirs) || theirs[i] != ours[i] {
			var k int
			fmt.Sscan(ours[i], &k) //nolint:errcheck // the line is ours
			there := "nothing"
			if i < len(theirs) {
				there = theirs[i]
			}
			t.Fatalf("batch %d: %s here, %s there\n%s", batch, ours[i], there, texts[k])
		}
	}
	return compared
}

func icarus(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "bench.v"), filepath.Join(dir, "bench")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.Command("iverilog", "-g2012", "-o", out, file)
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		line := strings.SplitN(said.String(), "\n", 2)[0]
		var n int
		fmt.Sscanf(strings.TrimPrefix(line, file+":"), "%d", &n) //nolint:errcheck // 0 is no line
		around := ""
		if lines := strings.Split(text, "\n"); n > 0 && n <= len(lines) {
			around = lines[n-1]
		}
		t.Fatal(err, line, around)
	}
	limit, cancel := context.WithTimeout(t.Context(), 15*time.Second) // it is stuck then
	defer cancel()
	got, err := exec.CommandContext(limit, "vvp", "-n", out).Output()
	if err != nil {
		t.Fatal(err, text)
	}
	return string(got)
}

// What is left open at each of several operators that begin together has a name of its own.
func TestPlaces(t *testing.T) {
	p, err := program(t, "verilog", "m.v", "module m(input [3:0] a, input [3:0] b, output [3:0] y);\n  assign y = a[b +: 4] / b % b ** -1;\nendmodule\n")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, w := range word.Reach(p.Design(word.NewBuilder()).Outputs[0].Word) {
		if w.Op == word.Open {
			names[w.Name] = true
		}
	}
	if len(names) != 4 {
		t.Errorf("%d places: %v", len(names), names)
	}
}
