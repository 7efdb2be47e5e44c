package words

import "errors"

// A diagram is a function of bits of inputs: the number of its vertex among those of a forest.
type diagram uint32

const (
	never  diagram = 0
	always diagram = 1
)

// A vertex branches on a variable, those of a small number first.
type vertex struct {
	variable uint32
	low      diagram
	high     diagram
}

// A forest holds ordered reduced diagrams: equal functions are one vertex. The lowest bits of all inputs are the
// first variables: sums, comparisons and multiples of small numbers have diagrams of a few vertices a bit then.
type forest struct {
	vertices []vertex
	unique   map[vertex]diagram
	cache    map[operation]diagram
	inputs   map[*Node]uint32 // the place of an input among them
	bits     map[*Node][]diagram
	steps    int
	spend    func(int)
}

// An operation on two diagrams, remembered.
type operation struct {
	kind Kind // Both, Either or Differ
	x, y diagram
}

// Bounds of a forest.
const (
	mostVertices = 1 << 18
	mostSteps    = 1 << 21
	noVariable   = 1<<32 - 1
)

var errLarge = errors.New("words: diagrams are too large")

// diagrams compares two nodes bit by bit.
func (c *Circuit) diagrams(cone []*Node, x, y *Node, spend func(int)) (a Answer) {
	f := &forest{
		vertices: []vertex{{variable: noVariable}, {variable: noVariable}}, unique: map[vertex]diagram{},
		cache: map[operation]diagram{}, inputs: map[*Node]uint32{}, bits: map[*Node][]diagram{}, spend: spend,
	}
	defer func() {
		if r := recover(); r == errLarge {
			a = Answer{}
		} else if r != nil {
			panic(r)
		}
	}()
	for _, n := range cone {
		if n.Kind == Input {
			f.inputs[n] = uint32(len(f.inputs))
		}
	}
	for _, n := range cone {
		f.bits[n] = f.node(n)
	}
	apart := never
	for i, b := range f.bits[x] {
		apart = f.either(apart, f.differ(b, f.bits[y][i]))
	}
	if apart == never {
		return Answer{Equal: true, Known: true}
	}
	return Answer{Known: true, Witness: f.least(apart)}
}

// vertex returns the function that is low where a variable is 0 and high where it is 1.
func (f *forest) vertex(variable uint32, low, high diagram) diagram {
	v := vertex{variable, low, high}
	if low == high {
		return low
	} else if d, ok := f.unique[v]; ok {
		return d
	}
	if len(f.vertices) == mostVertices {
		panic(errLarge)
	}
	d := diagram(len(f.vertices))
	f.vertices = append(f.vertices, v)
	f.unique[v] = d
	return d
}

func (f *forest) both(x, y diagram) diagram   { return f.apply(Both, x, y) }
func (f *forest) either(x, y diagram) diagram { return f.apply(Either, x, y) }
func (f *forest) differ(x, y diagram) diagram { return f.apply(Differ, x, y) }
func (f *forest) not(x diagram) diagram       { return f.apply(Differ, x, always) }

// pick is x where c is 1, and else y.
func (f *forest) pick(c, x, y diagram) diagram {
	if x == y {
		return x
	}
	return f.either(f.both(c, x), f.both(f.not(c), y))
}

// apply returns x op y, which is the same both ways round.
func (f *forest) apply(op Kind, x, y diagram) diagram {
	if x > y {
		x, y = y, x
	}
	switch {
	case x == never && op == Both, x == y && op == Differ:
		return never
	case x == never, x == y, x == always && op == Both: // the other, but for 0 and 0
		return y
	case x == always && op == Either:
		return always
	}
	key := operation{op, x, y}
	if d, ok := f.cache[key]; ok {
		return d
	}
	if f.steps++; f.steps > mostSteps {
		panic(errLarge)
	} else if f.steps%1024 == 0 {
		f.spend(1024)
	}
	v, w := f.vertices[x], f.vertices[y]
	variable := min(v.variable, w.variable)
	if v.variable > variable {
		v.low, v.high = x, x
	}
	if w.variable > variable {
		w.low, w.high = y, y
	}
	d := f.vertex(variable, f.apply(op, v.low, w.low), f.apply(op, v.high, w.high))
	f.cache[key] = d
	return d
}

// least returns numbers of inputs for which a function is 1: high bits are 0 where they can be.
func (f *forest) least(d diagram) map[*Node]uint64 {
	out := map[*Node]uint64{}
	place := make([]*Node, len(f.inputs))
	width := 0
	for n, i := range f.inputs {
		out[n], place[i] = 0, n
		width = max(width, n.Bits)
	}
	for variable := width*len(place) - 1; variable >= 0; variable-- {
		n, bit := place[variable%len(place)], variable/len(place)
		if bit >= n.Bits {
			continue
		}
		is := f.vertex(uint32(variable), never, always)
		if zero := f.both(d, f.not(is)); zero != never {
			d = zero
		} else {
			d = f.both(d, is)
			out[n] |= 1 << bit
		}
	}
	return out
}
