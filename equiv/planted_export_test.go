//go:build planted

package equiv

import (
	"context"
	"errors"
)

// Unsampled asks the prover about a question, and if it proves it the checker. Nothing runs the programs before, which would
// tell apart what differs. Refusal is why it is not proved, or why no certificate is accepted.
func Unsampled(ctx context.Context, asked Question, opts Options) (proved bool, refusal, err error) {
	q, err := ask(asked, opts)
	if err != nil {
		return false, nil, err
	}
	if r := q.types(); r != nil {
		return false, errors.New(r.Detail), nil
	}
	w := q.inquire(ctx)
	a := w.prover.Settle(ctx)
	if !a.Proved {
		return false, errors.New(a.Detail), a.Err
	}
	_, c := w.prover.Certify(ctx, a, w.prover.Certifying(ctx))
	return true, c.Err, nil
}
