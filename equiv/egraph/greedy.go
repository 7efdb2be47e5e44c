package egraph

import "slices"

// Limits of work, in classes that are looked at: what is chosen until then stays.
const (
	setsLimit    = 50_000_000
	improveLimit = 20_000_000
)

// Shared finds a cheap term in which what is shared is paid once. Bottom up, each class takes the option whose arguments
// need the least together; then each class that is needed tries its other options as long as the whole gets cheaper. The same is done
// from the cheapest tree on, and the better one taken. Both may miss the best: [Graph.Optimum].
func (g *Graph[D]) Shared(root Class, costs Costs) (*Choice, error) {
	p := g.problem(root, costs)
	if chosen, _, _ := p.tree(); chosen[p.root] < 0 {
		return nil, &ErrNothing{g.Find(root)}
	}
	p.reduce()
	e := p.evaluation()
	chosen, _ := e.greedy()
	return g.choice(p, chosen), nil
}

// greedy chooses part by part.
func (e *evaluation) greedy() (choosing, []part) {
	chosen, parts := e.shared(), e.parts()
	tree, _, _ := e.tree()
	for _, part := range parts {
		e.improve(part, chosen)
		e.improve(part, tree)
		mine, _ := e.cost(part, chosen)
		if other, _ := e.cost(part, tree); other.Less(mine) {
			for _, c := range part {
				chosen[c] = tree[c]
			}
		}
	}
	return chosen, parts
}

// shared has for each class of a reduced problem a set of classes that it needs, itself among them, and what they cost
// with the options that they had at the time. That cost only falls, and is always more than that of each child: so no class
// needs itself, however old the sets are.
func (p *problem) shared() choosing {
	first, _, order := p.tree()
	n := len(p.classes)
	chosen, total, sets := make(choosing, n), make([]Cost, n), make([][]int32, n)
	for c := range chosen {
		chosen[c] = -1
	}
	var (
		seen, list []int32
		stamp      int32
		work       int
	)
	seen = make([]int32, n)
	// try takes an option if it is cheaper than what the class has.
	try := func(c, i int32) bool {
		o := &p.options[c][i]
		var least Cost // what the dearest child costs
		for _, d := range o.children {
			if chosen[d] < 0 {
				return false
			}
			if least.Less(total[d]) {
				least = total[d]
			}
		}
		least = least.Add(o.cost)
		if chosen[c] >= 0 && !least.Less(total[c]) {
			return false
		}
		stamp++
		seen[c] = stamp
		list = append(list[:0], c)
		sum := o.cost
		for _, d := range o.children {
			work += len(sets[d])
			for _, e := range sets[d] {
				if seen[e] != stamp {
					seen[e] = stamp
					list = append(list, e)
					if !p.paid[e] {
						sum = sum.Add(p.options[e][chosen[e]].cost)
					}
				}
			}
		}
		if sum.Less(least) {
			sum = least
		}
		if chosen[c] >= 0 && !sum.Less(total[c]) {
			return false
		}
		chosen[c], total[c] = i, sum
		sets[c] = append(make([]int32, 0, len(list)), list...)
		return true
	}
	changed := make([]int, n) // the round in which a class changed last
	for round, again := 1, true; again; round++ {
		again = false
		for _, c := range order {
			for i, o := range p.options[c] {
				if work > setsLimit {
					if chosen[c] < 0 { // that of a tree; sets are of no use any more
						chosen[c] = first[c]
						for _, d := range p.options[c][first[c]].children {
							if total[c].Less(total[d]) {
								total[c] = total[d]
							}
						}
						total[c] = total[c].Add(p.options[c][first[c]].cost)
					}
					break
				}
				look := round == 1
				for _, d := range o.children {
					look = look || changed[d] >= round-1
				}
				if look && try(c, int32(i)) {
					changed[c], again = round, true
				}
			}
		}
	}
	return chosen
}

// improve tries the options of what is needed in a part, one class after the other.
func (e *evaluation) improve(part part, chosen choosing) {
	best, _ := e.cost(part, chosen)
	limit := e.work + 1000 + improveLimit*len(part)/len(e.options)
	for again := true; again; {
		again = false
		for _, c := range slices.Clone(e.order) {
			for i := range e.options[c] {
				old := chosen[c]
				if int32(i) == old || e.work > limit {
					continue
				}
				chosen[c] = int32(i)
				if cost, ok := e.cost(part, chosen); ok && cost.Less(best) {
					best, again = cost, true
				} else {
					chosen[c] = old
				}
			}
		}
		e.cost(part, chosen) // for the order
	}
}

// An evaluation adds up what choosings of a reduced problem cost.
type evaluation struct {
	*problem
	state []int32 // by class; 2·round: open, 2·round + 1: done
	round int32
	stack []int32
	order []int32 // classes that the last choosing needs, children first
	work  int
}

func (p *problem) evaluation() *evaluation {
	return &evaluation{problem: p, state: make([]int32, len(p.classes))}
}

// cost is what a part costs. It is false where a class needs itself.
func (e *evaluation) cost(part part, chosen choosing) (sum Cost, ok bool) {
	e.round++
	open, done := 2*e.round, 2*e.round+1
	e.order = e.order[:0]
	for _, root := range part {
		if !e.paid[root] {
			continue
		}
		e.stack = append(e.stack[:0], root)
		for len(e.stack) > 0 {
			c := e.stack[len(e.stack)-1]
			switch e.state[c] {
			case done:
				e.stack = e.stack[:len(e.stack)-1]
			case open:
				e.state[c] = done
				e.stack = e.stack[:len(e.stack)-1]
				e.order = append(e.order, c)
			default:
				e.work++
				e.state[c] = open
				o := &e.options[c][chosen[c]]
				sum = sum.Add(o.cost)
				for _, d := range o.children {
					switch e.state[d] {
					case open:
						return sum, false
					case done:
					default:
						e.stack = append(e.stack, d)
					}
				}
			}
		}
	}
	return sum, true
}

// A part has classes of a reduced problem that options connect.
type part []int32

// parts are those with something to choose: each is a problem of its own.
func (p *problem) parts() []part {
	parent := make([]int32, len(p.classes))
	for c := range parent {
		parent[c] = int32(c)
	}
	find := func(c int32) int32 {
		for parent[c] != c {
			parent[c] = parent[parent[c]]
			c = parent[c]
		}
		return c
	}
	for c, list := range p.options {
		for _, o := range list {
			for _, d := range o.children {
				a, b := find(int32(c)), find(d)
				parent[max(a, b)] = min(a, b)
			}
		}
	}
	at := make([]int32, len(p.classes)) // plus 1
	var out []part
	for c, list := range p.options {
		if len(list) == 0 {
			continue
		}
		top := find(int32(c))
		if at[top] == 0 {
			out = append(out, nil)
			at[top] = int32(len(out))
		}
		out[at[top]-1] = append(out[at[top]-1], int32(c))
	}
	return slices.DeleteFunc(out, func(part part) bool {
		return !slices.ContainsFunc(part, func(c int32) bool { return len(p.options[c]) > 1 })
	})
}
