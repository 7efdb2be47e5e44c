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

// needDepth is how far down pay looks for what all options need.
const needDepth = 4

// pay marks what paid classes need whatever is chosen: a class needs itself and what all of its options need; an option
// needs what its children need.
func (p *problem) pay() bool {
	need := make([][]int32, len(p.classes)) // sorted; as far as the rounds so far look
	for c, list := range p.options {
		if len(list) > 0 {
			need[c] = []int32{int32(c)}
		}
	}
	var all, one, rest []int32
	for range needDepth {
		next := make([][]int32, len(p.classes))
		for c, list := range p.options {
			all = all[:0]
			for i, o := range list {
				one = one[:0]
				for _, d := range o.children {
					one = append(one, need[d]...)
				}
				slices.Sort(one)
				one = slices.Compact(one)
				if i == 0 {
					all = append(all, one...)
					continue
				}
				rest = rest[:0]
				for _, d := range all {
					if has(one, d) {
						rest = append(rest, d)
					}
				}
				if all, rest = rest, all; len(all) == 0 {
					break
				}
			}
			switch {
			case len(list) == 0:
			case len(all) == 0 && len(need[c]) == 1:
				next[c] = need[c]
			default:
				at, found := slices.BinarySearch(all, int32(c))
				if !found {
					all = slices.Insert(all, at, int32(c))
				}
				next[c] = slices.Clone(all)
			}
		}
		need = next
	}
	changed := false
	var list []int32
	for c, paid := range p.paid {
		if paid {
			list = append(list, int32(c))
		}
	}
	for ; len(list) > 0; list = list[1:] {
		for _, d := range need[list[0]] {
			if !p.paid[d] {
				p.paid[d], changed = true, true
				list = append(list, d)
			}
		}
	}
	return changed
}

func has(sorted []int32, c int32) bool {
	_, ok := slices.BinarySearch(sorted, c)
	return ok
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
