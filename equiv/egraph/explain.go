package egraph

// A Proof says why two terms are equal: by a chain of steps, which use lemmas, each of them two terms and a chain of its
// own that uses lemmas before it.
type Proof struct {
	Lemmas []Lemma
	Chain  []Step // from the one term to the other; none where they are one
}

// A Lemma is a chain that is used, maybe many times.
type Lemma struct {
	From, To Term
	Chain    []Step
}

// A Step goes from a term to one that is equal by a union, or that differs in one argument.
type Step struct {
	From, To Term
	Argument int    // which one differs, or -1: a union
	Lemma    int    // whose ends the arguments are
	Reason   Reason // of the union
	Reversed bool   // From is the second term of the union, or has the lemma's To as argument
}

// Explain returns why two terms are equal, and nil if they are not. Steps that change one of several arguments go over terms
// that are added for it; classes and nodes stay.
func (g *Graph[D]) Explain(a, b Term) *Proof {
	if g.Class(a) != g.Class(b) {
		return nil
	}
	e := &explainer[D]{g: g, lemma: map[[2]Term]int{}}
	return &Proof{Chain: e.prove(a, b), Lemmas: e.lemmas}
}

// Then appends to a proof the chain of the last of some lemmas, which begins where the proof ends, and the lemmas before that it rests on:
// steps of these number them from 0.
func (p *Proof) Then(lemmas []Lemma) {
	if len(lemmas) == 0 {
		return
	}
	before := len(p.Lemmas)
	for _, l := range lemmas {
		for i := range l.Chain {
			if l.Chain[i].Argument >= 0 {
				l.Chain[i].Lemma += before
			}
		}
	}
	last := len(lemmas) - 1
	p.Lemmas = append(p.Lemmas, lemmas[:last]...)
	p.Chain = append(p.Chain, lemmas[last].Chain...)
}

type explainer[D any] struct {
	g      *Graph[D]
	lemmas []Lemma
	lemma  map[[2]Term]int // by its ends, the smaller first
	marked []int32         // by term: 2·round where it was met from the one end, 2·round + 1 from the other
	round  int32
	args   []Term
}

// A frame is a chain whose lemmas are not all proved.
type frame struct {
	from, to Term
	chain    []Step
	next     int
}

// prove proves lemmas before what uses them. That ends: what a congruence rests on was in the forest before it, and paths
// in a forest stay.
func (e *explainer[D]) prove(a, b Term) []Step {
	stack := []frame{{from: a, to: b, chain: e.chain(a, b)}}
	for {
		f := &stack[len(stack)-1]
		var open *frame
		for ; f.next < len(f.chain); f.next++ {
			s := &f.chain[f.next]
			if s.Argument < 0 {
				continue
			}
			from, to := e.g.arguments(s.From)[s.Argument], e.g.arguments(s.To)[s.Argument]
			if s.Reversed = from > to; s.Reversed {
				from, to = to, from
			}
			number, ok := e.lemma[[2]Term{from, to}]
			if !ok {
				open = &frame{from: from, to: to, chain: e.chain(from, to)}
				break
			}
			s.Lemma = number
		}
		if open != nil {
			stack = append(stack, *open)
			continue
		}
		if len(stack) == 1 {
			return f.chain
		}
		e.lemma[[2]Term{f.from, f.to}] = len(e.lemmas)
		e.lemmas = append(e.lemmas, Lemma{From: f.from, To: f.to, Chain: f.chain})
		stack = stack[:len(stack)-1]
	}
}

// chain are the steps from a to b without lemmas.
func (e *explainer[D]) chain(a, b Term) []Step {
	var out []Step
	up, down := e.path(a, b)
	for _, t := range up { // from t to its neighbour
		out = e.edge(out, t, e.g.link[t].to, e.g.link[t], e.g.state[t]&isForward == 0)
	}
	for i := len(down) - 1; i >= 0; i-- { // from the neighbour to it
		t := down[i]
		out = e.edge(out, e.g.link[t].to, t, e.g.link[t], e.g.state[t]&isForward != 0)
	}
	return shorten(a, out)
}

// shorten leaves out what goes round and comes back to a term.
func shorten(a Term, chain []Step) []Step {
	at := make(map[Term]int, len(chain)+1) // how many steps lead to a term
	at[a] = 0
	out := chain[:0]
	for _, s := range chain {
		if n, ok := at[s.To]; ok {
			for _, cut := range out[n:] {
				delete(at, cut.To)
			}
			out = out[:n]
			continue
		}
		out = append(out, s)
		at[s.To] = len(out)
	}
	return out
}

// edge appends the steps of one edge of the forest.
func (e *explainer[D]) edge(out []Step, from, to Term, l link, reversed bool) []Step {
	if l.union {
		return append(out, Step{From: from, To: to, Argument: -1, Lemma: -1, Reason: l.reason, Reversed: reversed})
	}
	g := e.g
	e.args = append(e.args[:0], g.arguments(from)...)
	at := from
	for i, n := 0, len(e.args); i < n; i++ {
		arg := g.arguments(to)[i]
		if e.args[i] == arg {
			continue
		}
		e.args[i] = arg
		next, _, ok := g.terms.find(g.ops[from], e.args)
		if !ok {
			next = g.addCongruent(g.ops[from], e.args, from)
		}
		out = append(out, Step{From: at, To: next, Argument: i})
		at = next
	}
	return out
}

// path returns the terms on the way from a to where it meets that from b, and those from b; the links are between. Both climb
// by turns, so that this costs no more than the longer way.
func (e *explainer[D]) path(a, b Term) (up, down []Term) {
	g := e.g
	if n := g.terms.len(); len(e.marked) < n {
		e.marked = append(e.marked, make([]int32, n-len(e.marked))...)
	}
	e.round++
	mine, other := 2*e.round, 2*e.round+1
	at, from := [2]Term{a, b}, [2][]Term{}
	e.marked[a] = mine
	if a == b {
		return nil, nil
	}
	e.marked[b] = other
	for side := 0; ; side = 1 - side {
		t := at[side]
		to := g.link[t].to
		if to == t {
			continue // a root: the other one comes to it or below
		}
		from[side] = append(from[side], t)
		at[side] = to
		if m := e.marked[to]; m == mine+int32(1-side) {
			// the other way went through it: cut what it has above
			rest := from[1-side]
			for i, u := range rest {
				if u == to {
					from[1-side] = rest[:i]
					break
				}
			}
			return from[0], from[1]
		}
		e.marked[to] = mine + int32(side)
	}
}
