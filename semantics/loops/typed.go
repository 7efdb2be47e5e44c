package loops

import (
	"cmp"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/procedures"
)

// A Source is a procedure as a language gives it to semantics.Source: its heading, and a step for each parameter that it
// writes. The steps happen at once.
type Source struct {
	*procedures.Program
	Procedure *Procedure
	Places    Places
	body      []Stmt // rolled up again, and counting what may end the call
	ends      *Buffer
	rolled    Places // of its statements
	memory    bool
	observed  int // results that it does not write
}

// SourceOf makes a source of a procedure, with parameters in memory or not. Results are the parameters that it writes, and
// those observed besides. Errors: source.Errors, where an extent is no size.
func SourceOf(p *Procedure, memory bool, observed ...string) (*Source, error) {
	s := &Source{Procedure: p, Places: PlacesOf(p), memory: memory,
		Program: &procedures.Program{Text: p.File, Heading: p.Span, Procedure: true, Name: p.Name, AtOnce: true}}
	params := map[*Buffer]*procedures.Parameter{}
	for _, h := range p.Heading {
		if h.Buffer == nil {
			size := semantics.SizeParameter{Name: h.Size, Place: len(s.Parameters), Span: h.Span}
			if !h.Extent {
				s.Program.Sizes = append(s.Program.Sizes, size)
			}
			continue
		}
		q := &procedures.Parameter{Name: h.Buffer.Name, Elem: h.Buffer.Elem, Span: h.Span, Unsized: h.Buffer.Unsized,
			Signless: h.Buffer.Signless}
		for _, d := range h.Buffer.Dims {
			size, ok := s.Places.Size(d)
			if !ok {
				return nil, source.Errors{source.Errorf(h.Span, "not-affine", "an extent of %s is no expression of sizes", q.Name)}
			}
			q.Dims = append(q.Dims, size)
		}
		if !s.Add(q) {
			return nil, source.Errors{source.Errorf(h.Span, "redefined-name", "%s is a parameter already", q.Name)}
		}
		params[h.Buffer] = q
	}
	read, written := s.touched()
	for _, b := range p.Buffers {
		if b.Kind == Returned { // as a parameter whose contents before the call nobody sees
			params[b] = &procedures.Parameter{Name: b.Name, Elem: b.Elem, Signless: b.Signless, Span: b.Span}
			if !s.Add(params[b]) {
				return nil, source.Errors{source.Errorf(b.Span, "redefined-name", "%s is a parameter already", b.Name)}
			}
		}
	}
	var reads []*procedures.Parameter
	for _, b := range p.Buffers {
		if q := params[b]; q != nil && read[b] {
			reads = append(reads, q)
		}
	}
	for _, b := range p.Buffers {
		switch q := params[b]; {
		case q == nil:
		case (b.Kind == InOut || b.Kind == Returned) && written[b] != nil:
			s.Then(&procedures.Step{Target: q, Reads: reads, Name: "call", Adds: b.Kind == InOut, Whole: b.Kind == Returned,
				Span: written[b].At})
		case slices.Contains(observed, b.Name):
			s.observed++
			s.Then(&procedures.Step{Target: q, Name: "call", Adds: true, Span: b.Span})
		}
	}
	s.Done()
	s.body, s.ends = p.Counting(p.Carried(p.Merged(p.Rerolled())))
	s.rolled = PlacesOf(&Procedure{Body: s.body})
	return s, nil
}

// Silent is the error of a source without results. It can be asked about beside one that writes, whose parameters it has to
// leave alone, so whoever types it says so, and not whoever reads it.
func (s *Source) Silent() error {
	if len(s.Steps) > 0 {
		return nil
	}
	return source.Errors{source.Errorf(s.Procedure.Span, "no-result", "%s writes none of its parameters", s.Procedure.Name)}
}

// Signature implements semantics.Source.
func (s *Source) Signature() semantics.Signature {
	sig := s.Program.Signature()
	sig.Function, sig.Storage, sig.RowMajor = s.Procedure.Name, s.storage(), s.memory
	return sig
}

// storage lists the parameters that are not handed over by value, if there are several and one is written.
func (s *Source) storage() (names []string) {
	write := false
	for _, h := range s.Procedure.Heading {
		if b := h.Buffer; s.memory && b != nil && (len(b.Dims) > 0 || b.Kind == InOut) {
			names = append(names, b.Name)
			write = write || s.Program.Parameter(b.Name).Written
		}
	}
	for _, b := range s.Procedure.Scratched {
		if s.memory {
			names, write = append(names, b.Name), true
		}
	}
	if len(names) < 2 || !write || s.Procedure.Alias {
		return nil
	}
	return names
}

