package egraph

import (
	"slices"
)

// reduce leaves out of a problem what no best choice needs: what has no term, what nothing reaches, and options that are
// dominated by another one of their class that needs no class more and costs no more. Classes that every choice needs are
// paid: an option is not made dearer by them, and does not have them as children unless a circle could go through both. The
// cheapest choice of what is left is one of all.
func (p *problem) reduce() {
	chosen, _, _ := p.tree()
	for c := range p.options {
		list := p.options[c][:0]
		for _, o := range p.options[c] {
			slices.Sort(o.children)
			o.children = slices.Compact(o.children)
			if !slices.Contains(o.children, int32(c)) && !slices.ContainsFunc(o.children, func(d int32) bool { return chosen[d] < 0 }) {
				list = append(list, o)
			}
		}
		p.options[c] = list
	}
	p.paid = make([]bool, len(p.classes))
	p.paid[p.root] = true
	for changed := true; changed; {
		changed = p.unreach()
		changed = p.pay() || changed
		component, _ := p.components()
		for c, list := range p.options {
			for i := range list {
				n := len(list[i].children)
				list[i].children = slices.DeleteFunc(list[i].children, func(d int32) bool {
					return p.paid[d] && component[d] != component[c]
				})
				changed = changed || len(list[i].children) < n
			}
			if kept := undominated(list); len(kept) < len(list) {
				p.options[c], changed = kept, true
			}
		}
	}
}

// unreach takes the options of classes that nothing reaches.
func (p *problem) unreach() bool {
	seen := make([]bool, len(p.classes))
	var list []int32
	for c := range p.classes {
		if p.paid[c] {
			seen[c] = true
			list = append(list, int32(c))
		}
	}
	for ; len(list) > 0; list = list[1:] {
		for _, o := range p.options[list[0]] {
			for _, d := range o.children {
				if !seen[d] {
					seen[d] = true
					list = append(list, d)
				}
			}
		}
	}
	changed := false
	for c, reached := range seen {
		if !reached && p.options[c] != nil {
			p.options[c], changed = nil, true
		}
	}
	return changed
}

// Limits of pay: options that are looked at by all calls, and classes that it marks in a part by one call.
const (
	payLimit  = 100_000_000
	payAtOnce = 8
)

// pay marks classes that every choice needs: without them some paid class of the part has no term. Candidates are those of one
// choice; each choice that does without one of them leaves fewer. Few are marked at once, far from each other: where their arcs
// are left out the part falls apart.
func (p *problem) pay() bool {
	type use struct{ class, option int32 } // option: of all
	first, total := make([]int32, len(p.classes)+1), int32(0)
	count := make([]int32, len(p.classes)+1)
	for c, list := range p.options {
		first[c] = total
		total += int32(len(list))
		for _, o := range list {
			for _, d := range o.children {
				count[d+1]++
			}
		}
	}
	first[len(p.classes)] = total
	for c := range p.classes {
		count[c+1] += count[c]
	}
	uses, fill := make([]use, count[len(p.classes)]), slices.Clone(count)
	for c, list := range p.options {
		for i, o := range list {
			for _, d := range o.children {
				uses[fill[d]] = use{int32(c), first[c] + int32(i)}
				fill[d]++
			}
		}
	}
	waiting, chosen := make([]int32, total), make(choosing, len(p.classes))
	var queue []int32
	// without chooses options of a part without a class, and tells whether all paid classes have one.
	without := func(part part, x int32) bool {
		queue = queue[:0]
		for _, c := range part {
			chosen[c] = -1
			for i, o := range p.options[c] {
				p.work += 1 + len(o.children)
				waiting[first[c]+int32(i)] = int32(len(o.children))
				if len(o.children) == 0 && c != x && chosen[c] < 0 {
					chosen[c] = int32(i)
					queue = append(queue, c)
				}
			}
		}
		for i := 0; i < len(queue); i++ {
			d := queue[i]
			for _, u := range uses[count[d]:count[d+1]] {
				if waiting[u.option]--; waiting[u.option] == 0 && u.class != x && chosen[u.class] < 0 {
					chosen[u.class] = u.option - first[u.class]
					queue = append(queue, u.class)
				}
			}
		}
		return !slices.ContainsFunc(part, func(c int32) bool { return p.paid[c] && chosen[c] < 0 })
	}
	e := p.evaluation()
	in := make([]int, len(p.classes)) // how many choices of its part had the class
	changed := false
	for _, part := range p.parts() {
		without(part, -1)
		e.cost(part, chosen)
		candidates := slices.Clone(e.order)
		found, choices := 0, 0
		stride := len(candidates)*5/8 + 1 // the next ones are far away
		for !coprime(stride, len(candidates)) {
			stride++
		}
		for i := range candidates {
			x := candidates[i*stride%len(candidates)]
			if p.paid[x] || in[x] < choices {
				continue
			}
			if p.work > payLimit {
				return changed
			}
			if !without(part, x) {
				p.paid[x], changed = true, true
				if found++; found == payAtOnce {
					break
				}
				continue
			}
			e.cost(part, chosen)
			choices++
			for _, c := range e.order {
				in[c]++
			}
		}
	}
	return changed
}

func coprime(a, b int) bool {
	for b != 0 {
		a, b = b, a%b
	}
	return a == 1
}

// undominated keeps of options those that no other one is as good as; of two alike the first.
func undominated(list []option) []option {
	if len(list) < 2 {
		return list
	}
	drop := make([]bool, len(list))
	any := false
	for i := range list {
		for j := range list {
			if i == j || drop[j] || drop[i] {
				continue
			}
			c := list[j].cost.Compare(list[i].cost)
			if c > 0 || len(list[j].children) > len(list[i].children) || !subset(list[j].children, list[i].children) {
				continue
			}
			if c == 0 && len(list[j].children) == len(list[i].children) && j > i {
				continue // alike
			}
			drop[i], any = true, true
		}
	}
	if !any {
		return list
	}
	var out []option
	for i, o := range list {
		if !drop[i] {
			out = append(out, o)
		}
	}
	return out
}

func subset(a, b []int32) bool {
	for _, c := range a {
		for len(b) > 0 && b[0] < c {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != c {
			return false
		}
	}
	return true
}

// components numbers the strongly connected components of the classes, and counts what is in each (Tarjan 1972).
func (p *problem) components() (component []int32, size []int32) {
	n := len(p.classes)
	component = make([]int32, n)
	low, number := make([]int32, n), make([]int32, n) // number: plus 1
	var stack []int32
	type frame struct {
		class         int32
		option, child int
	}
	var frames []frame
	count := int32(0)
	for c := range p.classes {
		if number[c] != 0 || len(p.options[c]) == 0 {
			continue
		}
		frames = append(frames, frame{class: int32(c)})
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			c := f.class
			if number[c] == 0 {
				count++
				number[c], low[c], component[c] = count, count, -1
				stack = append(stack, c)
			}
			list := p.options[c]
			for f.option < len(list) && f.child == len(list[f.option].children) {
				f.option, f.child = f.option+1, 0
			}
			if f.option < len(list) {
				d := list[f.option].children[f.child]
				switch {
				case number[d] == 0:
					frames = append(frames, frame{class: d})
					continue // and look at its low when it is done
				case component[d] == -1:
					low[c] = min(low[c], low[d])
				}
				f.child++
				continue
			}
			if low[c] == number[c] {
				members := int32(0)
				for {
					d := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					component[d] = int32(len(size))
					members++
					if d == c {
						break
					}
				}
				size = append(size, members)
			}
			frames = frames[:len(frames)-1]
		}
	}
	return component, size
}
