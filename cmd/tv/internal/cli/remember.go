package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	"tv/ci/cache"
	"tv/equiv"
	"tv/equiv/smt"
	"tv/internal/files"
	"tv/internal/source"
)

// openCache opens the cache that a flag names; there is none without a name.
func (a *app) openCache(ctx context.Context, dir string) (*cache.Cache, error) {
	if !isWhole || dir == "" {
		return a.cache, nil
	}
	id, err := cacheID(ctx)
	if err != nil {
		return nil, err
	}
	return cache.Open(dir, id)
}

// cacheID tells builds of tv and sets of solvers apart.
func cacheID(ctx context.Context) (string, error) {
	id, err := buildID()
	solvers := []string{smt.LinkedVersion(), solver(ctx, "z3"), solver(ctx, "cvc5")}
	return id + "; " + strings.Join(solvers, "; "), err
}

// buildID tells builds of tv apart: by the version, or by the bytes of the executable where it has none or was built
// from files that were changed since.
func buildID() (string, error) {
	if v := version(); v != "devel" && !strings.Contains(v, "+dirty") {
		return v, nil
	}
	name, err := os.Executable()
	if err == nil {
		var f *os.File
		if f, err = os.Open(name); err == nil {
			defer f.Close()
			h := sha256.New()
			if _, err = io.Copy(h, f); err == nil {
				return fmt.Sprintf("devel %x", h.Sum(nil)), nil
			}
		}
	}
	return "", &source.Error{Name: name, Code: "file-unreadable", Msg: "cannot be read: " + files.Cause(err), Err: err}
}

// always states what is stated already.
func always(statement string) func() (string, error) {
	return func() (string, error) { return statement, nil }
}

// remember asks a question with what the cache knows of it, and leaves there what came out. Warnings about the cache
// are added to the question's.
func remember[R any](
	c *cache.Cache, q *question, state func() (string, error), opts equiv.Options, ask func(equiv.Options) (R, error),
) (R, error) {
	if !isWhole || c == nil || opts.Explain { // an explanation is of work that has been done
		return ask(opts)
	}
	statement, err := state() // which types both programs: nobody else needs it
	if err != nil {
		var none R
		return none, err
	}
	e := c.Entry(statement, fmt.Sprintf("timeout %s, rlimit %d, memory %d, solver %s, mend %t, both %t, seed %d",
		opts.Timeout, opts.RLimit, opts.Memory, opts.Solver, !opts.Unmended, !opts.FirstOnly, opts.Seed))
	opts.Memos = e
	r, err := ask(opts)
	q.warnings = append(q.warnings, e.Close()...)
	return r, err
}
