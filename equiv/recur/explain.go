package recur

import (
	"fmt"
	"strings"
)

// spelt is a tree as text.
func (n *names) spelt(t *tree) string {
	name := n.called
	switch t.kind {
	case never:
		return "never"
	case entry:
		return "entry"
	case branch:
		return fmt.Sprintf("(if %s %s %s)", t.when.spelt(name), n.spelt(t.yes), n.spelt(t.no))
	case divide:
		q := n.quotients[t.quotient]
		return fmt.Sprintf("(div %s %d %s)", q.of.spelt(name), q.by, n.spelt(t.yes))
	}
	var at []string
	for _, a := range t.counters {
		at = append(at, a.spelt(name))
	}
	return fmt.Sprintf("%s[%s]", t.writer.at.Position(), strings.Join(at, ", "))
}

func (n *names) called(v int) string {
	if v < len(n.sizes) {
		return n.sizes[v]
	}
	return spell(v)
}
