package fuzz

import (
	"context"
	"strings"
	"testing"

	"tv/equiv"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

func pairOfTexts(before, after string) textPair {
	return textPair{extensions: [2]string{".comp", ".comp"}, before: before, after: after, arith: domain.Exact, seed: 1}
}

// TestTexts: pairs of texts are drawn, all kinds of them, and nothing is wrong with any.
func TestTexts(t *testing.T) {
	kinds := map[string]int{}
	draws, again, examined := tier.Pick(50, 100), uint64(tier.Pick(5, 1)), uint64(tier.Pick(15, 30))
	for k := range uint64(draws) {
		p, ok := drawTexts(k)
		if !ok {
			continue
		}
		if k%again == 0 {
			if q, _ := drawTexts(k); p != q {
				t.Fatalf("seed %d gives two pairs", k)
			}
		}
		kinds[p.asked()]++
		if k < examined {
			if kind, detail := p.examine(context.Background()); kind != "" {
				t.Errorf("%s: %s\n%s", kind, detail, p.text())
			}
		}
	}
	if kinds[asItself] < draws/10 || kinds[asMutant] < draws/2 {
		t.Errorf("drawn: %v", kinds)
	}
}

// crossed is a program that is evaluated as another one: what a wrong lowering looks like.
type crossed struct{ semantics.Program }

func (c crossed) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, s semantics.Standing) (semantics.Evaluator, error) {
	p, err := pairOfTexts("function f(A int8[N])\nA(i) = A(i) + A(i) where i in 1:N\n", "").typedBefore()
	if err != nil {
		return nil, err
	}
	return p.Evaluate(a, pt, in, s)
}

func (p textPair) typedBefore() (semantics.Program, error) {
	p.after = p.before
	c, err := p.contest()
	return c.x, err
}

// TestLowered: a lowering that says another thing than the evaluator is seen.
func TestLowered(t *testing.T) {
	for _, test := range []struct {
		statement string
		wrong     bool
	}{
		{"A(i) = 2 * A(i) where i in 1:N", false},
		{"A(i) += A(i) where i in 1:N", false},
		{"A(i) += A(i) * 1 where i in 1:N", false},
		{"A(i) = A(i) - -A(i) where i in 1:N", false},
		{"A(i) = 2 * A(i)", true},
		{"A(i) = 2 * A(i) where i in 1:N - 1", true},
		{"A(i) = A(i) + A(i - 1) where i in 1:N", true},
		{"A(i) += A(k) where i in 1:N", true},
	} {
		p, err := pairOfTexts("function f(A int8[N])\n"+test.statement+"\n", "").typedBefore()
		if err != nil {
			t.Fatal(err)
		}
		how, err := lowered(crossed{p}, domain.Exact, 1)
		if err != nil || (how != "") != test.wrong {
			t.Errorf("%s: %q, %v", test.statement, how, err)
		}
	}
}

// TestTextsReplay: a case is written, read and examined again, and made smaller by lines.
func TestTextsReplay(t *testing.T) {
	const heading = "procedure f(A int8[N], B int8[N])\n"
	p := pairOfTexts(heading+"B(i) = A(i)\nA(i) = 0\nB(i) += 1\n", heading+"B(i) = A(i)\nA(i) = 0\nB(i) += 2\n")
	q := p.shrunk(func(q textPair) bool {
		return strings.HasPrefix(q.before, heading) && strings.Contains(q.after, "+= 2")
	})
	if q.before != heading+"B(i) += 1\n" || q.after != heading+"B(i) += 2\n" {
		t.Errorf("smaller:\n%s", q.text())
	}
	text := headline("self", asMutant) + q.text()
	f := source.NewFile("case.txtar", text)
	e, ours, err := readEntry("self", f)
	if err != nil || !ours {
		t.Fatal(err)
	}
	again, ok, err := textsOf(e)
	if err != nil || !ok || again != q {
		t.Errorf("read again: %+v, %v", again, err)
	}
	if kind, detail, err := Replay(f); kind != "" || err != nil {
		t.Errorf("%s %s %v", kind, detail, err)
	}
	if covered := (selfWorker{&Self{}}).Covered(e); strings.Join(covered, ", ") != "comprehension +=, comprehension += of input" {
		t.Errorf("covered: %v", covered)
	}
	for _, wrong := range []string{
		"# tv fuzz self: mutant\n-- before.comp --\n" + heading + "B(i) = 0\n",
		"# tv fuzz self: mutant\n-- before.comp --\n" + heading + "-- after.comp --\n" + heading + "B(i) = 0\n",
	} {
		if _, _, err := Replay(source.NewFile("case.txtar", wrong)); err == nil {
			t.Errorf("no error for\n%s", wrong)
		}
	}
}

// TestTextsFound: what contradicts the evaluator is a finding that replays.
func TestTextsFound(t *testing.T) {
	const heading = "function f(A int8[N])\n"
	c, err := pairOfTexts(heading+"A(i) = A(i) + 1\n", heading+"A(i) = A(i) + 2\n").contest()
	if err != nil {
		t.Fatal(err)
	}
	c.asked.After = c.asked.Before // tv is asked about another program than the evaluator: so it is wrong
	if kind, _ := c.examine(context.Background(), c.x, c.y, false); kind != "wrong proof" {
		t.Errorf("found %q", kind)
	}
	if !c.certified(context.Background(), options(domain.Exact)) {
		t.Error("no certificate of a program against itself")
	}
}

// TestMixed: pairs that mix element types are drawn, and nothing is wrong with any; some tv proves and some the evaluator
// tells apart, or they would hunt for nothing.
func TestMixed(t *testing.T) {
	ctx := context.Background()
	proved, apart, auto := 0, 0, 0
	draws := uint64(tier.Pick(60, 600))
	for k := range draws {
		p := drawMixed(k)
		if p != drawMixed(k) {
			t.Fatalf("seed %d gives two pairs", k)
		}
		if kind, detail := p.examine(ctx); kind != "" {
			t.Errorf("%s: %s\n%s", kind, detail, p.text())
		}
		e, _, err := readEntry("self", source.NewFile("entry.txtar", headline("self", p.asked())+p.text()))
		if err != nil {
			t.Fatal(err)
		}
		if q, ok, err := textsOf(e); !ok || err != nil || q != p {
			t.Fatalf("kept as %v (%v), drawn as %v", q, err, p)
		}
		c, err := p.contest()
		if err != nil {
			t.Fatalf("%v\n%s", err, p.text())
		}
		if p.arith == domain.Auto {
			auto++
		}
		if Judge(c.x, c.y, c.arith, 100, c.seed).Apart {
			apart++
		} else if ok, err := equiv.Prove(ctx, c.asked, options(c.arith)); err == nil && ok {
			proved++
		}
	}
	t.Logf("%d pairs, %d in auto: %d proved, %d told apart", draws, auto, proved, apart)
	if proved < int(draws)/5 || apart < int(draws)/10 || auto < int(draws)/3 {
		t.Errorf("%d pairs, %d in auto: %d proved, %d told apart", draws, auto, proved, apart)
	}
}
