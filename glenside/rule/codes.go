package rule

// A CodeInfo documents an error code of rule files.
type CodeInfo struct {
	Code    string
	Meaning string // one line
	Rules   string // a rule file that triggers it
}

// Codes returns the codes of the errors that rule files have beside those of programs. A test runs the examples.
func Codes() []CodeInfo {
	return []CodeInfo{
		{
			Code: "bad-rule", Meaning: "a rule is (rule NAME CLAUSE ...) with vars, lhs and rhs, each clause once",
			Rules: "(rule r (vars (?a ((?A*) ()))) (lhs ?a))",
		},
		{
			Code: "duplicate-name", Meaning: "a name of a rule is declared twice, or two rules of a file have one name",
			Rules: "(rule r (vars (?a ((?A*) ())) (?a ((?B*) ()))) (lhs ?a) (rhs ?a))",
		},
		{
			Code: "no-rule", Meaning: "a rule file without a rule",
			Rules: "; nothing",
		},
		{
			Code: "unbound-name", Meaning: "a rule mentions a name that no clause declares, or a program in loops one that is nothing there",
			Rules: "(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs (access ?a ?k)))",
		},
		{
			Code: "unsupported-rule", Meaning: "a rule whose cases are too many, or whose ranks hang on sizes",
			Rules: "(rule r (vars (?a ((?n) ()))) (lhs (access ?a ?n)) (rhs (access ?a ?n)))",
		},
		{
			Code: "vacuous", Meaning: "no instance makes the guard of a rule true and its left side well formed",
			Rules: "(rule r (vars (?a ((?n) ()))) (where (< ?n 0)) (lhs (compute relu ?a)) (rhs ?a))",
		},
	}
}
