package recur

import (
	"fmt"
	"strings"
)

// Explain says which instances have one value: a line for each piece.
func (p *Proof) Explain() (out []string) {
	for _, q := range p.pieces {
		name := func(v int) string {
			for i, u := range q.vars {
				switch {
				case u != v:
				case i < len(q.a.around):
					return q.a.around[i].Name
				case i < len(q.a.around)+len(q.b.around):
					return q.b.around[i-len(q.a.around)].Name + "'"
				}
			}
			return p.called(v)
		}
		var maps []string
		for _, f := range q.equal {
			maps = append(maps, f.spelt(name)+" = 0")
		}
		out = append(out, fmt.Sprintf("%s%s is %s%s where %s", q.a.at.Position(), iteration(q.a, ""), q.b.at.Position(), iteration(q.b, "'"),
			strings.Join(append(maps, "both are executed"), ", ")))
	}
	return out
}

// iteration names the counters around a statement.
func iteration(s *stmt, mark string) string {
	var out []string
	for _, l := range s.around {
		out = append(out, l.Name+mark)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (n *names) called(v int) string {
	if v < len(n.sizes) {
		return n.sizes[v]
	}
	return spell(v)
}

// Bitwise tells that no law of arithmetic was used.
func (p *Proof) Bitwise() bool { return !p.lawful }
