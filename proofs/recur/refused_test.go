package recur_test

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"tv/internal/languages"
	"tv/internal/tier"
	"tv/proofs"
	"tv/semantics/domain"
)

// faults are certificates that a faulty prover would write: lines of a true pair with one thing changed, "" for all of a line
// that begins so.
var faults = []struct {
	name     string
	of       pair
	old, new string
}{
	{"contents at entry are not looked at", jacobi, "{b0} 1 (if #0-1 (at {b1} #0-1 #1) entry)", "{b0} 1 entry"},
	{"a write in the first iteration that there is not", jacobi, "{b0} 1 (if #0-1 (at {b1} #0-1 #1) entry)", "{b0} 1 (at {b1} #0-1 #1)"},
	{"another cell", jacobi, "{b0} 1 (if #0-1 (at {b1} #0-1 #1) entry)", "{b0} 1 (if #0-1 (at {b1} #0-1 #1-1) entry)"},
	{"a source that is executed later", jacobi, "{a0} 0 (if #1-2 (if #0-1 (at {a1} #0-1 #1)", "{a0} 0 (if #1-2 (if #0-1 (at {a1} #0 #1)"},
	{"a source that is overwritten", jacobi, "end before B (if #0-1 (if N-2-#0 (at {b0} T-1", "end before B (if #0-1 (if N-2-#0 (at {b0} T-2"},
	{"no write in between, another statement", forward, "{a1} 0 (if #0-1 (at {a1} #0-1 #1) (at {a0} #1))", "{a1} 0 (at {a0} #1)"},
	{"no write in between, the same statement", prefix, "{a3} 0 (at {a2} #0)", "{a3} 0 (at {a2} 1)"},
	{"an empty loop that writes", jacobi, "end before A (if #0-1 (if N-2-#0 (at {b1} T-1 #0) entry)", "end before A (if #0-1 (at {b1} T-1 #0)"},
	{"a case that exists", jacobi, "end after A (if #0-1 (if N-2-#0 (at {a1} T-1 #0+1) entry)", "end after A (if #0-1 (if N-2-#0 (at {a1} T-1 #0+1) never)"},
	{"a bound of a loop is dropped", jacobi, "piece {b0} {a0} 2 (#0 T-1-#0 #1-1 N-2-#1)", "piece {b0} {a0} 2 (#0 T-1-#0 #1-1 N-1-#1)"},
	{"pairs that a piece has not", jacobi, "piece {b1} {a1} 2 (#0 T-1-#0 #1-1", "piece {b1} {a1} 2 (#0 T-1-#0 #1-2"},
	{"another map of a piece", jacobi, "(#0 #1) (#0 #1+1)", "(#0 #1) (#0 #1)"},
	{"a piece that is missing", jacobi, "piece {b1}", ""},
	{"a pair that rests on itself", jacobi, "(#0 #1) (#0 #1+1) (l (r (pair 0 #0 #1)))", "(#0 #1) (#0 #1+1) (pair 1 #0 #1)"},
	{"a pair that rests on itself, by cases", jacobi, "(#0 #1) (#0 #1+1) (l (r (pair 0 #0 #1)))", "(#0 #1) (#0 #1+1) (if #0 (pair 1 #0 #1) never)"},
	{"a source that is forgotten", jacobi, "(l (r (pair 1 #0-1 #1) never) (r never entry))", "(l (r (pair 1 #0-1 #1) never))"},
	{"two cells of the contents at entry", jacobi, "(r never entry never) (r never never entry)) (l (r (pair 1 #0-1 #1)", "(r never never never) (r never never never)) (l (r (pair 1 #0-1 #1)"},
	{"what is no copy is left out", forward, "(same (l (r (pair 1 #0 #0-1) never) (r never (pair 0 #0))) (l (r entry)))", "(l (r (pair 1 #0 #0-1) never) (r never (pair 0 #0)))"},
	{"a copy of another cell", prefix, "(r never (l (r (r entry)))))", "(r never (l (r entry))))"},
	{"a result is forgotten", jacobi, "result B", ""},
	{"a result twice", jacobi, "result B (l", "result A (l"},
	{"an end is forgotten", jacobi, "end after B", ""},
	{"an end without a frame", jacobi, "end after B (if #0-1 (if N-2-#0 (at {a0} T-1 #0) entry) entry)", "end after B (at {a0} T-1 #0)"},
	{"a local holds something at entry", prefix, "{a2} 0 (if #0-2 (at {a2} #0-1) (at {a0}))", "{a2} 0 (if #0-2 (at {a2} #0-1) entry)"},
	{"down is taken for up", backwards, "{a1} 0 (if #0-2-#1 (at {a1} #0 #1+1)", "{a1} 0 (if #1-1 (at {a1} #0 #1-1)"},
	{"the last of a loop down is taken for the first", backwards, "{a2} 0 (if #0-1 (at {a1} #0 0)", "{a2} 0 (if #0-1 (at {a1} #0 #0-1)"},
	{"all cells are in one chain", backwards, "chain after {a1} 0 #0", "chain after {a1} 0"},
	{"each link is a chain", backwards, "chain after {a1} 0 #0", "chain after {a1} 0 #0 #1"},
	{"a chain of what is no sum", backwards, "chain after {a1} 0 #0", "chain after {a2} 0 #0"},
	{"a chain of another read", backwards, "chain after {a1} 0 #0", "chain after {a1} 1 #0"},
	{"two terms become one", backwards, "(fold (#1 #2) (#1 #2)", "(fold (#1 0) (#1 #2)"},
	{"terms are taken back to others", backwards, "(fold (#1 #2) (#1 #2)", "(fold (#1 #2) (#1 #1-1-#2)"},
	{"terms of another key", backwards, "(fold (#1 #2) (#1 #2)", "(fold (#1-1 #2) (#1+1 #2)"},
	{"terms that there are not", backwards, "(fold (#1 #2) (#1 #2)", "(fold (#1 #2+1) (#1 #2-1)"},
	{"a read in place of a term", backwards, "(expr (1 2 (l (r entry)))", "(expr (1 1 (l (r entry)))"},
	{"rounded up", tiled, "{a1} 0 (div N-1-#1 8 (at {a0} #0 8*#2", "{a1} 0 (div N+6-#1 8 (at {a0} #0 8*#2"},
	{"towards the next tile", tiled, "{a1} 0 (div N-1-#1 8 (at {a0} #0 8*#2", "{a1} 0 (div N-1-#1 8 (at {a0} #0 8*#2+8"},
	{"off the stride", tiled, "{a1} 0 (div N-1-#1 8 (at {a0} #0 8*#2", "{a1} 0 (div N-1-#1 8 (at {a0} #0 N-1-#1"},
	{"another tile", tiled, "{a1} 0 (div N-1-#1 8 (at {a0} #0 8*#2", "{a1} 0 (div N-1-#1 4 (at {a0} #0 4*#2"},
	{"a divisor of 0", tiled, "(div #0 8 (at {a0} T-1 8*#1 #0))", "(div #0 0 (at {a0} T-1 8*#1 #0))"},
	{"reads that are not related", sums, "(0 2 (l (r (pair 0 #0 #1-1) never) (r never entry))) ", ""},
	{"another factor", sums, "(1 0 (l (r (pair 0 #0-1 #1) never) (r never entry)))", "(1 0 (l (r (pair 0 #0-1 #1) never) (r never entry))) (0 0 (l (r (pair 0 #0 #1-1) never) (r never entry)))"},
	{"nobody writes where the domain has an or", either, "(if N-M-1 entry", "(if N-M entry"},
	{"a source that is not put in its place", cut, "(open r 1 (same", "(same"},
	{"another read is opened", cut, "(open r 1 (same", "(open r 0 (same"},
	{"a read of the other side is opened", cut, "(open r 1 (same", "(open l 1 (same"},
	{"a source that is opened and left out", cut, "(open r 1 (same (l (r (pair 0 #0 #1-1 #2 #3-1) never) (r never entry)) (l (r (pair 0 #0-1 #1 #2-1 #3) never) (r never entry))))", "(open r 1)"},
	{"a local of the iteration before", cut, "{a1} 1 (at {a0} #0 #1)", "{a1} 1 (at {a0} #0 #1-1)"},
	{"a start that there is not", zero, "(l (open r 0 never (expr (0 1 (r entry)))))", "(l (expr (0 1 (r entry))))"},
	{"an opened read that is related", zero, "(l (open r 0 never (expr (0 1 (r entry)))))", "(l (open r 0 never (expr (0 0 (r entry)))))"},
	{"a term that is related to none", zero, "(l (open r 0 never (expr (0 1 (r entry)))))", "(l (open r 0 never (expr)))"},
	{"the first step is taken for all", zero, "{a1} 0 (if #0-1 (at {a1} #0-1) (at {a0}))", "{a1} 0 (at {a0})"},
	{"a row beside it", flatten, "read before {b} 0 (if #0-2 (at {b} #0-1 #1) entry)", "read before {b} 0 (if #0-2 (at {b} #0-1 #1-1) entry)"},
	{"rows for columns", flatten, "end after A (if #0-1 (at {a} #1 #0-1) entry)", "end after A (if #0-1 (at {a} #0-1 #1) entry)"},
	{"a chain that starts later", accumulated, "(total l 0 (#0 0)", "(total l 0 (#0 1)"},
	{"a chain that starts where its link is", accumulated, "(total r 1 (#1 0)", "(total r 1 (#1 #1-1)"},
	{"the first link of another chain", accumulated, "(total r 1 (#1 0)", "(total r 1 (#1-1 0)"},
	{"links that are not all", accumulated, "(sums (#0 #3) (#0 #3)", "(sums (#0 #3-1) (#0 #3+1)"},
	{"links in no order", accumulated, "(sums (#0 #3) (#0 #3)", "(sums (#0 0) (#0 #3)"},
	{"links that are not taken back", accumulated, "(sums (#0 #3) (#0 #3)", "(sums (#0 #3) (#0 #0-1-#3)"},
	{"links of the row before", accumulated, "(sums (#0 #3) (#0 #3)", "(sums (#0-1 #3) (#0 #3)"},
	{"terms that are not related", accumulated, "(expr (1 1 (l (r entry))) (2 2 (l (r (pair 0 #3 #3)))))))", "(expr (1 1 (l (r entry))))))"},
	{"terms of other elements", accumulated, "(expr (1 1 (l (r entry))) (2 2", "(expr (1 2 (l (r entry))) (2 1"},
	{"terms made alike that are not", accumulated, "(expr (1 1 (l (r entry))) (2 2 (l (r (pair 0 #3 #3)))))))", "(same (l (r entry)) (l (r (pair 0 #3 #3))) (l (r entry)))))"},
	{"a sum that is no chain", accumulated, "chain after {a1} 0 #0\n", ""},
	{"a sum that is left out", accumulated, "(0.1 1.1 (sums (#0 #3) (#0 #3) (expr (1 1 (l (r entry))) (2 2 (l (r (pair 0 #3 #3))))))) ", ""},
	{"a start that is left out", accumulated, "(0.0 0 (l (r (l entry)))) (0.1", "(0.1"},
	{"a sum for a start", accumulated, "(0.1 1.1 (sums", "(0.0 1.1 (sums"},
	{"a start for a sum", accumulated, "(open r 1.0 (expr", "(open r 1.1 (expr"},
	{"a link in place of a sum", accumulated, "(total r 1 (#1 0) (total", "(open r 1 (total"},
	{"one chain for all rows", accumulated, "chain before {b1} 0 #0", "chain before {b1} 0"},
	{"not in order", jacobi, "result A (l", "read before {b0} 0 entry\nresult A (l"},
	{"a tree twice", jacobi, "read before {b0} 1", "read before {b0} 0 entry\nread before {b0} 1"},
	{"a statement of the other side", jacobi, "read before {b1} 0 (at {b0} #0 #1)", "read before {b1} 0 (at {a1} #0 #1)"},
	{"a variable that is not there", jacobi, "(pair 1 T-1 #0) never never)", "(pair 1 T-1 #1) never never)"},
	{"a name that is no size", jacobi, "(pair 1 T-1 #0) never never)", "(pair 1 M-1 #0) never never)"},
}

