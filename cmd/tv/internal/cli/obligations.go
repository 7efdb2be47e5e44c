package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/prove"
	"tv/equiv/smt"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
)

// resolved says what became of the obligations of a certificate's statement.
type resolved struct {
	count  int      // of the statement
	open   []string // what they are about and why they are open, where no solver proved them
	reason string   // of the first of these, in one word
	asked  bool     // of a solver
	by     []string // the solvers that proved the others
}

// resolve makes the obligations of pairs again and has a solver prove them, where flags name one. Errors:
// certificate-obligation where they are not those of the statement, certificate-refused where one does not hold. word is
// what a pair is called, and first the number of the first.
func resolve(ctx context.Context, flags *verifyFlags, name string, pairs []proofs.Pair, word string, first int) (
	*resolved, error,
) {
	out := &resolved{asked: flags.solver.value != "none"}
	for i, p := range pairs {
		title := fmt.Sprintf("%s %d", word, first+i)
		if len(p.Obligations) == 0 {
			continue
		}
		list, err := prove.Obligations(p, languages.Named)
		if err != nil {
			return nil, source.Errors{source.Errorf(placeOf(name), algebra.CodeObligation, "%s: %v", title, err)}
		}
		for k, o := range list {
			out.count++
			about := fmt.Sprintf("%s, obligation %d of %d (%s)", title, k+1, len(list), o.About)
			if !out.asked {
				out.leave(about+": nobody re-ran it", "incomplete")
				continue
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			r := o.Decide(ctx, smt.Options{Solver: flags.solver.value, Timeout: flags.timeout, RLimit: flags.rlimit,
				Memory: int64(flags.memory)})
			switch {
			case r.Sat:
				return nil, source.Errors{source.Errorf(placeOf(name), codeRefused,
					"%s does not hold: %s has a model of what it says is impossible", about, r.Solver)}
			case r.Answer == smt.Unknown:
				why := r.Reason
				if r.Detail != "" {
					why += ": " + r.Detail
				}
				out.leave(about+": "+why, r.Reason)
			case r.Solver != "" && !slices.Contains(out.by, r.Solver):
				out.by = append(out.by, r.Solver)
			}
		}
	}
	return out, nil
}

func (r *resolved) leave(line, reason string) {
	if len(r.open) == 0 {
		r.reason = reason
	}
	r.open = append(r.open, line)
}

// item is an item for a statement that the checker accepts but for what is open.
func (r *resolved) item(name, title, statement string) ci.Item {
	item := ci.Item{Kind: "certificate", Name: name + ", " + title, Place: placeOf(name)}
	item.Result = equiv.Result{Verdict: equiv.Proved, Engine: "checker", Trusts: r.by}
	head := "accepted"
	if n := len(r.open); n > 0 {
		item.Result.Verdict, item.Result.Reason = equiv.Unknown, r.reason
		item.Result.Detail = fmt.Sprintf("accepted but for %d of %d obligations of a solver: %s", n, r.count, r.open[0])
		head = "accepted but for " + counted(n, "obligation")
	}
	item.Text = fmt.Sprintf("%s: %s, %s\n", head, name, statement)
	return item
}

// text says which obligations are open, what to do about it, and whom the others trust.
func (r *resolved) text(name string) string {
	var b strings.Builder
	for i, line := range r.open {
		if i == maxLines {
			fmt.Fprintf(&b, "  ... and %d more\n", len(r.open)-maxLines)
			break
		}
		fmt.Fprintf(&b, "  open: %s\n", line)
	}
	if len(r.open) > 0 && !r.asked {
		fmt.Fprintf(&b, "  to run them: %s\n", shellQuote("tv", "verify", "--solver", "auto", name))
	}
	if len(r.by) > 0 {
		fmt.Fprintf(&b, "  trusting %s for %s\n", strings.Join(r.by, ", "), counted(r.count-len(r.open), "obligation"))
	}
	return b.String()
}

// counted prints a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
