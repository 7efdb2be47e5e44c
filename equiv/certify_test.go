package equiv

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"tv/equiv/witness"
	"tv/glenside"
	"tv/internal/source"
	"tv/proofs"
)

// TestCheckerWithoutTheProver has certificates made for pairs that no prover looked at: programs of the corpus
// with the same inputs, each against others. What the checker accepts the evaluator must not tell apart.
func TestCheckerWithoutTheProver(t *testing.T) {
	files, err := filepath.Glob("../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	type program struct {
		file string
		p    *glenside.Program
	}
	groups := map[string][]program{}
	var order []string
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range a.Files[:2] {
			p, err := glenside.Parse(source.NewFile(s.Name, string(s.Data)))
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 && len(p.Inputs) == 0 {
				p, err = glenside.Parse(source.NewFile(s.Name, heading(a.Files[0].Data)+string(s.Data)))
				if err != nil {
					continue
				}
			}
			key := fmt.Sprint(strings.Contains(string(a.Comment), "--arith exact"))
			for _, in := range p.Inputs {
				key += " " + glenside.FormatInput(in)
			}
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], program{filepath.Base(f), p})
		}
	}
	pairs, accepted := 0, 0
	for _, key := range order {
		g := groups[key]
		for i := range g {
			for j := range g {
				if i == j || (i*31+j*17)%max(1, len(g)/3) != 0 {
					continue
				}
				opts := Options{Solver: "none"}
				if strings.HasPrefix(key, "true") {
					opts.Arith = Exact
				}
				after := *g[j].p
				if len(after.Assumes) > 0 {
					continue
				}
				q, err := ask(g[i].p, &after, opts)
				if err != nil || q.shapes() {
					continue
				}
				pairs++
				ctx, cancel := context.WithTimeout(context.Background(), time.Second/2)
				_, err = witness.Certify(ctx, g[i].p, &after, q.env, witness.Options{Exact: opts.Arith == Exact})
				cancel()
				if err != nil {
					continue
				}
				accepted++
				q.s.limit = 150_000
				if q.sampleValues(context.Background(), q.domain.spread(domainPoints)) && q.r.Verdict == Refuted {
					t.Errorf("%s against %s: accepted, and wrong", g[i].file, g[j].file)
				}
			}
		}
	}
	t.Logf("%d pairs, %d accepted", pairs, accepted)
	if accepted < 100 {
		t.Errorf("only %d accepted", accepted)
	}
}

// heading returns the declarations of a program's text.
func heading(text []byte) string {
	var out []string
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "(input ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

var digits = regexp.MustCompile(`[0-9]+|reduce-sum|reduce-max|elementwise-add|elementwise-mul|relay-add|relay-multiply`)

// TestMutatedStatement changes one number or operator of AFTER in a certificate and leaves its witness, or finds
// one anew: what the checker accepts still is true in the evaluator.
func TestMutatedStatement(t *testing.T) {
	files, err := filepath.Glob("../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	swap := map[string]string{"reduce-sum": "reduce-max", "reduce-max": "reduce-sum",
		"elementwise-add": "elementwise-mul", "elementwise-mul": "elementwise-add",
		"relay-add": "relay-multiply", "relay-multiply": "relay-add"}
	tried, accepted := 0, 0
	for i, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		comment := string(a.Comment)
		if i%3 != 0 || !strings.Contains(comment, "want: proved") || len(a.Files) != 2 {
			continue
		}
		opts := Options{Solver: "none"}
		if strings.Contains(comment, "--arith exact") {
			opts.Arith = Exact
		}
		before, err := glenside.Parse(source.NewFile("before", string(a.Files[0].Data)))
		if err != nil || len(before.Inputs) == 0 {
			continue
		}
		text := string(a.Files[1].Data)
		old := proofs.Statement{Exact: opts.Arith == Exact, Before: string(a.Files[0].Data), After: text}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // whole networks take longer
		w, err := witness.Find(ctx, old)
		cancel()
		if err != nil {
			continue
		}
		for k, at := range digits.FindAllStringIndex(text, 8) {
			word := text[at[0]:at[1]]
			by := swap[word]
			if by == "" {
				n, err := strconv.Atoi(word)
				if err != nil {
					continue
				}
				by = strconv.Itoa(n + 1 - 2*(k%2))
			}
			mutated := text[:at[0]] + by + text[at[1]:]
			after, err := glenside.Parse(source.NewFile("after", mutated))
			if err != nil {
				continue
			}
			s := old
			s.After = mutated
			tried++
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, err = proofs.Check("mutated", proofs.Format([]proofs.Pair{{Statement: s, Witness: w}}))
			if err != nil {
				_, err = witness.Find(ctx, s)
			}
			cancel()
			if err != nil {
				continue
			}
			accepted++
			q, err := ask(before, after, opts)
			if err != nil {
				t.Errorf("%s: accepted, but no question: %v", f, err)
				continue
			}
			q.s.limit = 150_000
			if q.shapes() || q.sampleValues(context.Background(), q.domain.spread(domainPoints)) && q.r.Verdict == Refuted {
				t.Errorf("%s: accepted with %s for %s, and wrong", filepath.Base(f), by, word)
			}
		}
	}
	t.Logf("%d mutants, %d accepted", tried, accepted)
	if tried < 200 {
		t.Errorf("only %d mutants", tried)
	}
}
