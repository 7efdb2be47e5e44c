package egraph

import (
	"container/heap"
	"slices"
)

// A problem is what a choice is looked for in: the classes below a root, numbered, with the nodes that may be used.
type problem struct {
	classes []Class
	options [][]option // by class
	root    int32      // a class
	paid    []bool     // classes that every choice needs; see reduce
}

type option struct {
	node     Node
	cost     Cost
	children []int32 // classes, as often as the node has them; reduce sorts them and leaves some out
}

func (g *Graph[D]) problem(root Class, costs Costs) *problem {
	root = g.Find(root)
	p := &problem{}
	index := make([]int32, len(g.parent)) // plus 1
	number := func(c Class) int32 {
		if index[c] == 0 {
			p.classes = append(p.classes, c)
			index[c] = int32(len(p.classes))
		}
		return index[c] - 1
	}
	p.root = number(root)
	for at := 0; at < len(p.classes); at++ {
		var list []option
		for _, n := range g.Nodes(p.classes[at]) {
			cost, ok := costs(p.classes[at], n)
			if !ok || len(n.Children) > 0 && cost == (Cost{}) {
				continue
			}
			children := make([]int32, len(n.Children))
			for i, c := range n.Children {
				children[i] = number(g.Find(c))
			}
			list = append(list, option{n, cost, children})
		}
		p.options = append(p.options, list)
	}
	return p
}

// A choosing has an option for each class, or -1.
type choosing []int32

// tree finds for each class the cheapest tree (Knuth, A generalization of Dijkstra's algorithm, 1977): a class is settled
// when no tree of another can be cheaper, and its options count where all their children are settled: so none goes in a
// circle. It returns the classes in the order in which they are settled, which leaves out those that have no term.
func (p *problem) tree() (chosen choosing, cost []Cost, order []int32) {
	type use struct{ class, option int32 }
	uses := make([][]use, len(p.classes))
	waiting := make([][]int32, len(p.classes)) // children that are not settled, by option
	sums := make([][]Cost, len(p.classes))
	queue := &queue{}
	for c, list := range p.options {
		waiting[c], sums[c] = make([]int32, len(list)), make([]Cost, len(list))
		for i, o := range list {
			sums[c][i] = o.cost
			waiting[c][i] = int32(len(o.children))
			for _, child := range o.children {
				uses[child] = append(uses[child], use{int32(c), int32(i)})
			}
			if len(o.children) == 0 {
				queue.list = append(queue.list, queued{o.cost, int32(c), int32(i)})
			}
		}
	}
	chosen, cost = make(choosing, len(p.classes)), make([]Cost, len(p.classes))
	for c := range chosen {
		chosen[c] = -1
	}
	heap.Init(queue)
	for queue.Len() > 0 {
		q := heap.Pop(queue).(queued)
		if chosen[q.class] >= 0 {
			continue
		}
		chosen[q.class], cost[q.class] = q.option, q.cost
		order = append(order, q.class)
		for _, u := range uses[q.class] {
			sums[u.class][u.option] = sums[u.class][u.option].Add(q.cost)
			if waiting[u.class][u.option]--; waiting[u.class][u.option] == 0 && chosen[u.class] < 0 {
				heap.Push(queue, queued{sums[u.class][u.option], u.class, u.option})
			}
		}
	}
	return chosen, cost, order
}

// A queue has the cheapest first; of two alike the older class, then the older node.
type queue struct{ list []queued }

type queued struct {
	cost          Cost
	class, option int32
}

func (q *queue) Len() int { return len(q.list) }
func (q *queue) Less(i, j int) bool {
	a, b := &q.list[i], &q.list[j]
	if c := a.cost.Compare(b.cost); c != 0 {
		return c < 0
	}
	if a.class != b.class {
		return a.class < b.class
	}
	return a.option < b.option
}
func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(x any)    { q.list = append(q.list, x.(queued)) }
func (q *queue) Pop() any {
	last := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return last
}

// Tree finds the cheapest tree: what two terms share is paid twice.
func (g *Graph[D]) Tree(root Class, costs Costs) (*Choice, error) {
	p := g.problem(root, costs)
	chosen, cost, _ := p.tree()
	if chosen[p.root] < 0 {
		return nil, &ErrNothing{g.Find(root)}
	}
	out := g.choice(p, chosen)
	out.Cost = cost[p.root]
	return out, nil
}

// choice collects what a choosing needs, arguments first. No class may need itself.
func (g *Graph[D]) choice(p *problem, chosen choosing) *Choice {
	index := make(map[Class]int32, len(p.classes))
	for i, c := range p.classes {
		index[c] = int32(i)
	}
	out := &Choice{Root: p.classes[p.root], nodes: map[Class]Node{}}
	const open, done = 1, 2
	state := make([]uint8, len(p.classes))
	stack := []int32{p.root}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		o := &p.options[c][chosen[c]]
		switch state[c] {
		case done:
			stack = stack[:len(stack)-1]
		case open:
			state[c] = done
			stack = stack[:len(stack)-1]
			out.Classes = append(out.Classes, p.classes[c])
			out.nodes[p.classes[c]] = o.node
			out.Cost = out.Cost.Add(o.cost)
		default:
			state[c] = open
			for _, class := range slices.Backward(o.node.Children) {
				switch child := index[g.Find(class)]; state[child] {
				case open:
					panic("a class of a choice needs itself")
				case done:
				default:
					stack = append(stack, child)
				}
			}
		}
	}
	return out
}