// TestFaults: no certificate with a fault is accepted.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			p := f.of
			switch i := strings.Index(p.lines, f.old); {
			case i < 0:
				t.Fatalf("%s has no %q", p.name, f.old)
			case f.new == "" && strings.HasPrefix(p.lines[i-1:], "\n"):
				p.lines = p.lines[:i] + p.lines[i+strings.Index(p.lines[i:], "\n")+1:]
			default:
				p.lines = strings.Replace(p.lines, f.old, f.new, 1)
			}
			if lines, err := p.check(); err == nil {
				t.Errorf("accepted:\n%s", lines)
			} else {
				t.Log(err)
			}
		})
	}
}

// TestOrderOfFloats: what takes laws of real numbers is refused bit for bit.
func TestOrderOfFloats(t *testing.T) {
	for _, p := range []pair{sums, backwards} {
		p.arith = domain.Exact
		if _, err := p.check(); err == nil {
			t.Errorf("%s is accepted, bit for bit", p.name)
		}
	}
}

// wrong are texts of AFTER that do something else.
var wrong = []struct {
	name     string
	of       pair
	old, new string
}{
	{"a rest that is not copied back", jacobi, "i < N; i++", "i < N - 1; i++"},
	{"copied back too early", jacobi, "if (i >= 2)\n        A[i - 1] /*a1*/= B[i - 1];", "if (i < N - 1)\n        A[i] /*a1*/= B[i];"},
	{"one cell too few", jacobi, "if (i >= 2)", "if (i >= 3)"},
	{"one step too few", jacobi, "t < T", "t < T - 1"},
	{"a cell of the frame", jacobi, "if (i >= 2)\n", "B[0] = A[0]; if (i >= 2)\n"},
	{"a cell behind the end of a loop", jacobi, "for (int t = 0; t < T; t++)\n", "if (N >= 3) B[N - 1] = A[1];\n  for (int t = 0; t < T; t++)\n"},
	{"operands exchanged, bit for bit", jacobi, "A[i - 1] + A[i] + A[i + 1]", "A[i - 1] + (A[i] + A[i + 1])"},
	{"a neighbour", jacobi, "A[i - 1] + A[i] + A[i + 1]", "A[i - 1] + A[i - 1] + A[i + 1]"},
	{"another divisor", forward, "x[j] / L[j][j]", "x[j] / L[j][0]"},
	{"divided before it is done", forward, "x[j] /*a2*/= x[j] / L[j][j];\n    for (int i = j + 1; i < N; i++)\n      x[i] /*a1*/-= L[i][j] * x[j];", "for (int i = j + 1; i < N; i++)\n      x[i] /*a1*/-= L[i][j] * x[j];\n    x[j] /*a2*/= x[j] / L[j][j];"},
	{"the diagonal too", forward, "i = j + 1;", "i = j;"},
	{"added in place of subtracted", forward, "/*a1*/-=", "/*a1*/+="},
	{"added in another order", backwards, "x[i] - x[j] * L[i][j]", "x[j] * L[i][j] - x[i]"},
	{"a row without its first term", backwards, "j >= 0", "j >= 1"},
	{"a write between the links of a chain", backwards, "    x[i] /*a2*/=", "    if (i >= 1) x[i] = x[i] + 1.0f;\n    x[i] /*a2*/="},
	{"a local that begins anew", prefix, "s /*a2*/+= A[i];", "float r = s; s /*a2*/+= A[i]; if (i == 3) s = r;"},
	{"the last is not added", prefix, "i < N; i++", "i < N - 1; i++"},
	{"other wavefronts", seidel, "if (w - 2 * t >= 1 && w - 2 * t <= N - 2)\n        A[w - 2 * t] /*a*/= (A[w - 2 * t - 1] + A[w - 2 * t] + A[w - 2 * t + 1]) / 3.0f;", "if (w - t >= 1 && w - t <= N - 2)\n        A[w - t] /*a*/= (A[w - t - 1] + A[w - t] + A[w - t + 1]) / 3.0f;"},
	{"a wavefront too few", seidel, "w <= 2 * T + N - 4", "w < 2 * T + N - 4"},
	{"from 1 on", floyd, "int k = 0", "int k = 1"},
	{"i outside k", floyd, "for (int k = 0; k < N; k++)\n    for (int j = 0; j < N; j++)", "for (int j = 0; j < N; j++)\n    for (int k = 0; k < N; k++)"},
	{"without the rest of the tiles", tiled, "k < N; k += 8", "k + 7 < N; k += 8"},
	{"tiles that overlap", tiled, "B[i] /*a0*/= A[i] * 0.5f;", "B[i] /*a0*/= B[i] * 0.5f;"},
	{"another number", tiled, "0.5f", "0.25f"},
	{"tiles that leave one out", tiled, "i < k + 8", "i < k + 7"},
	{"another factor", sums, "2.0f * A[i] +", "3.0f * A[i] +"},
	{"another operand of a local", cut, "A[i] * 0.5f;", "A[i - 1] * 0.5f;"},
	{"a local of another number", cut, "A[i] * 0.5f;", "A[i] * 0.25f;"},
	{"added in another order, bit for bit", cut, "A[i - 1] + s + 1.0f", "A[i - 1] + (s + 1.0f)"},
	{"a start from another number", zero, "0.0f", "1.0f"},
	{"a start without the first", zero, "int i = 0", "int i = 1"},
	{"rows that are too long", flatten, "i * M + j] *", "i * M + j + 1] *"},
	{"columns that cross rows", flatten, "j < M; j++", "j < M + 1; j++"},
	{"another width", flatten, "A[i * M + M + j] /*a*/= A[i * M + j]", "A[i * N + N + j] /*a*/= A[i * N + j]"},
	{"a sum from another number", accumulated, "= 0;", "= 1;"},
	{"a sum that is added", accumulated, "b[i] - s", "b[i] + s"},
	{"a sum without the last term", accumulated, "j < i;", "j < i - 1;"},
	{"a sum without the first term", accumulated, "int j = 0", "int j = 1"},
	{"a sum with a term too many", accumulated, "j < i;", "j <= i;"},
	{"a sum of other terms", accumulated, "L[i][j] * x", "L[j][i] * x"},
	{"a sum of every other term", accumulated, "j++", "j += 2"},
	{"a sum that is written in between", accumulated, "      s /*a1*/+=", "      if (j == 2) s = 0;\n      s /*a1*/+="},
	{"terms subtracted", accumulated, "/*a1*/+=", "/*a1*/-="},
	{"a sum that goes on", accumulated, "    double s /*a0*/= 0;\n", "    double s; if (i == 0) s /*a0*/= 0;\n"},
	{"a cell that there may not be", delayed, "if (N >= 3)", "if (N >= 2)"},
	{"no last cell", delayed, "if (N >= 3)", "if (N >= 4)"},
	{"the old neighbour", sums, "int i = 1; i < N; i++", "int i = N - 1; i >= 1; i--"},
}

