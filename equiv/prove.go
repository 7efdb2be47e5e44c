package equiv

import (
	"context"
)

// Prove asks the engines that prove, and them alone: nothing is sampled before, and the evaluator need not agree
// afterwards. So its answer is no verdict. It is there for those who hunt for wrong proofs, which the samples of
// [Check] would hide; programs of different types are not proved equal. An error means that the question could not
// be asked.
func Prove(ctx context.Context, asked Question, opts Options) (proved bool, err error) {
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	q, err := ask(asked, opts)
	if err != nil || q.shapes() {
		return false, err
	}
	q.ctx = ctx
	return q.settle(ctx).proved, nil
}
