package domain_test

import (
	"testing"

	"tv/semantics/domain"
)

// TestFormula: a domain that is printed says what it is; brackets stand where they decide.
func TestFormula(t *testing.T) {
	for _, c := range []struct{ size, want string }{
		{"(* 2 (div N 2))", "2*(N div 2)"},
		{"(div (* 2 N) 3)", "(2*N) div 3"},
		{"(- 7 (mod N 4))", "-(N mod 4) + 7"},
		{"(mod (+ N M) K)", "(M + N) mod K"},
		{"(+ (div N 2) 1)", "N div 2 + 1"},
		{"(div (div N K) M)", "(N div K) div M"},
		{"(* N (max M K 3))", "N*max(3; K; M)"},
		{"(min (+ N 1) (* 2 K))", "min(2*K; N + 1)"},
	} {
		if got := mustSize(t, c.size).Formula(); got != c.want {
			t.Errorf("%s prints as %q, want %q", c.size, got, c.want)
		}
	}
}

// TestFormat: what the least values of the sizes decide is left out, and nothing else.
func TestFormat(t *testing.T) {
	n, m, num := domain.NamedSize("N"), domain.NamedSize("M"), domain.IntSize
	mins := map[string]int64{"M": 0, "N": 1}
	for _, c := range []struct {
		cond *domain.Pred
		want string
	}{
		{domain.Le(num(1), n.Mul(num(2))), "M >= 0 and N >= 1"},
		{domain.Le(num(1), n), "M >= 0 and N >= 1"},
		{domain.Le(num(2), n), "M >= 0 and N >= 2"},
		{domain.Le(num(1), m.Mul(num(2))), "M >= 0 and N >= 1 and 2*M >= 1"},
		{domain.Or(domain.Le(n, num(0)), domain.Lt(m, n)), "M >= 0 and N >= 1 and M < N"},
		{domain.Or(domain.Le(m, num(0)), domain.Lt(n, m)), "M >= 0 and N >= 1 and (M <= 0 or N < M)"},
		{domain.Or(domain.Le(n, num(0)), domain.Lt(m, num(0))), "M >= 0 and N >= 1 and (N <= 0 or M < 0)"},
		// what has no value at M = 0 excludes such points
		{domain.Le(num(0), n.Div(m)), "M >= 0 and N >= 1 and N div M >= 0"},
		{domain.Le(num(0), n.Mod(m)), "M >= 0 and N >= 1 and N mod M >= 0"},
		{domain.Or(domain.Lt(n.Div(m), num(0)), domain.Eq(m, n)), "M >= 0 and N >= 1 and (N div M < 0 or M = N)"},
		{domain.Or(domain.Le(n, num(2)), domain.Le(num(3), n)), "M >= 0 and N >= 1"},
		{domain.Or(domain.Le(n, num(2)), domain.Lt(num(3), n)), "M >= 0 and N >= 1 and (N <= 2 or N > 3)"},
		{domain.Or(domain.Lt(n, m), domain.Eq(m, num(7)), domain.Le(m, n)), "M >= 0 and N >= 1"},
		{domain.Le(num(0), m.Div(n)), "M >= 0 and N >= 1"},
		{domain.Divides(m, n.Mul(m)), "M >= 0 and N >= 1 and M | M*N"},
		// an alternative that holds only where another does
		{domain.Or(domain.Le(m, n), domain.Le(m, n.Add(num(1)))), "M >= 0 and N >= 1 and M <= N + 1"},
		{domain.Or(domain.Le(m, num(1)), domain.Le(m, n)), "M >= 0 and N >= 1 and M <= N"},
		{domain.Or(domain.Le(n, num(1)), domain.Le(n, m)), "M >= 0 and N >= 1 and (N <= 1 or N <= M)"},
		// a least of sizes is at least one of them where it is at least all
		{domain.Le(m, m.Min(n)), "M >= 0 and N >= 1 and M <= N"},
		{domain.Le(m.Max(n), n), "M >= 0 and N >= 1 and M <= N"},
		{domain.Or(domain.Le(m, m.Min(n)), domain.Le(n, m.Min(n))), "M >= 0 and N >= 1"},
		{domain.Le(m, num(7).Min(n)), "M >= 0 and N >= 1 and M <= min(7; N)"},
	} {
		got := domain.Conjunction(domain.Format([]string{"M", "N"}, mins, []*domain.Pred{c.cond}, domain.Limits{}))
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestNeeded: of conditions that hold together those are left out that others imply, and of equal ones one is left.
func TestNeeded(t *testing.T) {
	n, m, k, num := domain.NamedSize("N"), domain.NamedSize("M"), domain.NamedSize("K"), domain.IntSize
	mins := map[string]int64{"K": 1, "M": 1, "N": 1}
	list := func(conds ...*domain.Pred) []*domain.Pred { return conds }
	for _, c := range []struct {
		conds []*domain.Pred
		want  string
	}{
		{list(domain.Le(m, n), domain.Le(m, n)), "K M N >= 1 and M <= N"},
		{list(domain.Le(m, n), domain.Lt(m, n)), "K M N >= 1 and M < N"},
		{list(domain.Le(num(2), n), domain.Le(num(3), n)), "K M >= 1 and N >= 3"},
		{list(domain.Le(m, n), domain.Or(domain.Le(m, n.Add(num(1))), domain.Eq(m, k))), "K M N >= 1 and M <= N"},
		{list(domain.Or(domain.Le(m, n), domain.Le(m, k)), domain.Or(domain.Le(m, n), domain.Le(k, m))),
			"K M N >= 1 and (M <= N or M <= K) and (M <= N or K <= M)"},
		{list(domain.Or(domain.Lt(m, n), domain.Lt(m, k)), domain.Or(domain.Le(m, k), domain.Le(m, n))), "K M N >= 1 and (M < N or M < K)"},
		{list(domain.Eq(m, n), domain.Le(m, n), domain.Le(n, m)), "K M N >= 1 and M = N"},
		{list(domain.Eq(m, n.Add(num(1))), domain.Le(n, m), domain.Le(m, n)), "K M N >= 1 and M = N + 1 and M <= N"},
		// what has no value at N = M says that they differ
		{list(domain.Le(m, n), domain.Le(num(0), k.Div(n.Sub(m)))), "K M N >= 1 and M <= N and K div (-M + N) >= 0"},
	} {
		if got := domain.Conjunction(domain.Format([]string{"K", "M", "N"}, mins, c.conds, domain.Limits{})); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestConjunction: an "or" beside other conditions is in parentheses, and no other is.
func TestConjunction(t *testing.T) {
	n, m := domain.NamedSize("N"), domain.NamedSize("M")
	either := domain.Or(domain.Le(n, domain.IntSize(0)), domain.Eq(m, n))
	for _, c := range []struct {
		conds []*domain.Pred
		want  string
	}{
		{nil, ""},
		{[]*domain.Pred{either}, "N <= 0 or M = N"},
		{[]*domain.Pred{domain.Lt(n, m), either}, "N < M and (N <= 0 or M = N)"},
		{[]*domain.Pred{{Op: domain.PredAnd, Args: []*domain.Pred{either, domain.Lt(n, m)}}}, "(N <= 0 or M = N) and N < M"},
		{[]*domain.Pred{domain.Or(&domain.Pred{Op: domain.PredAnd, Args: []*domain.Pred{domain.Lt(n, m), either}}, domain.Eq(n, m)), domain.Lt(m, n)},
			"(N < M and (N <= 0 or M = N) or N = M) and M < N"},
		{[]*domain.Pred{{Op: domain.PredNot, Args: []*domain.Pred{either}}, domain.Lt(m, n)}, "not (N <= 0 or M = N) and M < N"},
	} {
		if got := domain.Conjunction(domain.Format(nil, map[string]int64{"M": 0, "N": 0}, c.conds, domain.Limits{})); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
