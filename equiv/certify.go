package equiv

import (
	"context"
	"errors"

	"tv/equiv/witness"
	"tv/internal/source"
)

// certify has the checker of package proofs accept a certificate for what was proved, and takes the
// proof back where it does not. (The checker accepts the answers in the form in which they are written
// down.) What a solver proved is left as it is: the verdict says whom it trusts.
func (q *question) certify(ctx context.Context) {
	if q.r.Verdict != Proved || !q.opts.Certify {
		return
	}
	data, err := witness.Certify(ctx, q.before.Program, q.after.Program, q.env,
		witness.Options{Exact: q.opts.Arith == Exact, Access: q.opts.Equal == Access})
	switch {
	case err == nil:
		q.r.Certificate = data
	case ctx.Err() != nil:
		q.r = Result{Before: q.r.Before, After: q.r.After, SHA256: q.r.SHA256, Arith: q.r.Arith,
			Equal: q.r.Equal, Domain: q.r.Domain, Engine: q.r.Engine, Stats: q.r.Stats}
		q.stopped(ctx.Err())
	case len(q.r.Trusts) > 0:
	default:
		msg := err.Error()
		if coded := (*source.Error)(nil); errors.As(source.AsErrors(err), &coded) {
			msg = coded.Msg + " [" + coded.Code + "]"
		}
		q.r.Where, q.r.Exact = nil, nil
		q.unknown("incomplete", "proved, but the certificate was not accepted: "+msg)
	}
}
