package equiv

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"tv/glenside"
	"tv/internal/source"
)

// TestEnginesWithoutTheGate asks the proving engines alone, without the samples that are compared before a proof is
// printed: they must not prove what is wanted refuted, nor any other pair of programs of the corpus with the same
// inputs that the evaluator tells apart.
func TestEnginesWithoutTheGate(t *testing.T) {
	files, err := filepath.Glob("../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	type program struct {
		file string
		p    *glenside.Program
	}
	groups := map[string][]program{} // by declarations
	var order []string
	pairs, proofs := 0, 0
	try := func(name string, before, after *glenside.Program, opts Options, wrong bool) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		q, err := ask(before, after, opts)
		if err != nil || q.shapes() {
			return
		}
		pairs++
		if a := q.prove(ctx, opts.Arith == Exact, goal{}); !a.proved {
			return
		}
		proofs++
		if !wrong {
			q.s.limit = 150_000
			wrong = q.sampleValues(ctx, q.domain.spread(domainPoints)) && q.r.Verdict == Refuted
		}
		if wrong {
			t.Errorf("%s: the engines prove it, and it is wrong", name)
		}
	}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Solver: "none"}
		comment := string(a.Comment)
		if strings.Contains(comment, "--arith exact") {
			opts.Arith = Exact
		}
		var ps []*glenside.Program
		for _, s := range a.Files[:2] {
			p, err := glenside.Parse(source.NewFile(s.Name, string(s.Data)))
			if err != nil {
				t.Fatal(err)
			}
			ps = append(ps, p)
		}
		if !strings.Contains(comment, "--equal access") {
			try(f, ps[0], ps[1], opts, strings.Contains(comment, "want: refuted"))
		}
		for i, p := range ps {
			var key strings.Builder
			fmt.Fprint(&key, opts.Arith)
			for _, in := range ps[0].Inputs {
				fmt.Fprintf(&key, " %s", glenside.FormatInput(in))
			}
			for _, as := range ps[0].Assumes {
				fmt.Fprintf(&key, " %s", as.Pred)
			}
			if i == 1 && len(p.Inputs) == 0 {
				continue // its declarations are the other's
			}
			if groups[key.String()] == nil {
				order = append(order, key.String())
			}
			groups[key.String()] = append(groups[key.String()], program{filepath.Base(f), p})
		}
	}
	for _, key := range order {
		g := groups[key]
		for i := range g {
			for j := range g {
				// neighbours in the corpus are asked above; of a large group a part is enough
				if g[i].file == g[j].file || (i*31+j*17)%max(1, len(g)/6) != 0 {
					continue
				}
				opts := Options{Solver: "none"}
				if strings.HasPrefix(key, "exact") {
					opts.Arith = Exact
				}
				after := *g[j].p
				after.Assumes = nil
				try(g[i].file+" against "+g[j].file, g[i].p, &after, opts, false)
			}
		}
	}
	t.Logf("%d pairs, %d proofs", pairs, proofs)
	if proofs < 500 {
		t.Errorf("only %d proofs", proofs)
	}
}
