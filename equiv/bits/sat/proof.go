package sat

import "slices"

// An ID names a clause of a proof, from 1: first the axioms, then the lemmas in their order.
type ID int32

// A Proof is a list of lemmas. Each follows from clauses before it by unit propagation: if the lemma's literals are false, the
// hints become unit one after the other, and the last is false.
type Proof struct {
	axioms int
	steps  []step
	lits   []Lit
	hints  []ID
}

type step struct{ lits, hints int32 } // ends

// NewProof returns a proof without lemmas; ids 1 to axioms are those of axioms, which the caller knows.
func NewProof(axioms int) *Proof { return &Proof{axioms: axioms} }

// Add appends a lemma.
func (p *Proof) Add(lits []Lit, hints ...ID) ID {
	p.lits = append(p.lits, lits...)
	p.hints = append(p.hints, hints...)
	p.steps = append(p.steps, step{int32(len(p.lits)), int32(len(p.hints))})
	return ID(p.axioms + len(p.steps))
}

// Axioms returns the number of axioms.
func (p *Proof) Axioms() int { return p.axioms }

// Last returns the greatest id.
func (p *Proof) Last() ID { return ID(p.axioms + len(p.steps)) }

// Lemma returns the literals and the hints of a lemma.
func (p *Proof) Lemma(id ID) ([]Lit, []ID) {
	k := int(id) - p.axioms - 1
	var from step
	if k > 0 {
		from = p.steps[k-1]
	}
	return p.lits[from.lits:p.steps[k].lits], p.hints[from.hints:p.steps[k].hints]
}

// Used returns, in order, the axioms and the lemmas that some lemmas rest on, these among them.
func (p *Proof) Used(wanted ...ID) []ID {
	seen := make([]bool, p.Last()+1)
	for _, id := range wanted {
		seen[id] = true
	}
	var used []ID
	for id := p.Last(); id > 0; id-- {
		if !seen[id] {
			continue
		}
		used = append(used, id)
		if int(id) > p.axioms {
			_, hints := p.Lemma(id)
			for _, h := range hints {
				seen[h] = true
			}
		}
	}
	slices.Reverse(used)
	return used
}
