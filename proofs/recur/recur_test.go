package recur_test

import (
	"fmt"
	"strings"
	"testing"

	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/proofs"
	"tv/proofs/recur"
	"tv/semantics/domain"
)

// A pair is one of two texts in C and the lines that prove it, without goals. In lines {x} stands for the statement of which
// /*x*/ marks the operator.
type pair struct {
	name          string
	arith         domain.Arith
	before, after string
	lines         string
}

// statement returns the statement of a pair.
func (p pair) statement() proofs.Statement {
	return proofs.Statement{Before: p.before, After: p.after, Arith: p.arith, Languages: [2]string{"c", "c"}}
}

// placed returns the lines with the names of statements.
func (p pair) placed() string {
	var list []string
	for _, text := range []string{p.before, p.after} {
		for n, line := range strings.Split(text, "\n") {
			for at := 0; ; {
				i := strings.Index(line[at:], "/*")
				if i < 0 {
					break
				}
				name, _, _ := strings.Cut(line[at+i+2:], "*/")
				at += i + len(name) + 4
				list = append(list, "{"+name+"}", fmt.Sprintf("%d:%d", n+1, at+1))
			}
		}
	}
	return strings.NewReplacer(list...).Replace(p.lines)
}

// check checks the lines of a pair with answers that are found, and returns them together.
func (p pair) check() (string, error) {
	lines := p.placed()
	var goals strings.Builder
	err := languages.Checker.Recurrences(p.name, p.statement(), lines, func(g *recur.Goal) string {
		text := witness.Refute(g)
		fmt.Fprintf(&goals, "goal %d %s\n", g.N, text)
		return text
	})
	return lines + goals.String(), err
}

// certificate is one of a pair with lines that hold answers.
func (p pair) certificate(lines string) []byte {
	return proofs.Format([]proofs.Pair{{Statement: p.statement(), Recurrences: lines}})
}

var jacobi = pair{
	name: "jacobi", arith: domain.Exact,
	before: `void f(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] /*b0*/= A[i - 1] + A[i] + A[i + 1];
    for (int i = 1; i < N - 1; i++)
      A[i] /*b1*/= B[i];
  }
}`,
	after: `void g(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++) {
      if (i < N - 1)
        B[i] /*a0*/= A[i - 1] + A[i] + A[i + 1];
      if (i >= 2)
        A[i - 1] /*a1*/= B[i - 1];
    }
}`,
	lines: `read before {b0} 0 (if #1-2 (if #0-1 (at {b1} #0-1 #1-1) entry) entry)
read before {b0} 1 (if #0-1 (at {b1} #0-1 #1) entry)
read before {b0} 2 (if N-3-#1 (if #0-1 (at {b1} #0-1 #1+1) entry) entry)
read before {b1} 0 (at {b0} #0 #1)
read after {a0} 0 (if #1-2 (if #0-1 (at {a1} #0-1 #1) entry) entry)
read after {a0} 1 (if #0-1 (at {a1} #0-1 #1+1) entry)
read after {a0} 2 (if N-3-#1 (if #0-1 (at {a1} #0-1 #1+2) entry) entry)
read after {a1} 0 (at {a0} #0 #1-1)
end before A (if #0-1 (if N-2-#0 (at {b1} T-1 #0) entry) entry)
end before B (if #0-1 (if N-2-#0 (at {b0} T-1 #0) entry) entry)
end after A (if #0-1 (if N-2-#0 (at {a1} T-1 #0+1) entry) entry)
end after B (if #0-1 (if N-2-#0 (at {a0} T-1 #0) entry) entry)
piece {b0} {a0} 2 (#0 T-1-#0 #1-1 N-2-#1) (#0 #1) (#0 #1) (same (l (r (pair 1 #0-1 #1-1) never never) (r never entry never) (r never never entry)) (l (r (pair 1 #0-1 #1) never) (r never entry)) (l (r (pair 1 #0-1 #1+1) never never) (r never entry never) (r never never entry)))
piece {b1} {a1} 2 (#0 T-1-#0 #1-1 N-2-#1) (#0 #1) (#0 #1+1) (l (r (pair 0 #0 #1)))
result A (l (r (pair 1 T-1 #0) never never) (r never entry never) (r never never entry))
result B (l (r (pair 0 T-1 #0) never never) (r never entry never) (r never never entry))
`,
}

// TestAccepted: certificates of true pairs are accepted.
func TestAccepted(t *testing.T) {
	for _, p := range []pair{jacobi} {
		t.Run(p.name, func(t *testing.T) {
			lines, err := p.check()
			if err != nil {
				text, _ := languages.Checker.Statements(p.name, p.statement())
				t.Fatalf("%v\n%s", err, text)
			}
			if _, err := languages.Checker.Check(p.name, p.certificate(lines)); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d goals, %d bytes", strings.Count(lines, "\ngoal"), len(lines))
		})
	}
}
