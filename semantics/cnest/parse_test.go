package cnest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden: each file of the corpus is read into the procedure that stands beside it.
func TestGolden(t *testing.T) {
	for _, file := range corpus(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := loops.Format(parsed(t, file, string(text)))
			golden := strings.TrimSuffix(file, ".c") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != got {
				t.Errorf("%v: %s is\n%s\nwant\n%s", err, file, got, want)
			}
		})
	}
}

// bad are texts that are refused, each with the errors that it gets, a line each.
var bad = []struct{ text, want string }{
	// words
	{"void f(int n, int A[n]) { A[0] = 1 @ 2; }", "1:36: \"@\" is no character of C [bad-syntax]"},
	{"void f(int n, int A[n]) { /* A[0] = 1; }", "1:27: a comment without an end [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0] = 'a; }", "1:34: a ' without its other [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0] = 'é'; }", "1:34: 'é' is no character of ASCII [unsupported-op]"},
	{"void f(int n, int A[n]) { A[0] = 12z; }", "1:34: 12z is no number of C [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0] = 1lul; }", "1:34: 1lul has a suffix that C does not know [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0] = 99999999999999999999; }", "1:34: 99999999999999999999 is in no integer type of C [too-large]"},
	{"void f(int n, float A[n]) { A[0] = 1e99999; }", "1:36: 1e99999 is no number of C, or not one that a float is near [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0] = \"a\"; }", "1:34: texts: the subset of C has none [unsupported-op]"},
	// the preprocessor
	{"#if N\n#endif\nvoid f(int n) {}", "1:1: #if: of the preprocessor there are #define, #undef, #ifdef, #ifndef, #else, #endif and, skipped, #include and #pragma [unsupported-op]"},
	{"#ifdef N\nvoid f(int n) {}", "1:1: an #ifdef without #endif [bad-syntax]"},
	{"#endif", "1:1: #endif without an #ifdef [bad-syntax]"},
	{"#define N 1\n#define N 2\n", "2:9: macro N is defined already, otherwise [redefined-name]"},
	{"#define f(x) #x\n", "1:14: # in a macro [unsupported-op]"},
	{"#define sq(x) x * x\nvoid f(int n, int A[n]) { A[0] = sq(1, 2); }", "2:34: macro sq has 1 parameters, not 2 [bad-syntax]"},
	{"#define sq(x) x * x\nvoid f(int n, int A[n]) { A[0] = sq(1; }", "2:34: the arguments of macro sq have no end [bad-syntax]"},
	// functions
	{"", "1:1: a file without a function [unbound-name]"},
	{"int g;\nvoid f(int n) {}", "1:1: variables and types outside functions: the subset of C has none [unsupported-op]"},
	{"typedef int t;", "1:1: typedef: the subset of C has none [unsupported-op]"},
	{"void f(int n) {}\nvoid g(int n) {}", "1:1: one of f, g is meant: FILE:NAME says which [unbound-name]"},
	{"void f(int n) {}\nvoid f(int n) {}", "2:6: function f is defined already, at x.c:1:6 [redefined-name]"},
	{"void f(int n) {", "1:15: a { without its } [bad-syntax]"},
	{"int *f(int n) { }", "1:5: functions that return pointers: the subset of C has none [unsupported-op]"},
	{"int f(int n) { }", "1:5: f ends without a return [unsupported-op]"},
	{"void f(int n) { return 1; }", "1:17: f returns nothing [bad-syntax]"},
	{"int f(int n) { if (n > 1) return 1; return 2; }", "1:27: a return before the end of a function [unsupported-op]"},
	{"void f(int n, float **A) {}", "1:22: pointers to pointers: the subset of C has none [unsupported-op]"},
	{"void f(int n, int A[n][]) {}", "1:24: only the first extent of A may be left out [bad-syntax]"},
	{"void f(int n, int (*g)(int)) {}", "1:23: of declarations in parentheses there is (*NAME)[N] [unsupported-op]"},
	{"void f(int n, DATA_TYPE A[n]) {}",
		"1:15: DATA_TYPE is defined in a header, which is not read: write #define DATA_TYPE double, or float, or int [unbound-name]"},
	{"void f(int n, double A[n]) { A[0] = SCALAR_VAL(1.0); }",
		"1:37: DATA_TYPE is defined in a header, which is not read: write #define DATA_TYPE double, or float, or int [unbound-name]"},
	{"void f(n) {}", "1:8: a parameter TYPE NAME, not n [bad-syntax]"},
	{"void f(int n, long short x) {}", "1:15: a type, not long short [bad-syntax]"},
	{"void f(int n, int n) {}", "1:19: n is declared already, at x.c:1:12 [redefined-name]"},
	{"void f(int A[n], int n) {}", "1:14: n is not declared [unbound-name]"},
	{"void f(int n) { f(n); }", "1:17: f calls itself [unsupported-op]"},
	// statements
	{"void f(int n) { while (n) ; }",
		"1:17: no statement of the loop steps what its condition is about, as i++ does, whatever holds [not-static-control]"},
	{"void f(int n) { while (n) if (n > 3) n--; }",
		"1:17: no statement of the loop steps what its condition is about, as i++ does, whatever holds [not-static-control]"},
	{"void f(int n) { int i = 0; while (i < n) { i++; i++; } }",
		"1:49: i is the counter of a loop, which changes it once [not-static-control]"},
	{"void f(int n) { int i = 0; while (i++ < i) { } }",
		"1:35: i++ where i occurs once more: C does not say which is first [unsupported-op]"},
	{"void f(int n) { int i = n; do { i--; } while (i < n); }",
		"1:47: a do goes on while its counter, which goes in steps by a number, is before an end: while (i < n) [not-static-control]"},
	{"void f(int n) { int i = 0, m = n; do { i++; m--; } while (i < m); }",
		"1:45: the end of a loop changes in it [not-static-control]"},
	{"void f(int n) { for (int i = 0; i != n; i += 2) ; }",
		"1:33: != is all of the condition of a loop whose step is 1 or -1, or none of it [unsupported-op]"},
	{"void f(int n) { for (int i = 0; i < n; i++) break; }", "1:45: break: the subset of C has none [unsupported-op]"},
	{"void f(int n) { goto a; a: ; }", "1:17: goto: the subset of C has none [unsupported-op]"},
	{"void f(int n, int A[n]) { A[0] = 1 }", "1:36: ; ends a statement, not } [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0]; }", "1:27: A[0] does nothing [unsupported-op]"},
	{"void f(int n, int A[n]) { else A[0] = 1; }", "1:27: an else without its if [bad-syntax]"},
	{"void f(int n, int A[n]) { int *p; }", "1:32: local pointers without a value, and arrays without an extent: the subset of C has none [unsupported-op]"},
	{"void f(int n, int A[n]) { int *p = A; p = A; }", "1:43: A is an array and no number [unsupported-op]"},
	{"void f(int n, const int A[n]) { int *p = A; }", "1:42: A is const, and p is not [unsupported-op]"},
	{"void f(int n, int A[n]) { int *p = A; *p++ = *p; }", "1:40: p++ where p occurs once more: C does not say which is first [unsupported-op]"},
	{"int g = 2;\nvoid f(int n) {}", "1:5: variables outside functions: the subset of C has const ones with a value alone [unsupported-op]"},
	{"enum { A, A };\nvoid f(int n) {}", "1:11: A is defined already [redefined-name]"},
	{"void f(int n, int A[n]) { static int s; A[0] = s; }", "1:27: locals that outlive a call: the subset of C has none but const ones [unsupported-op]"},
	{"void f(int n, int A[n]) { volatile int s; A[0] = s; }", "1:27: volatile: the subset of C has none [unsupported-op]"},
	{"void f(int n, int A[n]) { A[0] = sizeof(int); }", "1:34: sizeof: the subset of C has none [unsupported-op]"},
	{"void f(int n, int A[n]) { int t[n] = {0}; A[0] = t[0]; }", "1:33: C sets an array whose extents are numbers, and no other [unsupported-op]"},
	{"void f(int n, int A[n]) { int t[2] = {1, 2, 3}; A[0] = t[0]; }", "1:45: more values than the 2 of t [bad-syntax]"},
	// names
	{"void f(int n, int Acc[n]) { Ac[0] = 1; }", "1:29: Ac is not declared; did you mean Acc? [unbound-name]"},
	{"void f(int n, float A[n]) { A[0] = sqtr(A[0]); }", "1:36: sqtr is no function of the file or of math.h; did you mean sqrt? [unknown-call]"},
	{"void f(int n, float A[n]) { A[0] = sqrt(A[0], 1); }", "1:36: sqrt has 1 arguments, not 2 [bad-syntax]"},
	{"void f(int n, int A[n]) { int n2 = 1; int n2 = 2; A[0] = n2; }", "1:43: n2 is declared already, at x.c:1:31 [redefined-name]"},
	{"void f(int n, const int A[n]) { A[0] = 1; }", "1:33: A is const [writes-input]"},
	// control
	{"void f(int n, int A[n], const int P[n]) { A[P[0]] = 1; }", "1:45: P[0] is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{"void f(int n, int A[n]) { for (int i = 0; i < A[0]; i++) A[i] = 1; }", "1:47: A[0] is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{"void f(int n, int A[n]) { for (int i = 0; i < n; i++) { A[i] = 1; i = i + 1; } }", "1:67: i is the counter of a loop, which alone changes it [not-static-control]"},
	{"void f(int n, int A[n]) { int p = 0; for (int i = 0; i < n; i++) { A[p] = 1; p = p + i; } }", "1:70: p is no function of sizes and counters here: it changes in the loop at x.c:1:38 [not-static-control]\n" +
		"1:82: p is no function of sizes and counters here: it changes in the loop at x.c:1:38 [not-static-control]"},
	{"void f(int n, int A[n]) { for (int i = 1; i < n; i *= 2) A[i] = 1; }", "1:50: the step of a for is i++, i--, i += n or i -= n of its counter i [not-static-control]"},
	{"void f(int n, int A[n]) { for (int i = 0; n; i++) A[i] = 1; }",
		"1:43: n does not compare i with what is known when the loop begins [not-affine]"},
	{"void f(int n, int A[n]) { for (int i = 0; i * i < n; i++) A[i] = 1; }", "1:43: i * i: a product of two counters [not-affine]"},
	{"void f(int n, int A[n]) { for (int i = 0; i % 3 < n; i++) A[i] = 1; }", "1:43: i % 3 < n does not compare i with what is known when the loop begins [not-affine]"},
	{"void f(int n, int A[n]) { for (;;) A[0] = 1; }", "1:27: a loop without a condition or a step: the subset of C has none [unsupported-op]"},
	{"void f(int n, int A[n]) { for (int i = 0, j = 0; i < n; i++, j += i) A[i] = 1; }", "1:67: i is the counter of a loop, which alone changes it there [not-static-control]"},
	{"void f(int n, int A[n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i * j] = 1; }", "1:85: i * j: a product of two counters [not-affine]"},
	{"void f(int n, int A[n]) { for (int i = 0; i < n; i++) A[n / (i + 1)] = 1; }", "1:57: n / (i + 1): a division by a counter [not-affine]"},
	{"void f(int n, int A[n]) { for (int i = 0; i < n; i++) A[1 << i] = 1; }", "1:57: 1 << i: a shift by what is no number [not-affine]"},
	{"void f(int n, int A[n]) { for (int i = 0; i < n; i++) A[i ^ 1] = 1; }", "1:57: i ^ 1: of operations on bits there are remainders of powers of 2 [not-affine]"},
	{"void f(int n, int A[n]) { A[n / 0] = 1; }", "1:29: n / 0: a division by 0 [unsupported-op]"},
	{"void f(int n, int A[n]) { int p = 0; for (int i = 0; i < n; i++) A[p++] = p; }", "1:68: p++ where p occurs once more: C does not say which is first [unsupported-op]"},
	{"void f(int n, float A[n]) { A[1.5] = 1; }", "1:31: 1.5 is no integer: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{"void f(int n, int A[n]) { int t; A[t] = 1; }", "1:36: t is no function of sizes and counters here: it has no value yet [not-static-control]"},
	{"void f(int n, int A[n]) { int t = A[0]; A[t] = 1; }", "1:35: A[0] is data, and t is in a subscript, a bound or an extent [not-static-control]"},
	{"void f(int n, int A[n]) { int t = 0; if (A[0] > 1) t = 1; A[t] = 1; }", "1:52: t is no function of sizes and counters: it is assigned as data says [not-static-control]"},
	{"void f(int n, int A[n]) { if (A[0] > 1) for (int i = 0; i < n; i++) A[i] = 1; }", "1:31: A[0] > 1 is data: the branches of such an if hold assignments and such ifs, not a loop [not-static-control]"},
	{"static int g(int x) { return x; }\nvoid f(int n, int A[n]) { A[g(A[0])] = 1; }", "2:31: A[0] is data, and parameter x of g is in a subscript, a bound or an extent [not-static-control]"},
	// data
	{"void f(int n, float A[n]) { A[0] = A[0] % 2; }", "1:36: % of float and int [unsupported-op]"},
	{"void f(int n, float A[n]) { A[0] = ~A[0]; }", "1:36: ~ of a float [unsupported-op]"},
	{"void f(int n, float A[n]) { A[0] = A[0] << 1; }", "1:36: << of float and int [unsupported-op]"},
	{"void f(int n, int A[n][n]) { A[0] = 1; }", "1:30: A has 2 extents, and 1 subscripts here [unsupported-op]"},
	{"void f(int n, int A[n]) { A = 1; }", "1:27: A cannot be assigned [bad-syntax]"},
	{"void f(int n, int A[n]) { A[0] = A; }", "1:34: A is an array and no number [unsupported-op]"},
	{"void f(int n, int A[n]) { A[0] = A[1]++; }", "1:34: ++ within an expression: an assignment is a statement of its own [unsupported-op]"},
	{"void f(int n, int A[n]) { A[0] = *(A + 1); }", "1:35: (A + 1) is not the name of an array [unsupported-op]"},
	// calls
	{"static void g(int n, float *x) { x[0] = 1; }\nvoid f(int n, int A[n]) { g(n, A); }", "2:32: A has elements of type int, and x of type float [unsupported-op]"},
	{"static void g(int n, int *x) { x[0] = 1; }\nvoid f(int n, int A[n][n]) { g(n, A); }", "2:35: A is not what x takes: 2 extents, not 1 [unsupported-op]"},
	{"static void g(int n, int *x) { x[0] = 1; }\nvoid f(int n, const int A[n]) { g(n, A); }", "2:38: A is const, and x is not [unsupported-op]"},
	{"static int g(int *x) { x[0] = 1; return 2; }\nvoid f(int n, int A[n]) { A[0] = A[0] + g(A); }", "2:41: g writes an array: such a call is a statement, or all that is assigned [unsupported-op]"},
	{"static void g(int x) { }\nvoid f(int n, int A[n]) { g(n, n); }", "2:27: g has 1 parameters, not 2 [bad-syntax]"},
	{"static int g(int x) { int y = z; return y; }\nvoid f(int n, int A[n]) { A[0] = g(A[0]); A[1] = g(2); }", "1:31: z is not declared [unbound-name]"},
	// several
	{"void f(int n, int A[n]) {\n  A[0] = B[0];\n  for (int i = 0; i < n; i++) {\n    C[i] = 1;\n    A[A[i]] = 2;\n  }\n}", "2:10: B is not declared [unbound-name]\n4:5: C is not declared [unbound-name]\n5:7: A[i] is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
}

func TestBad(t *testing.T) {
	for _, test := range bad {
		_, err := cnest.Parse(source.NewFile("x.c", test.text), "")
		if err == nil {
			t.Errorf("%s\nis read, want %s", test.text, test.want)
			continue
		}
		if want := "x.c:" + strings.ReplaceAll(test.want, "\n", "\nx.c:"); err.Error() != want {
			t.Errorf("%s\n  %s\nwant\n  %s", test.text, err, want)
		}
	}
}

func TestFunctionByName(t *testing.T) {
	text := "static int g(int x) { return x; }\nvoid f(int n, int A[n]) { A[0] = g(A[0]); }\nvoid h(int n, int A[n]) { A[0] = 2; }"
	for name, want := range map[string]string{"f": "", "g": "", "h": "",
		"ff": "x.c:1:1: there is no function ff; did you mean f? [unbound-name]", "": "x.c:1:1: one of f, h is meant: FILE:NAME says which [unbound-name]"} {
		p, err := cnest.Parse(source.NewFile("x.c", text), name)
		if want == "" && (err != nil || p.Name != name) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("function %q: %v, want %s", name, err, want)
		}
	}
}

// TestWords: a text of many words is refused before anything is made of them.
func TestWords(t *testing.T) {
	text := "void f(int n, int A[n]) {" + strings.Repeat(";", 1<<20) + "}"
	_, err := cnest.Parse(source.NewFile("x.c", text), "")
	if list := source.AsErrors(err); len(list) != 1 || list[0].Code != "too-large" {
		t.Errorf("%.200v, want too-large", err)
	}
}