// touched returns which buffers are read, and the last statement of the text that writes each.
func (s *Source) touched() (read map[*Buffer]bool, written map[*Buffer]*Assign) {
	read, written = map[*Buffer]bool{}, map[*Buffer]*Assign{}
	var element func(e *Expr)
	element = func(e *Expr) {
		if e.Op == Read {
			read[e.From.Buffer] = true
		}
		for _, a := range e.Args {
			element(a)
		}
	}
	for _, pl := range s.Places.Ordered() {
		switch x := pl.Stmt.(type) {
		case *Assign:
			element(x.Value)
			written[x.To.Buffer] = x
		case *When:
			element(x.Cond)
		}
	}
	return read, written
}

// Ordered lists the places in the order of the text.
func (all Places) Ordered() []*Place {
	out := make([]*Place, len(all))
	for _, pl := range all {
		out[pl.ID] = pl
	}
	return out
}

// A Typed procedure is one under the names of a question.
type Typed struct {
	*procedures.Typed
	Procedure *Procedure         // as it was written: what it does is what this does
	Body      []Stmt             // the same, with loops rolled up again that were unrolled: what is asked about it
	Places    Places             // of the statements of Body
	Overlap   *semantics.Overlap // of its parameters; nil: they are apart
	Ends      *Buffer            // in which Body counts what the call may end at: see Counting
	// Unstated tells that something is owed of which it cannot be stated where it holds: some conditions are missing.
	Unstated bool
	observed int
	elements []elements                 // of the parameters
	stated   map[bound][][2]domain.Size // subscripts and extents of which it is stated, while conditions are
}

// mostStatements bounds procedures: what each statement owes is worked out before anything else is, whatever time is given.
const mostStatements = 1 << 16

// Under types a procedure: source is what embeds it. Errors: source.Errors. Where what it owes cannot be stated there is a procedure
// all the same, of which some conditions are missing: it can be run.
func (s *Source) Under(env *domain.Env, as semantics.Source) (*Typed, error) {
	t, err := s.Run(env, as)
	if err != nil {
		return nil, err
	}
	t.stated = map[bound][][2]domain.Size{}
	var unstated source.Errors
	for _, pl := range t.Places.Ordered() {
		if err := t.owed(pl); err != nil && unstated == nil {
			unstated = source.Errors{err}
		}
	}
	t.stated = nil
	if t.Unstated = unstated != nil; t.Unstated {
		return t, unstated
	}
	return t, nil
}

// Run types a procedure that is run and nothing else: of what it owes nothing is stated. Errors: source.Errors.
func (s *Source) Run(env *domain.Env, as semantics.Source) (*Typed, error) {
	t := &Typed{Typed: s.Program.Under(env, as), Procedure: s.Procedure, Body: s.body, Places: s.rolled, Ends: s.ends, observed: s.observed}
	t.elements = t.counts()
	for _, h := range s.Procedure.Heading {
		if h.Buffer == nil && t.Sign(domain.NamedSize(h.Size)) <= 0 {
			return nil, source.Errors{source.Errorf(h.Span, "not-affine", "the size %s may be 0 here", h.Size)}
		}
	}
	list := t.Places.Ordered()
	if len(list) > mostStatements {
		at := list[mostStatements].Stmt.Span()
		return nil, source.Errors{source.Errorf(at, "too-large", "more than %d statements", mostStatements)}
	}
	return t, nil
}

// Loops is the procedure, for those who look at programs that are nests of loops.
func (t *Typed) Loops() *Typed { return t }

// Part is the part that a parameter is before the call.
func (t *Typed) Part(b *Buffer) int { return t.Parameter(b.Name).Number }

// Writes is the buffer whose contents after the call a part is, nil for another part.
func (t *Typed) Writes(part int) *Buffer {
	k := part - len(t.Parameters)
	if k < 0 || k >= len(t.Steps) {
		return nil
	}
	name := t.Steps[k].Target.Name
	i := slices.IndexFunc(t.Procedure.Buffers, func(b *Buffer) bool { return b.Name == name })
	return t.Procedure.Buffers[i]
}

// Sign tells whether a size of the text is above or below 0 wherever the sizes of the question are what they are
// declared to be. Of counters and other things that have names here nothing is known.
func (t *Typed) Sign(s domain.Size) int {
	if n, ok := s.Int64(); ok {
		return cmp.Compare(n, 0)
	}
	if slices.ContainsFunc(s.Names(), func(n string) bool { return strings.Contains(n, "#") }) {
		return 0
	}
	s = t.Size(s)
	switch {
	case s.AtLeast(1, t.Env.Mins):
		return 1
	case minus(s).AtLeast(1, t.Env.Mins):
		return -1
	}
	return 0
}

// Sizes implements semantics.Program: bounds and subscripts, where they are sizes alone.
func (t *Typed) Sizes() (out []domain.Size) {
	for _, h := range t.Procedure.Heading {
		if h.Buffer == nil {
			out = append(out, t.Size(domain.NamedSize(h.Size)))
		}
	}
	return out
}

// Depth implements semantics.Program.
func (t *Typed) Depth() int {
	depth := 1
	for _, pl := range t.Places {
		depth = max(depth, len(pl.Around())+1)
	}
	return depth
}