// change is what a line holds that may be written in another way.
var change = regexp.MustCompile(`#?[0-9]+|never|entry|[lr] `)

// TestWrong: no lines that are like those of a true pair are accepted for a false one.
func TestWrong(t *testing.T) {
	for n, w := range wrong {
		t.Run(w.name, func(t *testing.T) {
			p := w.of
			if p.after = strings.Replace(p.after, w.old, w.new, 1); p.after == w.of.after {
				t.Fatalf("%s has no %q", p.name, w.old)
			}
			if _, err := p.check(); err == nil {
				t.Errorf("accepted:\n%s", p.after)
			}
			r := rand.New(rand.NewSource(int64(n)))
			for range tier.Pick(5, 30) {
				q := p
				q.lines = changed(r, changed(r, p.lines))
				if _, err := q.check(); err == nil {
					t.Errorf("accepted:\n%s\n%s", q.after, q.lines)
				}
			}
		})
	}
}

// changed is a text with one word changed.
func changed(r *rand.Rand, lines string) string {
	list := change.FindAllStringIndex(lines, -1)
	at := list[r.Intn(len(list))]
	old := lines[at[0]:at[1]]
	by := map[string]string{"never": "entry", "entry": "never", "l ": "r ", "r ": "l "}[old]
	if by == "" {
		number := 0
		fmt.Sscanf(strings.TrimPrefix(old, "#"), "%d", &number)
		by = old[:len(old)-len(strings.TrimPrefix(old, "#"))] + fmt.Sprint(max(0, number+2*r.Intn(2)-1))
	}
	return lines[:at[0]] + by + lines[at[1]:]
}

