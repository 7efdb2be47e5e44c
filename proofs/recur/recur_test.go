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

// TestAccepted: certificates of true pairs are accepted.
func TestAccepted(t *testing.T) {
	for _, p := range pairs {
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

// TestUnrolled: statements are those of the text, also where the checker rolls up a loop elsewhere.
func TestUnrolled(t *testing.T) {
	text := `void f(int N, int A[N]) {
  for (int i = 0; i + 1 < N; i += 2) {
    A[i] = A[i] + 1;
    A[i + 1] = A[i + 1] + 1;
  }
}`
	s := pair{before: text, after: text}.statement()
	list, err := languages.Checker.Statements("unrolled", s)
	if err != nil || strings.Count(list, "before ") != 2 {
		t.Errorf("%v\n%s", err, list)
	}
}
