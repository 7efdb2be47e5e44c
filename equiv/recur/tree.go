package recur

// A tree says who wrote a cell last that an instance of a statement reads: by conditions on the counters of that statement
// and on quotients that are made on the way.
type tree struct {
	kind     kind
	when     lin   // of branch: yes where it is at least 0
	quotient int   // of divide: the variable that is made
	yes, no  *tree // of branch; of divide the rest is yes
	writer   *stmt // of written
	counters []lin // of the writer's instance
}

type kind uint8

const (
	never   kind = iota // no instance gets here
	entry               // nobody: the cell holds what it did before the call
	written             // an instance of writer
	branch
	divide
)

// leaves calls f for the leaves, from left to right, with the facts that lead to each.
func (n *names) leaves(t *tree, path []fact, f func(leaf *tree, path []fact)) {
	switch t.kind {
	case branch:
		n.leaves(t.yes, extended(path, natural(t.when)), f)
		n.leaves(t.no, extended(path, natural(t.when).denied()[0]), f)
	case divide:
		q := n.quotients[t.quotient]
		n.leaves(t.yes, extended(path, defining(t.quotient, q.of, q.by)...), f)
	default:
		f(t, path)
	}
}

func extended(path []fact, more ...fact) []fact {
	return append(path[:len(path):len(path)], more...)
}

// sameLeaf tells whether two trees are leaves that say the same.
func sameLeaf(t, u *tree) bool {
	if t.kind != u.kind || t.kind >= branch || t.writer != u.writer {
		return false
	}
	for i, a := range t.counters {
		if !a.equal(u.counters[i]) {
			return false
		}
	}
	return true
}
