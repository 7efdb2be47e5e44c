package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// A seg is a part of a shape: one dim, or a block, which is any number of dims that the rule never tells apart and
// that stand as one axis in the programs of a case. Two blocks of one name have the same dims.
type seg struct {
	size  domain.Size // of a dim; of a block the product of its dims, a name of its own
	block string      // "" for a dim
}

func dimSeg(size domain.Size) seg { return seg{size: size} }

func blockSeg(name string) seg { return seg{size: domain.NamedSize(name), block: name} }

// rankName is the name that stands for the number of dims of a block while a case is made.
func rankName(block string) string { return "|" + block + "|" }

func (s seg) rank() domain.Size {
	if s.block == "" {
		return domain.IntSize(1)
	}
	return domain.NamedSize(rankName(s.block))
}

// isRank tells whether a name stands for the number of dims of a block.
func isRank(name string) bool { return strings.HasPrefix(name, "|") }

// A run is the integers lo .. hi-1 of a list.
type run struct{ lo, hi domain.Size }

// An assignment says what the names of a rule are in one case. Names that it does not hold stand for themselves.
type assignment struct {
	groups map[string][]seg
	ints   map[string]domain.Size
	signed map[string]bool     // integers whose sign is known
	places map[string]position // integers that name an axis behind a permutation
	words  map[string]word     // lists that an equation puts in terms of others
	lists  map[string][]run
	tokens map[string]string
	sizes  map[string]domain.Size // of an instance
	trail  []string               // for people: the choices made
	fresh  map[string]int         // counts names made from a group's
	peeled int                    // dims taken off blocks
	ranked bool                   // groups have numbers of dims: this is one of finitely many cases
}

func (a *assignment) clone() *assignment {
	c := *a
	c.groups, c.ints, c.lists = maps.Clone(a.groups), maps.Clone(a.ints), maps.Clone(a.lists)
	c.places, c.words = maps.Clone(a.places), maps.Clone(a.words)
	c.signed, c.fresh, c.tokens = maps.Clone(a.signed), maps.Clone(a.fresh), maps.Clone(a.tokens)
	c.trail = slices.Clip(a.trail)
	return &c
}

// freshName makes a name from a group's: A* gives A.1 for a dim and A.1* for a block.
func (a *assignment) freshName(group string, block bool) string {
	base := strings.TrimSuffix(group, "*")
	if i := strings.IndexByte(base, '.'); i >= 0 {
		base = base[:i]
	}
	a.fresh[base]++
	name := fmt.Sprintf("%s.%d", base, a.fresh[base])
	if block {
		name += "*"
	}
	return name
}

// replaceBlock puts segs for a block, and their ranks and sizes in what is known of integers and lists.
func (a *assignment) replaceBlock(block string, by []seg) {
	rank, size := domain.IntSize(0), domain.IntSize(1)
	for _, s := range by {
		rank, size = rank.Add(s.rank()), size.Mul(s.size)
	}
	m := map[string]domain.Size{rankName(block): rank, block: size}
	for g, segs := range a.groups {
		var out []seg
		for _, s := range segs {
			switch {
			case s.block == block:
				out = append(out, by...)
			case s.block == "":
				out = append(out, dimSeg(s.size.Subst(m)))
			default:
				out = append(out, s)
			}
		}
		a.groups[g] = out
	}
	for n, x := range a.ints {
		a.ints[n] = x.Subst(m)
	}
	for n, p := range a.places {
		a.places[n] = position{p.by, p.at.Subst(m)}
	}
	for n, l := range a.lists {
		out := make([]run, len(l))
		for i, r := range l {
			out[i] = run{r.lo.Subst(m), r.hi.Subst(m)}
		}
		a.lists[n] = out
	}
}

// note records a choice for people.
func (a *assignment) note(format string, args ...any) {
	a.trail = append(a.trail, fmt.Sprintf(format, args...))
}

// An alternative is one way to go on where a case has to be taken apart.
type alternative func(*assignment)

// What ends the work on a case early.
type (
	split     struct{ alternatives []alternative } // the case is taken apart
	illFormed struct{ msg string }                 // the side at hand has no meaning
	noValue   struct{ msg string }                 // an integer or a list has no value
	escape    struct{ reason string }              // groups are not enough: ranks have to be numbers
)

// peel takes the first or the last dim off a block.
func peel(block string, last bool) split {
	return split{[]alternative{
		func(a *assignment) {
			a.replaceBlock(block, nil)
			a.note("%s is empty", block)
		},
		func(a *assignment) {
			dim, rest := dimSeg(domain.NamedSize(a.freshName(block, false))), blockSeg(a.freshName(block, true))
			a.peeled++
			by := []seg{dim, rest}
			if last {
				by = []seg{rest, dim}
			}
			a.replaceBlock(block, by)
			a.note("%s is %s", block, segsText(by))
		},
	}}
}

func segsText(segs []seg) string {
	if len(segs) == 0 {
		return "()"
	}
	var parts []string
	for _, s := range segs {
		parts = append(parts, s.size.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}
