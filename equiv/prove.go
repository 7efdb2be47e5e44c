package equiv

import (
	"cmp"
	"context"
)

// Prove asks the engines that prove, and them alone: nothing is sampled before, and the evaluator need not agree
// afterwards. So its answer is no verdict. It is there for those who hunt for wrong proofs, which the samples of
// [Check] would hide; programs of different types are not proved equal. An error means that the question could not
// be asked.
func Prove(ctx context.Context, asked Question, opts Options) (proved bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opts.Timeout, DefaultTimeout))
	defer cancel()
	q, err := ask(asked, opts)
	if err != nil || q.types() != nil {
		return false, err
	}
	return q.inquire(ctx).prover.Settle(ctx).Proved, nil
}
