package recur

import (
	"fmt"
	"math/big"
	"strings"

	"tv/proofs/algebra"
)

// A Goal asks why no integers satisfy all of Rows. Variables that begin with # and ~ are those of
// a place, all others are sizes.
type Goal struct {
	N     int
	About string
	Rows  []Row
	Ors   [][][]Row // what is known of sizes with an or in it: the ways in which each holds
	Next  int       // the number of the next variable #k
}

// Bounds of the work of a check.
const (
	maxGoals = 1 << 17
	maxSteps = 1 << 20
	maxWays  = 512
)

func limit(format string, args ...any) { algebra.Fail(algebra.CodeLimit, format, args...) }

// claim refuses the certificate unless nothing satisfies the rows of a place and some more.
func (c *checker) claim(p *place, about string, more ...Row) {
	c.step()
	rows := p.rows[:len(p.rows):len(p.rows)]
	for _, r := range more {
		rows = append(rows, r.reduced())
	}
	if empty(rows) {
		return
	}
	c.goals++
	if c.goals > maxGoals {
		limit("more than %d goals", maxGoals)
	}
	g := &Goal{N: c.goals, About: about, Rows: rows, Ors: c.ors, Next: p.vars}
	text := c.answer(g)
	if text == "" {
		algebra.Fail(algebra.CodeGoal, "goal %d has no answer: %s", g.N, g.About)
	}
	list := read(text)
	wants(list, 1, "a refutation")
	c.refuted(g, list[0], g.Rows, g.Next)
}

func (c *checker) step() {
	if c.steps++; c.steps > maxSteps {
		limit("more than %d claims", maxSteps)
	}
}

// refuted refuses an answer that is no refutation of rows, with variables #k below vars.
func (c *checker) refuted(g *Goal, n *node, rows []Row, vars int) {
	c.step()
	rows = rows[:len(rows):len(rows)]
	fail := func(why string) {
		algebra.Fail(algebra.CodeGoal, "goal %d: %s: %s", g.N, why, g.About)
	}
	word, list := n.head()
	switch word {
	case "sum":
		f := combined(list, rows, false)
		if k, ok := f.constant(); !ok || k.Sign() >= 0 {
			fail("the sum is " + f.String())
		}
	case "gcd":
		f := combined(list, rows, true)
		if !equal0(f).reduced().never {
			fail("the equation " + f.String() + " = 0 may hold")
		}
	case "cut":
		wants(list, 2, "cut")
		f := combined(list[0].list, rows, false)
		c.refuted(g, list[1], append(rows, atLeast0(f).reduced()), vars)
	case "if":
		wants(list, 3, "if")
		r := atLeast0(known(rows, list[0].word))
		c.refuted(g, list[1], append(rows, r.reduced()), vars)
		c.refuted(g, list[2], append(rows[:len(rows):len(rows)], r.not()[0].reduced()), vars)
	case "or":
		if len(list) == 0 || natural(list[0].word) >= len(g.Ors) {
			malformed("there is no such condition on sizes")
		}
		all := g.Ors[natural(list[0].word)]
		wants(list[1:], len(all), "or")
		for i, w := range all {
			c.refuted(g, list[i+1], append(rows[:len(rows):len(rows)], w...), vars)
		}
	case "div":
		wants(list, 3, "div")
		f, q := known(rows, list[0].word), named(fmt.Sprintf("#%d", vars))
		for _, r := range quotient(f, divisor(list[1].word), q) {
			rows = append(rows, r.reduced())
		}
		c.refuted(g, list[2], rows, vars+1)
	default:
		fail("no refutation begins like this")
	}
}

// known reads a form over variables of rows, sizes and what div made.
func known(rows []Row, text string) Form {
	return parse(text, func(name string) (Form, bool) {
		for _, r := range rows {
			if r.Of[name] != nil {
				return named(name), true
			}
		}
		return Form{}, false
	})
}

// combined is a sum of rows times integers, of inequalities positive ones.
func combined(list []*node, rows []Row, equations bool) Form {
	sum := number(0)
	for _, w := range words(list) {
		at, by, _ := strings.Cut(w, ":")
		i := natural(at)
		sign := big.NewInt(1)
		if strings.HasPrefix(by, "-") {
			by = by[1:]
			sign.SetInt64(-1)
		}
		if i >= len(rows) || !digits(by) {
			malformed("%q is no multiple of a row", w)
		}
		k, _ := new(big.Int).SetString(by, 10)
		if k.Mul(k, sign).Sign() <= 0 && !rows[i].Equal || equations && !rows[i].Equal {
			algebra.Fail(algebra.CodeGoal, "%q: a row that is an inequality", w)
		}
		sum = sum.with(k, rows[i].Form)
	}
	return sum
}

// divisor reads a positive number.
func divisor(word string) *big.Int {
	if !digits(word) || word[0] == '0' {
		malformed("%q is no divisor", word)
	}
	n, _ := new(big.Int).SetString(word, 10)
	return n
}

// quotient says that q is f div n, rounded down.
func quotient(f Form, n *big.Int, q Form) []Row {
	rest := f.minus(q.times(n))
	return []Row{atLeast0(rest), atLeast0(Form{N: n}.minus(rest).shifted(-1))}
}
