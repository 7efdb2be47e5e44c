package synth

import "fmt"

// A template makes sketches, the cheapest first; none where an architecture or a question has no such netlist.
type template struct {
	name   string
	sketch func(q *shape) []*Sketch
}

// templates in the order of their names for users.
var templates = []template{
	{"bitwise", bitwise},
}

// A shape is what templates know of a question: the ports of one output.
type shape struct {
	arch   string
	inputs []port // that the output depends on
	out    port
}

func (q *shape) sketch() *Sketch { return newSketch(q.arch, q.inputs, q.out) }

// extended are the inputs at the width of the output, the lowest bit first: what is missing is zero or a copy of the sign, as a hole says.
func (s *Sketch) extended() [][]net {
	var out [][]net
	for i, p := range s.inputs {
		bits := s.read(i)
		if p.width < s.output.width {
			fill := s.pick(s.hole("signed", 1)[0], bits[p.width-1], zero)
			for len(bits) < s.output.width {
				bits = append(bits, fill)
			}
		}
		out = append(out, bits[:s.output.width])
	}
	return out
}

// staged puts a stage behind rows.
func (s *Sketch) staged(rows [][]net) [][]net {
	var flat []net
	for _, r := range rows {
		flat = append(flat, r...)
	}
	flat = s.stage(flat)
	out := make([][]net, len(rows))
	for i, r := range rows {
		out[i], flat = flat[:len(r)], flat[len(r):]
	}
	return out
}

// column is bit i of each row.
func column(rows [][]net, i int) (out []net) {
	for _, r := range rows {
		out = append(out, r[i])
	}
	return out
}

// bitwise: each bit is one table of the bits of all inputs at its place.
func bitwise(q *shape) []*Sketch {
	n := len(q.inputs)
	s := q.sketch()
	switch {
	case n > fabrics[q.arch].most:
		return nil
	case n == 0:
		s.result = s.stage(s.hole("constant", q.out.width))
		return []*Sketch{s}
	}
	rows := s.staged(s.extended())
	t := s.table("table", n)
	out := s.drive("f", q.out.width)
	for i := range out {
		s.lutTo(out[i], t, column(rows, i)...)
	}
	s.result = s.stage(out)
	return []*Sketch{s}
}

// Templates are the names that a user may give.
func Templates() []string {
	out := []string{"auto"}
	for _, t := range templates {
		out = append(out, t.name)
	}
	return out
}

// String names the shape, for messages.
func (q *shape) String() string { return fmt.Sprintf("%s of %d bits", q.out.name, q.out.width) }