// TestAnswers: what is changed in an answer is refused, or is a refutation too.
func TestAnswers(t *testing.T) {
	lines, err := jacobi.check()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name, lines string) {
		t.Helper()
		if _, err := languages.Checker.Check("changed", jacobi.certificate(lines)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	i := strings.Index(lines, "goal 1 ")
	start, answers := lines[:i], strings.SplitAfter(strings.TrimSuffix(lines[i:], "\n"), "\n")
	answers[len(answers)-1] += "\n"
	for k := 0; k < len(answers); k += tier.Pick(5, 1) {
		a := answers[k]
		others := func(with string) string {
			return start + strings.Join(answers[:k], "") + with + strings.Join(answers[k+1:], "")
		}
		refused("a goal without an answer", others(""))
		refused("an answer twice", others(a+a))
		if j := strings.LastIndex(a, ":"); j >= 0 {
			refused("another multiplier: "+a, others(a[:j+1]+"7"+a[j+1:]))
			refused("no multiplier", others(a[:j+1]+a[j+2:]))
			refused("a row that there is not", others(a[:j-1]+"99"+a[j:]))
		}
		refused("no refutation", others(strings.Replace(a, "sum", "cut", 1)))
	}
	refused("a goal that there is not", lines+"goal 9999 (sum 0:1)\n")
	refused("a line behind", lines+"end after B entry\n")
	refused("without an end", strings.TrimSuffix(lines, "\n"))
	pair := proofs.Pair{Statement: jacobi.statement(), Recurrences: lines, Witness: "1 (cut v0)\n"}
	if _, err := languages.Checker.Check("both", proofs.Format([]proofs.Pair{pair})); err == nil {
		t.Error("answers beside recurrences are accepted")
	}
}
