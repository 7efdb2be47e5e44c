package equiv

import (
	"context"

	"tv/glenside"
)

// Check decides whether after equals before at every point of before's domain. An error (source.Errors) means
// that the question could not be asked; giving up is a Result with verdict Unknown.
func Check(ctx context.Context, before, after *glenside.Program, opts Options) (Result, error) {
	panic("stub")
}
