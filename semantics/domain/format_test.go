package domain_test

import "testing"

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
