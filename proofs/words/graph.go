package words

// A graph holds decision graphs over the bits of leaves, ordered and reduced: a function of these
// bits is one node, so that two functions are equal where their nodes are.
type graph struct {
	nodes []node
	known map[node]bit
	taken map[[3]bit]bit // what choose returned
	order map[int]int    // the place of a leaf among leaves
	spend func(int)
}

// A node decides by the bit of the leaves at a level: bits of one weight stand together, the lowest
// first. Levels ascend towards the ends, which are the bits no and yes.
type node struct {
	level     int
	zero, one bit
}

// A bit is a function of the bits of leaves, as the number of its node.
type bit int32

const (
	no  bit = 0
	yes bit = 1
)

// maxNodes and maxSteps bound a graph and the work on it.
const (
	maxNodes = 1 << 18
	maxSteps = 1 << 21
	endLevel = 1 << 30
)

// tooLarge is the panic of a graph that is.
type tooLarge struct{}

// byGraph compares the graphs of all bits.
func (p *Program) byGraph(x, y int, spend func(int)) (same, known bool) {
	g := &graph{nodes: []node{{level: endLevel}, {level: endLevel}}, known: map[node]bit{},
		taken: map[[3]bit]bit{}, order: map[int]int{}, spend: spend}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooLarge); !ok {
				panic(r)
			}
			same, known = false, false
		}
	}()
	in := p.needed(x, y)
	for i := range in {
		if in[i] && p.words[i].Op == Leaf {
			g.order[i] = len(g.order)
		}
	}
	words := make([][]bit, len(p.words))
	for i := range in {
		if in[i] {
			words[i] = g.word(p, i, words)
		}
	}
	for i := range words[x] {
		if words[x][i] != words[y][i] {
			return false, true
		}
	}
	return true, true
}

// node returns the function that is one of two, as a bit of the leaves says.
func (g *graph) node(level int, zero, one bit) bit {
	if zero == one {
		return zero
	}
	n := node{level, zero, one}
	if known, ok := g.known[n]; ok {
		return known
	}
	if len(g.nodes) >= maxNodes {
		panic(tooLarge{})
	}
	g.known[n] = bit(len(g.nodes))
	g.nodes = append(g.nodes, n)
	return g.known[n]
}

// choose is x where c is 1, and else y.
func (g *graph) choose(c, x, y bit) bit {
	if x == c {
		x = yes
	}
	if y == c {
		y = no
	}
	switch {
	case c == yes || x == y:
		return x
	case c == no:
		return y
	case x == yes && y == no:
		return c
	}
	key := [3]bit{c, x, y}
	if known, ok := g.taken[key]; ok {
		return known
	}
	if len(g.taken) >= maxSteps {
		panic(tooLarge{})
	} else if len(g.taken)%1024 == 0 {
		g.spend(1024)
	}
	level := min(g.nodes[c].level, g.nodes[x].level, g.nodes[y].level)
	zero := g.choose(g.at(c, level, no), g.at(x, level, no), g.at(y, level, no))
	one := g.choose(g.at(c, level, yes), g.at(x, level, yes), g.at(y, level, yes))
	out := g.node(level, zero, one)
	g.taken[key] = out
	return out
}

// at is what is left of a function where the bit of a level is given.
func (g *graph) at(x bit, level int, value bit) bit {
	n := g.nodes[x]
	switch {
	case n.level != level:
		return x
	case value == yes:
		return n.one
	}
	return n.zero
}
