package prove

import (
	"context"
	"errors"

	"tv/equiv/fault"
	"tv/equiv/witness"
)

// certifyEarly is the number of nodes from which on the certificate is looked for while the engines that prove
// are at work: below it that would save less than it costs where nothing is proved. Beyond certifyAlone the two
// together would hold too much memory.
const (
	certifyEarly = 5_000
	certifyAlone = 200_000
)

// certifyWork is the number of expressions that a certificate in one piece may ask about where one in stages may take
// its place: sums in sums over pieces of images are proved at once, and certified slowly.
const certifyWork = 1_000

// A Certificate is what the search for one ends with.
type Certificate struct {
	Data []byte
	Err  error
}

// otherBudget is what a proof in one piece may take where one in stages is at hand.
const otherBudget = 200_000

// Large reports whether programs are so large that the certificate is looked for while the engines are at work.
func (v *Prover) Large() bool { return v.nodes() >= certifyEarly }

// nodes counts the parts of both programs.
func (v *Prover) nodes() int { return len(v.Before.Parts()) + len(v.After.Parts()) }

// Certifying begins the search for a certificate of large programs that are proved in one piece, and leaves that of
// others to whoever asks for the certificate of an answer.
func (v *Prover) Certifying(ctx context.Context) func(Answer) Certificate {
	search := func(a Answer) Certificate {
		most := 0
		if v.staged() && len(a.Cuts) == 0 {
			most = certifyWork
		}
		return v.certified(ctx, a, most)
	}
	if n := v.nodes(); n < certifyEarly || n > certifyAlone || v.staged() {
		return search
	}
	done := make(chan Certificate, 1)
	go func() {
		var c Certificate
		if err := fault.Catch(func() error { c = search(Answer{}); return nil }); err != nil {
			c.Err = err
		}
		done <- c
	}()
	return func(Answer) Certificate { return <-done }
}

// certified looks for a certificate of a proof with its splits and cuts, among no more than so many expressions; 0: any number.
func (v *Prover) certified(ctx context.Context, a Answer, most int) Certificate {
	data, err := witness.Certify(ctx, v.State(v.Arith), witness.Search{Splits: a.Splits, Cuts: a.Cuts, Words: a.Words, Most: most})
	return Certificate{data, err}
}

// Certify has the checker of package proofs accept a certificate for a proof: of this one, or of another, whose answer it
// returns then. (The checker accepts the answers in the form in which they are written down.) Where a solver proved a
// tensor, and the checker finds no proof of its own, the certificate leaves that tensor to a solver: the answer says whom
// it trusts. found is what Certifying returned.
func (v *Prover) Certify(ctx context.Context, a Answer, found func(Answer) Certificate) (Answer, Certificate) {
	if a.Recurrence != nil {
		return a, v.certifiedRecurrence(ctx, a.Recurrence)
	}
	c := found(a)
	if f := (*fault.Fault)(nil); errors.As(c.Err, &f) {
		panic(f)
	}
	if c.Err != nil && ctx.Err() == nil && v.staged() {
		if other, cert, ok := v.otherwise(ctx, a); ok {
			a, c = other, cert
		} else {
			a.Spots = append(a.Spots, other.Spots...)
			if errors.Is(c.Err, witness.ErrTooMuch) {
				c = v.certified(ctx, a, 0)
			}
		}
	}
	if c.Err != nil && ctx.Err() == nil && len(a.Trusts) == 0 { // what is equal in closed form may be so step by step
		if r := v.recurrences(ctx); r.Proved {
			if cert := v.certifiedRecurrence(ctx, r.Recurrence); cert.Err == nil {
				return r, cert
			}
		}
	}
	if c.Err == nil {
		a.Trusts = nil
	} else if len(a.Trusts) > 0 && ctx.Err() == nil {
		c = v.rest(ctx, &a)
	}
	return a, c
}

// otherwise looks for another proof and its certificate where that of the one at hand is refused: in stages where this is
// in one piece, and the other way round. There is none where a solver has a part in this one.
func (v *Prover) otherwise(ctx context.Context, a Answer) (other Answer, c Certificate, ok bool) {
	if len(a.Trusts) > 0 {
		return other, c, false
	}
	if a.Cuts == nil {
		other, _ = v.stages(ctx, v.Arith)
	} else {
		other = v.prove(ctx, v.Arith, goal{budget: otherBudget}) // no more: a proof is at hand, which the end of time would lose
	}
	if other.Proved {
		c = v.certified(ctx, other, 0)
	}
	return other, c, other.Proved && c.Err == nil
}
