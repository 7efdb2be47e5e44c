package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tv/ci"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/proofs/algebra"
	"tv/proofs/mapped"
)

// A Code is a kind of problem, as tv explain and doc/errors.md describe it.
type Code struct {
	Name    string
	Meaning string // one line
	Example string // what triggers it, for people; empty where nothing does reliably
	run     string // the same for a test: an archive whose comment is a command
}

// Codes returns all codes, sorted by name.
func Codes() []Code {
	list := slices.Concat(ownCodes, circuitCodes, commandCodes())
	for i := range list {
		list[i].Example = cmp.Or(list[i].Example, list[i].run)
	}
	for _, c := range glenside.Codes() {
		list = append(list, Code{Name: c.Code, Meaning: c.Meaning, Example: example(c)})
	}
	for _, c := range rule.Codes() {
		list = append(list, Code{Name: c.Code, Meaning: c.Meaning, Example: c.Rules,
			run: "tv certify a.rules\n-- a.rules --\n" + c.Rules + "\n"})
	}
	for _, c := range algebra.Codes() {
		list = append(list, Code{Name: c.Code, Meaning: c.Meaning})
	}
	slices.SortFunc(list, func(a, b Code) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// example prints the example of a code of the language.
func example(c glenside.CodeInfo) string {
	parts := []string{elide(c.Program)}
	if c.After != "" {
		parts = append(parts, "; compared with", elide(c.After))
	}
	if c.Shapes != "" {
		parts = append(parts, "; with --shapes "+elide(c.Shapes))
	}
	if c.Input != "" {
		parts = append(parts, "; with --input "+elide(c.Input))
	}
	return strings.Join(parts, "\n")
}

// elide cuts the middle out of long lines and makes control characters visible.
func elide(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		runes := []rune(strings.Map(func(r rune) rune {
			if r < ' ' {
				return '\u2400' + r // its picture
			}
			return r
		}, line))
		if len(runes) > 100 {
			runes = slices.Concat(runes[:45], []rune(" ... "), runes[len(runes)-45:])
		}
		lines[i] = string(runes)
	}
	return strings.Join(lines, "\n")
}

// Programs of the examples below.
const (
	exampleBefore  = "-- a.sexp --\n(input A (shape 2))\n(access A 1)\n"
	exampleHeading = "function f(A float32[N], C float32[N])\n"
	exampleSizes   = "-- a.sexp --\n(input A (shape N))\n(assume (<= 4 N))\n(access A 1)\n"
)

// ownCodes are those of this package, of the packages that read files, and of equiv.
var ownCodes = []Code{
	{
		Name:    codeUsage,
		Meaning: "the command line is not one that tv has, or a flag that is not built yet",
		run:     "tv check --certify a.sexp",
	},
	{
		Name:    "missing-function",
		Meaning: "a function of elements whose type has none, such as exp of int8, where the arithmetic is not real",
		run: "tv check a.sexp a.sexp\n-- a.sexp --\n(input A (shape 2) int8)\n" +
			"(relay-operator-call relay-sigmoid (access A 1))\n",
	},
	{
		Name:    codeInternal,
		Meaning: "a fault of tv's own: please report it with the command and its files; TV_DEBUG=1 shows where",
	},
	{
		Name:    codeInterrupted,
		Meaning: "the run was stopped; its report holds what was known by then",
	},
	{
		Name:    "bad-equation",
		Meaning: "a list of TASO's equations that holds something else, or a term with unknown names or operands",
		run:     "tv certify --format-in taso a.txt\n-- a.txt --\nmatmul(input_1) == input_1\n",
	},
	{
		Name:    codeNothing,
		Meaning: "all rules are trivial: their sides are the same text",
		run:     "tv certify a.rules\n-- a.rules --\n(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs ?a))\n",
	},
	{
		Name:    ci.CodeReport,
		Meaning: "a file that --resume or --baseline names is not a JSON report of tv, or one without fingerprints",
		run:     "tv certify --resume a.json a.rules\n-- a.json --\n{}\n-- a.rules --\n(rule r (vars (?a ((?A*) ()))) (lhs ?a) (rhs ?a))\n",
	},
	{
		Name:    "file-directory",
		Meaning: "a directory stands where a file is wanted",
		run:     "tv eval dir.sexp\n-- dir.sexp/a.sexp --\n",
	},
	{
		Name:    files.CodeNoFiles,
		Meaning: "a directory or a pattern stands for files, and there are none that the command reads",
		run:     "tv certify rules\n-- rules/a.txt --\n",
	},
	{
		Name:    files.CodePattern,
		Meaning: "a pattern in a name of files is none: they have *, ? and [a-z]",
		run:     "tv certify rules/[a\n",
	},
	{
		Name: codeShard,
		Meaning: "a part of a run is none, or variables of the environment (TEST_SHARD_INDEX, JOB_COMPLETION_INDEX, CI_NODE_INDEX and the number " +
			"that goes with each) are malformed or contradict each other",
		run: "tv check --shard 2/2 a.sexp a.sexp\n" + exampleBefore,
	},
	{
		Name:    "file-unreadable",
		Meaning: "a file does not exist or may not be read",
		run:     "tv fmt missing.sexp",
	},
	{
		Name:    "file-unwritable",
		Meaning: "a file cannot be written or removed",
		run:     "tv show a.sexp -o missing/out.txt\n" + exampleBefore,
	},
	{
		Name:    "file-too-large",
		Meaning: "an input of more than a gibibyte",
	},
	{
		Name:    "file-not-utf8",
		Meaning: "a text that is not UTF-8",
		run:     "tv fmt a.sexp\n-- a.sexp --\n(access A\xff 1)\n",
	},
	{
		Name:    codeKind,
		Meaning: "the name of a file does not tell what it is, or it is of another kind than the command takes",
		run:     "tv fmt a.txt\n-- a.txt --\n(access A 1)\n",
	},
	{
		Name:    casefile.CodeLitmus,
		Meaning: "a litmus file without before.sexp and after.sexp, or with keys or flags that it cannot have",
		run:     "tv check a.txtar\n-- a.txtar --\nwant: maybe\n",
	},
	{
		Name:    casefile.CodeCounterexample,
		Meaning: "a counterexample that is not what tv check --counterexample writes",
		run:     "tv replay a.txtar\n-- a.txtar --\n",
	},
	{
		Name:    casefile.CodeTensor,
		Meaning: "a file that does not hold a tensor: neither the JSON of tv help files nor a supported .npy or .npz",
		run:     "tv eval a.sexp --value A=a.json\n" + exampleBefore + "-- a.json --\n[1, 2]\n",
	},
	{
		Name:    "not-numpy",
		Meaning: "a result that cannot be written as .npy or .npz: a type that NumPy has not, or an element that its type has not, such as 1/3 in the reals (--arith exact rounds)",
		run:     "tv eval a.sexp -o a.npy --value A=a.json\n-- a.sexp --\n(input A (shape))\n(compute negative (access A 0))\n-- a.json --\n{\"shape\":[],\"data\":[\"1/3\"]}\n",
	},
	{
		Name:    codeOther,
		Meaning: "a certificate that is about other programs than those given with --against",
	},
	{
		Name:    algebra.CodeWeaker,
		Meaning: "a certificate that holds only where both sides of a rule are well formed, where one of the rule is wanted",
	},
	{
		Name:    mapped.CodeStep,
		Meaning: "an explanation with a step that is no instance of its rule, or a chain that a step is missing from",
	},
	{
		Name:    codeRefused,
		Meaning: "a certificate with an obligation that a solver finds not to hold: its statement is not proved",
	},
	{
		Name:    "bad-syntax",
		Meaning: "a comprehension is not what doc/languages.md says: a token stands where another should",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) <- A(i)\n",
	},
	{
		Name:    "no-result",
		Meaning: "a comprehension or a function in loops writes none of its parameters",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading,
	},
	{
		Name:    "type-mismatch",
		Meaning: "tensors of one statement are of different element types",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + "function f(A int8[N], C float32[N])\nC(i) = A(i)\n",
	},
	{
		Name:    "not-affine",
		Meaning: "a subscript multiplies an index by more than a number, or a bound or subscript of a loop is no expression of sizes and counters",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) = A(N * i)\n",
	},
	{
		Name:    "range-unknown",
		Meaning: "an index is no subscript by itself, and has no range",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) +=! A(2 * k)\n",
	},
	{
		Name:    "not-static-control",
		Meaning: "a bound, a subscript or an extent of a loop nest depends on elements, or control is not that of nested loops",
		run:     "tv check a.c a.c\n-- a.c --\nvoid f(int N, const int A[N], int B[N]) {\n  B[A[0]] = 1;\n}\n",
	},
	{
		Name:    "unknown-call",
		Meaning: "a function is called that neither the file nor a library that tv knows has",
		run:     "tv check a.c a.c\n-- a.c --\nvoid f(int N, float B[N]) {\n  B[0] = frob(B[0]);\n}\n",
	},
	{
		Name:    "unsupported-op",
		Meaning: "a statement or an operation of another language that tv has no meaning for",
		run:     "tv check a.c a.c\n-- a.c --\nvoid f(int N, int B[N]) {\n  switch (N) { default: B[0] = 1; }\n}\n",
	},
	{
		Name:    "writes-input",
		Meaning: "what is const, or an input, is written",
		run:     "tv check a.c a.c\n-- a.c --\nvoid f(int N, const int A[N]) {\n  A[0] = 1;\n}\n",
	},
	{
		Name:    "index",
		Meaning: "an obligation of a loop nest: every value of a counter, bound or subscript lies in its type",
		run:     "tv eval a.c --size N=1\n-- a.c --\nvoid f(unsigned N, int B[N]) {\n  for (unsigned i = N - 1; i >= 0; i--) B[i] = 1;\n}\n",
	},
	{
		Name:    "termination",
		Meaning: "an obligation of a loop nest: loops go towards their bound",
		run:     "tv eval a.c --size N=1\n-- a.c --\nvoid f(int N, int B[N]) {\n  B[0] = 1;\n  for (int i = 0; i < N; i--) B[0] = 2;\n}\n",
	},
	{
		Name:    "range-inference",
		Meaning: "the range of an index of a Tensor Comprehension cannot be inferred, or is empty at all sizes",
		run:     "tv check a.tc a.tc\n-- a.tc --\ndef f(float(N) A) -> (B) {\n  B(i) = A(i * i)\n}\n",
	},
	{
		Name:    "free-index",
		Meaning: "an index that the left side does not have, in a statement that sums nothing",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) = A(k)\n",
	},
	{
		Name:    "unknown-name",
		Meaning: "a tensor is no parameter, or a range is of no index of its statement",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) = B(i)\n",
	},
	{
		Name:    "bad-rank",
		Meaning: "a tensor has another number of dims than there are subscripts",
		run:     "tv check a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) = A(i, 0)\n",
	},
	{
		Name:    "index-out-of-bounds",
		Meaning: "an access is outside its tensor at every point of the domain",
		run:     "tv check a.comp b.comp\n-- a.comp --\n" + exampleHeading + "C(i) = A(i)\n-- b.comp --\n" + exampleHeading + "C(i) = A(i + N)\n",
	},
	{
		Name:    "negative-dim",
		Meaning: "a dim of a heading is negative, at the sizes given or at every point of the domain",
		run:     "tv eval --size N=1 a.comp\n-- a.comp --\nfunction f(A float32[N], C float32[N - 2])\nC(i) = A(i)\n",
	},
	{
		Name:    "binding-ambiguous",
		Meaning: "it cannot be told who of AFTER's parameters is who of BEFORE's: see doc/languages.md 2, and --bind",
		run:     "tv check a.comp b.comp\n-- a.comp --\n" + exampleHeading + "C(i) = A(i)\n-- b.comp --\nfunction f(A float32[N], B float32[N], C float32[N])\nC(i) = A(i) + B(i)\n",
	},
	{
		Name:    "binding-unknown",
		Meaning: "--bind names no input of BEFORE, or none of AFTER",
		run:     "tv check --bind B=A a.comp a.comp\n-- a.comp --\n" + exampleHeading + "C(i) = A(i)\n",
	},
	{
		Name:    "size-unbound",
		Meaning: "a size of AFTER is no extent of what it is bound to, and BEFORE has none of that name, or nothing says how many elements a pointer of BEFORE has",
		run:     "tv check a.comp b.sexp\n-- a.comp --\n" + exampleHeading + "C(i) = A(i)\n-- b.sexp --\n(access-slice (access A 1) 0 0 K)\n",
	},
	{
		Name:    "output-unknown",
		Meaning: "BEFORE and AFTER have different numbers of results, or two procedures write other parameters, or --out names what is no result",
		run:     "tv check a.comp b.comp\n-- a.comp --\nprocedure f(A float32[N], C float32[N])\nC(i) = A(i)\n-- b.comp --\nprocedure f(A float32[N], C float32[N])\nA(i) = C(i)\n",
	},
	{
		Name:    "extent-conflict",
		Meaning: "an extent of AFTER is, at every point of the domain, not that of what it is bound to",
		run:     "tv check a.comp b.comp\n-- a.comp --\nfunction f(A float32[2, 3], C float32[2])\nC(i) +=! A(i, j)\n-- b.comp --\nfunction f(A float32[2, 4], C float32[2])\nC(i) +=! A(i, j)\n",
	},
	{
		Name:    "value-mismatch",
		Meaning: "a tensor given with --value has another shape or type than the program declares",
		run: "tv eval a.sexp --value A=a.json\n" + exampleBefore +
			"-- a.json --\n{\"shape\":[3],\"type\":\"float32\",\"data\":[1,2,3]}\n",
	},
	{
		Name:    "size-wanted",
		Meaning: "a program with named sizes is to be run, and a size has no value",
		run:     "tv eval a.sexp\n" + exampleSizes,
	},
	{
		Name:    "outside-domain",
		Meaning: "the sizes given do not satisfy an assume",
		run:     "tv eval a.sexp --size N=2\n" + exampleSizes,
	},
	{
		Name:    "uninterpreted",
		Meaning: "an element rests on what the arithmetic does not interpret, such as exp of floats in exact",
		run: "tv eval a.sexp --arith exact\n-- a.sexp --\n(input A (shape 2))\n" +
			"(compute softmax (access A 0))\n",
	},
	{
		Name:    "cluster-server", // the codes of package fuzz/cluster, which a build for browsers lacks
		Meaning: "the NATS server that --cluster names cannot be reached, refuses, or has no JetStream or no room",
		run:     "tv fuzz self --cluster nats://127.0.0.1:1 --seed 1 --budget 1x",
	},
	{
		Name:    "cluster-build",
		Meaning: "another build of tv runs the campaign on the cluster; what its cases are may differ",
	},
	{
		Name:    "cluster-message",
		Meaning: "a message in a campaign's queue, or an entry in its bucket, is none that its workers write: it is set aside",
	},
	{
		Name:    "cluster-forgotten",
		Meaning: "the server of a cluster keeps no such campaign, or tv fuzz forget removed it while it was run",
	},
	{
		Name:    "cluster-command",
		Meaning: "tv fuzz cluster finds no tv-cluster, which is the server, beside tv or in the path",
	},
	{
		Name:    "cluster-start",
		Meaning: "tv fuzz cluster, tv fuzz status --listen: the address, the certificate or the configuration of the server cannot be used",
		Example: "tv fuzz cluster --store campaigns --listen 4222",
	},
	{
		Name:    "cluster-store",
		Meaning: "tv fuzz cluster: the directory of the server cannot be written, or another server has it",
		Example: "tv fuzz cluster --store /dev/null",
	},
	{
		Name:    "cluster-anywhere",
		Meaning: "tv fuzz cluster, tv fuzz status --listen: the server would listen beyond this machine, and --anywhere is not given",
		Example: "tv fuzz cluster --store campaigns --listen 0.0.0.0:4222",
	},
	{
		Name:    "unknown-code",
		Meaning: "tv explain does not know the code",
		run:     "tv explain shape-mismach",
	},
	{
		Name:    "empty-domain",
		Meaning: "no sizes satisfy what the program before declares, assumes and needs, or none were found",
		run: "tv check a.sexp b.sexp\n-- a.sexp --\n(input A (shape N))\n" +
			"(assume (< N 1))\n(access A 1)\n-- b.sexp --\n(access A 1)\n",
	},
	{
		Name:    "empty-output",
		Meaning: "the result has no elements at any size: there is nothing to compare",
		run:     "tv check a.sexp a.sexp\n-- a.sexp --\n(input A (shape 0 2))\n(access A 1)\n",
	},
}

// errorReference returns doc/errors.md.
func errorReference() string {
	var b strings.Builder
	b.WriteString(`# Error codes

Errors are printed as file:line:col: message [code] and are in the errors of a JSON report. Codes are
stable. tv explain CODE prints what stands here. Generated from the tables of codes by
go test ./cmd/tv/internal/cli -run TestErrorReference -update.
`)
	for _, c := range Codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.Name, sentence(c.Meaning))
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimRight(elide(c.Example), "\n"))
		}
	}
	return b.String()
}

// sentence makes one of a meaning.
func sentence(s string) string {
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}
