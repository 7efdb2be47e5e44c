package cnest

import (
	"regexp"
	"sync"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// aliasLine says that parameters may overlap, but for those that are restrict.
var aliasLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`#[ \t]*pragma[ \t]+alias[ \t]+may\b`)
})

// disjoint refuses a function whose parameters may overlap: the form has them apart. Two that are
// only read may; so may none of types that are not each other's (6.5), and none that is restrict.
func (l *lowering) disjoint(f *function, p *loops.Procedure) {
	written := map[string]bool{}
	for _, name := range p.Written() {
		written[name] = true
	}
	for i, x := range f.params {
		for _, y := range f.params[:i] {
			if !x.array || !y.array || x.alone || y.alone || !written[x.name] && !written[y.name] {
				continue
			}
			check(!mixed(x.typ.elem, y.typ.elem), x.at, "unsupported-op", "%s and %s may overlap",
				y.name, x.name)
		}
	}
}

// mixed reports whether an object may be accessed as of both types.
func mixed(x, y domain.Elem) bool {
	if x.Width == 8 || y.Width == 8 {
		return true
	}
	return x.Width == y.Width && (x.Kind == domain.ElemFloat) == (y.Kind == domain.ElemFloat)
}
