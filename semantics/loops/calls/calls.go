package calls

import (
	"errors"
	"slices"

	"tv/internal/source"
	"tv/semantics/loops"
)

// A Site is a place where a call of the library stands for a product.
type Site struct {
	Function string      // of the library: cimblas_gemm
	At       source.Span // of the update that it stands for

	to, a, b loops.Access
	write    func(*writer) string
}

// A Result is a procedure with calls, as a text in C.
type Result struct {
	Text       string
	Sites      []*Site
	Statements int // assignments that stay
}

// Options say what may be done to find sites.
type Options struct {
	Distribute bool // take loops apart
}

// ErrText tells that a procedure has something for which the text in C has no words.
var ErrText = errors.New("cannot be written as C")

// Replace writes a procedure as C in which calls of the library cimblas stand for its products of matrices. Nothing proves that
// the text means the same. Errors: ErrText, wrapped with what it is.
func Replace(p *loops.Procedure, opts Options) (*Result, error) {
	list := unscalared(nodes(p.Body))
	if opts.Distribute {
		list = distributed(list)
	}
	r := &replacer{}
	list = r.block(list)
	text, err := written(p, list)
	if err != nil {
		return nil, err
	}
	out := &Result{Text: text, Sites: r.sites}
	count(list, func(n *node) {
		if _, ok := n.stmt.(*loops.Assign); ok {
			out.Statements++
		}
	})
	return out, nil
}

// Statements counts the assignments of a procedure.
func Statements(p *loops.Procedure) (n int) {
	count(nodes(p.Body), func(s *node) {
		if _, ok := s.stmt.(*loops.Assign); ok {
			n++
		}
	})
	return n
}

// count calls f for all nodes, within branches too.
func count(list []*node, f func(*node)) {
	for _, n := range list {
		f(n)
		count(n.body, f)
		switch s := n.stmt.(type) {
		case *loops.If:
			count(nodes(s.Then), f)
			count(nodes(s.Else), f)
		case *loops.When:
			count(nodes(s.Then), f)
			count(nodes(s.Else), f)
		}
	}
}

// A replacer puts calls in the place of products.
type replacer struct{ sites []*Site }

// block replaces the products among statements that follow each other: what initialises the result before, with no other access
// to it in between, is part of the call, and what has two products is two updates.
func (r *replacer) block(list []*node) (out []*node) {
	for _, n := range list {
		if _, isRequire := n.stmt.(*loops.Require); isRequire { // of sizes: C has no words for it
			continue
		}
		around, leaf := n.perfect()
		if leaf == nil || len(around) < 2 {
			n.body = r.block(n.body)
			out = append(out, n)
			continue
		}
		at := lastOf(leaf.To.Buffer, out)
		var before *node
		if at >= 0 {
			before = out[at]
		}
		made, sites, folded := r.sitesOf(updates(around, leaf), before)
		switch {
		case len(made) == 0:
			out = append(out, n)
			continue
		case folded:
			out = slices.Delete(out, at, at+1)
		}
		r.sites = append(r.sites, sites...)
		out = append(out, made...)
	}
	return out
}

// lastOf is the last of some statements that accesses a buffer, or may; -1 where there is none.
func lastOf(b *loops.Buffer, list []*node) int {
	for at, n := range slices.Backward(list) {
		a, ok := n.accesses()
		of := func(x loops.Access) bool { return x.Buffer == b }
		if !ok || slices.ContainsFunc(a.reads, of) || slices.ContainsFunc(a.writes, of) {
			return at
		}
	}
	return -1
}

// sitesOf are the calls for all updates of a nest, of which the first may do what the nest before does; none where one of
// them is no site.
func (r *replacer) sitesOf(all []*update, before *node) (made []*node, sites []*Site, folded bool) {
	for i, u := range all {
		if i > 0 {
			before = nil
		}
		call, site, does := r.site(u, before)
		if call == nil {
			return nil, nil, false
		}
		made, sites, folded = append(made, call), append(sites, site), folded || does
	}
	return made, sites, folded
}

// site is the call for an update, within the loops that have no role in it, and whether it does what the nest before did.
func (r *replacer) site(u *update, before *node) (call *node, site *Site, folded bool) {
	for _, v := range []*update{u, u.exchanged()} {
		s, ok := v.shaped()
		if !ok {
			continue
		}
		// The last axis of x is that of columns.
		if at, _ := places(v.to, s.loops()); s[column] != nil && at[s[row]].axis == len(v.to.At)-1 {
			v = v.exchanged()
			s[row], s[column] = s[column], s[row]
		}
		beta := &term{}
		if before != nil {
			if b, ok := v.initialised(before, s); ok {
				beta, folded = b, true
			}
		}
		site = &Site{Function: v.function(s), At: v.at.At, to: v.to, a: v.a, b: v.b,
			write: func(w *writer) string { return w.call(v, s, beta) }}
		n := &node{call: site}
		for _, f := range slices.Backward(v.outer(s)) {
			n = &node{stmt: f, body: []*node{n}}
		}
		return n, site, folded
	}
	return nil, nil, false
}
