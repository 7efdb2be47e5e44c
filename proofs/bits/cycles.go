package bits

import (
	"strconv"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// cycles is a proof about registers none of which reaches itself. Cycles before depth begin with
// initial values, each in its own way; one stands for all later ones.
type cycles struct {
	*Claim
	// choices are of initial bits that BEFORE leaves open, in all cycles the same: a number, or an
	// initial bit of AFTER.
	choices map[choice]string
}

// cycles checks a body of kind cycles.
func (c *Claim) cycles(l *gates.Lines) {
	depth := l.Counts("depth", 1)[0]
	gates.Need(depth >= c.Latency && depth <= 4096, "a depth of %d", depth)
	m := &cycles{c, map[choice]string{}}
	for range l.Counts("choices", 1)[0] {
		f := strings.SplitN(l.Next(), " ", 4)
		gates.Need(len(f) == 4 && f[0] == "c", "no choice")
		bit, err := strconv.Atoi(f[2])
		k := choice{f[1], bit}
		once := err == nil && m.choices[k] == "" && f[3] != ""
		gates.Need(once, "two choices of %s, or none", k.name)
		m.choices[k] = f[3]
	}
	f := &file{*l}
	for t := c.Latency; t < depth; t++ {
		m.early(t).shown(&f.Lines, f.field("cycle "+strconv.Itoa(t)))
	}
	q := c.pipelines(depth)
	gates.Need(q.after.Late == 0, "the second text is %d cycles late", q.after.Late)
	q.shown(&f.Lines, f.field("later"))
	*l = f.Lines
}

// early is the question of cycle t alone, from the initial values on, which are t cycles ago.
func (m *cycles) early(t int) *question {
	before, after := circuit.View{Late: t, Start: t}, circuit.View{Late: t, Start: t}
	var registers registers
	after.First = func(r *circuit.Register, bit int) gates.Lit {
		if l := r.Initial[bit]; l != circuit.Unknown {
			return l
		}
		return after.State(r, bit)
	}
	before.First = func(r *circuit.Register, bit int) gates.Lit {
		if l := r.Initial[bit]; l != circuit.Unknown {
			return l
		}
		switch value := m.choices[choice{r.Name, bit}]; value {
		case "", "0":
			return gates.No
		case "1":
			return gates.Yes
		default:
			name, digits, _ := strings.Cut(value, " ")
			i, err := strconv.Atoi(digits)
			gates.Need(err == nil && i >= 0, "no choice")
			s := gates.Signal{Kind: gates.StateAfter, Port: name, Bit: i}
			return after.First(registers.find(s), i)
		}
	}
	q := m.ask(&before, &after)
	registers = named(q)
	q.at(m.Latency, 0, t)
	return q
}
