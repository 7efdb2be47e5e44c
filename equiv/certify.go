package equiv

import (
	"context"
	"errors"
	"runtime/debug"

	"tv/equiv/witness"
	"tv/internal/source"
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

// certifyWork returns what the certificate of the proof at hand may ask about; 0: any number of expressions.
func (q *question) certifyWork() int {
	if q.nests() && len(q.cuts) == 0 {
		return certifyWork
	}
	return 0
}

// certificate is what the search for a certificate ends with.
type certificate struct {
	data []byte
	err  error
}

// certifying begins the search for a certificate, or leaves it to whoever asks for the result.
func (q *question) certifying(ctx context.Context) func() certificate {
	search := func() certificate { return q.certified(ctx, q.certifyWork()) }
	if n := q.r.Stats.Nodes; q.opts.Uncertified || n < certifyEarly || n > certifyAlone {
		return search
	}
	done := make(chan certificate, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- certificate{err: &Fault{Value: r, Stack: debug.Stack()}}
			}
		}()
		done <- search()
	}()
	return func() certificate { return <-done }
}

// certified looks for a certificate of the proof at hand, among no more than so many expressions.
func (q *question) certified(ctx context.Context, most int) certificate {
	data, err := witness.Certify(ctx, q.stated(q.opts.Arith), witness.Search{Cuts: q.cuts, Most: most})
	return certificate{data, err}
}

// otherwise looks for a certificate of another proof where that of the one at hand is refused: of one in stages where this
// is in one piece, and the other way round. The proof at hand stays where there is none, or a solver has a part in it.
func (q *question) otherwise(ctx context.Context) (c certificate, ok bool) {
	arith, cuts := q.opts.Arith, q.cuts
	if len(q.r.Trusts) > 0 {
		return c, false
	}
	var a answer
	if q.cuts = nil; cuts == nil {
		a, _ = q.stages(ctx, arith)
	} else {
		a = q.prove(ctx, arith, goal{})
	}
	if a.proved {
		if c = q.certified(ctx, 0); c.err == nil {
			q.rests(a)
			return c, true
		}
	}
	q.cuts = cuts
	return c, false
}

// certify has the checker of package proofs accept a certificate for what was proved, and takes the
// proof back where it does not. (The checker accepts the answers in the form in which they are written
// down.) Where a solver proved a tensor, and the checker finds no proof of its own, the certificate leaves
// that tensor to a solver: the verdict says whom it trusts.
func (q *question) certify(ctx context.Context, found func() certificate) {
	if q.r.Verdict != Proved || q.opts.Uncertified {
		return
	}
	c := found()
	if fault := (*Fault)(nil); errors.As(c.err, &fault) {
		panic(fault)
	}
	if c.err != nil && ctx.Err() == nil && q.nests() {
		if other, ok := q.otherwise(ctx); ok {
			c = other
		} else if errors.Is(c.err, witness.ErrTooMuch) {
			c = q.certified(ctx, 0)
		}
	}
	if c.err == nil {
		q.r.Trusts = nil
	} else if len(q.r.Trusts) > 0 && ctx.Err() == nil {
		c.data, c.err = q.rest(ctx)
	}
	switch err := c.err; {
	case err == nil:
		q.r.Certificate = c.data
	case ctx.Err() != nil:
		q.r = Result{Before: q.r.Before, After: q.r.After, SHA256: q.r.SHA256, Arith: q.r.Arith, Types: q.r.Types,
			Equal: q.r.Equal, Domain: q.r.Domain, Engine: q.r.Engine, Stats: q.r.Stats}
		q.stopped(ctx.Err())
	default:
		msg := err.Error()
		if coded := (*source.Error)(nil); errors.As(source.AsErrors(err), &coded) {
			msg = coded.Msg + " [" + coded.Code + "]"
		}
		q.r.Where, q.r.Exact, q.r.Trusts = nil, nil, nil
		q.unknown("incomplete", "proved, but the certificate was not accepted: "+msg)
	}
}
