package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tv/ci"
	"tv/equiv"
	"tv/glenside"
	"tv/internal/source"
)

var update = flag.Bool("update", false, "write generated files and golden ones")

const root = "../../../.."

// run runs tv and returns its exit status and what it wrote.
func run(args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	exit = Main(args, strings.NewReader(""), &out, &errs)
	return exit, out.String(), errs.String()
}

func TestErrorReference(t *testing.T) {
	file := filepath.Join(root, "doc", "errors.md")
	got := errorReference()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("doc/errors.md (-file +tables; go test -update writes it):\n%s", diff)
	}
}

// The examples of our own codes trigger them; those of the language are glenside's to test.
func TestCodeExamples(t *testing.T) {
	for _, c := range slices.Concat(ownCodes, ilaCodes, importCodes(), fuzzCodes) {
		if c.run == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			archive := txtar.Parse([]byte(c.run))
			t.Chdir(t.TempDir())
			for _, f := range archive.Files {
				if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			args := strings.Fields(string(archive.Comment))
			exit, _, stderr := run(args[1:]...)
			if exit != exitError || !strings.Contains(stderr, "["+c.Name+"]\n") {
				t.Errorf("%s: exit %d\n%s", archive.Comment, exit, stderr)
			}
		})
	}
}

// Every code that some package gives an error is in the tables, and no code is there twice.
func TestCodesAreKnown(t *testing.T) {
	known := map[string]bool{}
	for _, c := range Codes() {
		if known[c.Name] {
			t.Errorf("code %s is in the tables twice", c.Name)
		}
		known[c.Name] = true
	}
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			for _, e := range codeExpressions(n) {
				lit, ok := e.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue // a constant or a variable, whose value is given elsewhere
				}
				seen++
				if code, err := strconv.Unquote(lit.Value); err != nil || !known[code] {
					t.Errorf("%s: code %s is not in the tables", file, lit.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Errorf("saw %d codes only: does the test still look at the right places?", seen)
	}
}

// codeExpressions returns the codes in a call of source.Errorf or a source.Error.
func codeExpressions(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Errorf" && len(n.Args) > 1 {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "source" {
				return n.Args[1:2]
			}
		}
	case *ast.CompositeLit:
		if sel, ok := n.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Error" {
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Code" {
						return []ast.Expr{kv.Value}
					}
				}
			}
		}
	}
	return nil
}

// programs returns the texts of all programs in the tree that parse.
func programs(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	examples, err := filepath.Glob(filepath.Join(root, "examples", "*.sexp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range examples {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	litmus, err := filepath.Glob(filepath.Join(root, "testdata", "check", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range litmus {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			texts[name+"/"+f.Name] = string(f.Data)
		}
	}
	return texts
}

// Formatting keeps programs and comments, and formatting again changes nothing.
func TestFormatKeeps(t *testing.T) {
	checked := 0
	for name, text := range programs(t) {
		p, err := glenside.Parse(source.NewFile(name, text))
		if err != nil {
			continue
		}
		checked++
		once := formatProgram(p, false)
		q, err := glenside.Parse(source.NewFile(name, once))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, once)
			continue
		}
		if twice := formatProgram(q, false); twice != once {
			t.Errorf("%s changes when formatted again:\n%s\nthen\n%s", name, once, twice)
		}
		if glenside.Format(p) != glenside.Format(q) {
			t.Errorf("%s is another program when formatted", name)
		}
		shared := formatProgram(p, true)
		if q, err := glenside.Parse(source.NewFile(name, shared)); err != nil || expanded(q) != expanded(p) {
			t.Errorf("%s is another program when shared: %v\n%s", name, err, shared)
		} else if again := formatProgram(q, true); again != shared || formatProgram(q, false) != shared {
			t.Errorf("%s changes when shared again:\n%s\nthen\n%s", name, shared, again)
		}
		before, after := comments(text), comments(once)
		slices.Sort(before)
		slices.Sort(after)
		if !slices.Equal(before, after) {
			t.Errorf("%s loses comments: %q, then %q", name, before, after)
		}
	}
	if checked < 20 {
		t.Errorf("formatted %d programs only", checked)
	}
}

// expanded lists the nodes of a program, which definitions must not change.
func expanded(p *glenside.Program) string {
	var b strings.Builder
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "%d %q %s", n.Kind, n.Text, n.Int)
		if n.Op != nil {
			b.WriteString(n.Op.Name)
		}
		for _, a := range n.Args {
			fmt.Fprintf(&b, " %d", a.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestFormatProgram(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"header", "; one\n\n; two\n\n(access A 1)", "; one\n\n; two\n\n(access (access-tensor A) 1)\n"},
		{"no header", "; two\n(access A 1)", "; two\n(access (access-tensor A) 1)\n"},
		{"trailing", "(input A (shape 2)) ; here\n(access A 1) ; there",
			"(input A (shape 2)) ; here\n(access (access-tensor A) 1) ; there\n"},
		{"inside", "(access A ; x ) y\n 1)", "; x ) y\n(access (access-tensor A) 1)\n"},
		{"quoted", `(access "a;b" 1)`, "(access (access-tensor \"a;b\") 1)\n"},
		{"byte order mark", "\ufeff; one\r\n(access A 1)\r\n", "; one\n(access (access-tensor A) 1)\n"},
		{"blank lines", "\n\n\n(input A (shape 2))\n\n\n\n(access A 1)\n\n",
			"(input A (shape 2))\n\n(access (access-tensor A) 1)\n"},
		{"definitions", "; H is\n(define H (access A 1)) ; that\n; A is\n(input A (shape 2))\n; both\n(access-pair H ; twice\n H) ; end",
			"; A is\n(input A (shape 2))\n; H is\n(define H (access (access-tensor A) 1)) ; that\n; both\n; twice\n" +
				"(access-pair H H) ; end\n"},
		{"only a name", "(define H (access A 1)) H", "(define H (access (access-tensor A) 1))\nH\n"},
	} {
		p, err := glenside.Parse(source.NewFile("a.sexp", test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := formatProgram(p, false); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestExitStatus(t *testing.T) {
	item := func(v, want equiv.Verdict) ci.Item { return ci.Item{Result: equiv.Result{Verdict: v}, Want: want} }
	proved, refuted := item(equiv.Proved, equiv.Proved), item(equiv.Refuted, equiv.Refuted)
	unknown := item(equiv.Unknown, equiv.Proved)
	hoped, other := item(equiv.Refuted, equiv.Proved), item(equiv.Refuted, equiv.Proved)
	other.Name = "other"
	base := map[string]bool{refuted.Print(): true}
	failed, stopped := ci.Item{Errors: source.Errors{{Code: "usage"}}}, source.Errors{{Code: "interrupted"}}
	for _, test := range []struct {
		name string
		run  ci.Run
		want int
	}{
		{"nothing asked", ci.Run{}, 2},
		{"proved", ci.Run{Items: []ci.Item{proved, proved}}, 0},
		{"refuted", ci.Run{Items: []ci.Item{proved, refuted}}, 1},
		{"unknown", ci.Run{Items: []ci.Item{proved, unknown}}, 3},
		{"refuted beats unknown", ci.Run{Items: []ci.Item{unknown, refuted}}, 1},
		{"errors beat both", ci.Run{Items: []ci.Item{unknown, refuted, failed}}, 2},
		{"errors of the run", ci.Run{Items: []ci.Item{proved}, Errors: source.Errors{{Code: "usage"}}}, 2},
		{"as wanted", ci.Run{Expect: true, Items: []ci.Item{proved, refuted}}, 0},
		{"unknown is not proved", ci.Run{Expect: true, Items: []ci.Item{proved, unknown}}, 1},
		{"unknown is wanted", ci.Run{Expect: true, Items: []ci.Item{item(equiv.Unknown, equiv.Unknown)}}, 0},
		{"an error is never wanted", ci.Run{Expect: true, Items: []ci.Item{refuted, failed}}, 2},
		{"known", ci.Run{Items: []ci.Item{proved, refuted}, Baseline: base}, 0},
		{"unknown beside known", ci.Run{Items: []ci.Item{unknown, refuted}, Baseline: base}, 3},
		{"an error beside known", ci.Run{Items: []ci.Item{failed, refuted}, Baseline: base}, 2},
		{"another than known", ci.Run{Items: []ci.Item{refuted, other}, Baseline: base}, 1},
		{"known and not wanted", ci.Run{Expect: true, Items: []ci.Item{hoped}, Baseline: base}, 0},
		{"unknown and not wanted", ci.Run{Expect: true, Items: []ci.Item{unknown}, Baseline: base}, 1},
		{"interrupted", ci.Run{Items: []ci.Item{refuted, failed}, Errors: stopped}, 130},
	} {
		if got := exitStatus(&test.run); got != test.want {
			t.Errorf("%s: exit %d, want %d", test.name, got, test.want)
		}
	}
}

// After an interrupt what is answered is reported, and nothing waits for what is not.
func TestInterruptedQuestions(t *testing.T) {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	ctx, cancel := context.WithCancel(context.Background())
	p, err := glenside.Parse(source.NewFile("a.sexp", "(input A (shape 2))\n(access A 1)"))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := glenside.Parse(source.NewFile("b.sexp", "(access A 1)"))
	if err != nil {
		t.Fatal(err)
	}
	stuck := make(chan struct{})
	defer close(stuck)
	questions := []*question{
		{load: func() (*pair, error) { return &pair{before: language.Of(p), after: language.Of(bare)}, nil }},
		{load: func() (*pair, error) { cancel(); <-stuck; return nil, context.Canceled }},
		{load: func() (*pair, error) { t.Error("asked after the interrupt"); return nil, context.Canceled }},
	}
	flags := &checkFlags{questionFlags: newQuestionFlags(), jobs: 1}
	flags.format = newChoice("json")
	answers := a.ask(ctx, flags, questions)
	if answers[0] == nil || len(answers[0].errs) > 0 || answers[0].result.Verdict != equiv.Proved || answers[1] != nil || answers[2] != nil {
		t.Fatalf("answers %+v", answers)
	}
	r := &ci.Run{}
	a.finish(r, flags, questions, answers, false, true)
	if got := exitStatus(r); got != exitInterrupted {
		t.Errorf("exit %d, want %d", got, exitInterrupted)
	}
	var b bytes.Buffer
	if err := ci.Write(&b, "json", r, ci.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `"summary":{"proved":1,"refuted":0,"unknown":0},"errors":[{"code":"interrupted"`
	if !strings.Contains(b.String(), want) {
		t.Errorf("no %s in %s", want, b.String())
	}
}

// interrupt interrupts the process.
func interrupt(t *testing.T) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Error(err)
	}
}

// A readerFunc reads by a function.
type readerFunc func(data []byte) (int, error)

func (f readerFunc) Read(data []byte) (int, error) { return f(data) }

// An interrupt ends a command that waits for its standard input.
func TestInterruptedRead(t *testing.T) {
	waiting := make(chan struct{})
	defer close(waiting)
	stdin := readerFunc(func([]byte) (int, error) { interrupt(t); <-waiting; return 0, io.EOF })
	var stderr bytes.Buffer
	if got := Main([]string{"fmt", "-"}, stdin, io.Discard, &stderr); got != exitInterrupted {
		t.Errorf("exit %d, want %d: %s", got, exitInterrupted, &stderr)
	}
}

func TestGuard(t *testing.T) {
	var stderr bytes.Buffer
	t.Setenv("TV_DEBUG", "")
	err := guard(&stderr, func() error { panic("odd") })
	if err == nil || !strings.HasSuffix(err.Error(), "[internal]") || stderr.Len() > 0 {
		t.Errorf("guard: %v, %s", err, &stderr)
	}
	t.Setenv("TV_DEBUG", "1")
	err = guard(&stderr, func() error { panic("odd") })
	if err == nil || !strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("TV_DEBUG shows no stack: %s", &stderr)
	}
}

func TestByteSize(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"4GiB", "4GiB"}, {"4096MiB", "4GiB"}, {"2000000", "2000000"}, {"2000000B", "2000000"}, {"1536KiB", "1536KiB"},
		{"4", "error"}, {"1048575", "error"}, {"1048576", "1MiB"}, {"0", "error"}, {"-1", "error"}, {"4GB", "error"}, {"GiB", "error"},
		{"9999999999TiB", "error"}, {"", "error"},
	} {
		var b byteSize
		got := "error"
		if b.Set(test.in) == nil {
			got = b.String()
		}
		if got != test.want {
			t.Errorf("byteSize %q is %s, want %s", test.in, got, test.want)
		}
	}
}

// TestNoSolver: an unknown for which a solver was wanted that is not there says so; one that was not to be asked is not
// missed, nor is one whose engine had nothing to do.
func TestNoSolver(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	before := write("before.sexp", "(input A (shape 3) sat8)\n(relay-operator-call relay-left-shift A 1)\n")
	after := write("after.sexp", "(relay-operator-call relay-maximum (relay-operator-call relay-add A A) "+
		"(relay-operator-call relay-left-shift A 1))\n")
	t.Setenv("PATH", dir)
	for _, test := range []struct {
		args []string
		exit int
		said bool
	}{
		{[]string{before, after, "--arith=exact", "--solver=cvc5"}, exitUnknown, true},
		{[]string{before, after, "--arith=exact", "--solver=none"}, exitUnknown, false},
		{[]string{before, before, "--arith=exact", "--solver=cvc5"}, exitProved, false},
	} {
		var out, errs bytes.Buffer
		status := Main(append([]string{"check"}, test.args...), nil, &out, &errs)
		if said := strings.Contains(out.String(), "\n  no cvc5 was found, so its engine was skipped; tv doctor "); status != test.exit ||
			said != test.said {
			t.Errorf("%s: exit status %d, want %d; missing solver said: %t, want %t\n%s%s",
				test.args, status, test.exit, said, test.said, &out, &errs)
		}
	}
}

func TestShellQuote(t *testing.T) {
	want := `tv 'a b.sexp' '' 'it'\''s' A=2x3:int8`
	if got := shellQuote("tv", "a b.sexp", "", "it's", "A=2x3:int8"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A slowWriter is interrupted and takes its time.
type slowWriter struct {
	bytes.Buffer
	t *testing.T
}

func (w *slowWriter) Write(data []byte) (int, error) {
	interrupt(w.t)
	time.Sleep(2*interruptGrace + 300*time.Millisecond)
	return w.Buffer.Write(data)
}

// An interrupt leaves reports whole, however long it takes to write them.
func TestInterruptedReport(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.sexp", []byte("(input A (shape 2))\n(access A 1)"), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout := &slowWriter{t: t}
	if got := Main([]string{"check", "a.sexp", "a.sexp", "--report", "json=r.json"}, strings.NewReader(""), stdout,
		io.Discard); got != exitProved {
		t.Errorf("exit %d, want %d: all was answered", got, exitProved)
	}
	if data, err := os.ReadFile("r.json"); err != nil || !strings.HasSuffix(string(data), "}\n") {
		t.Errorf("the second report is %q, %v", data, err)
	}
}

// A fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// What cannot be written to standard output is an error, of helps and completions too.
func TestStdoutFull(t *testing.T) {
	for _, args := range []string{"--help", "check --help", "help files", "completion bash", "explain", "version", "doctor",
		"ila list", "fmt " + filepath.Join(root, "examples", "matmul.sexp")} {
		var stderr bytes.Buffer
		exit := Main(strings.Fields(args), strings.NewReader(""), fullDisk{}, &stderr)
		if want := "standard output: cannot be written: no space left on device [file-unwritable]\n"; exit != exitError ||
			stderr.String() != want {
			t.Errorf("tv %s: status %d, %q; want %d, %q", args, exit, stderr.String(), exitError, want)
		}
	}
}

// TestCommandNames checks that commands are found by the names that they have.
func TestCommandNames(t *testing.T) {
	for name, command := range (&app{}).commands() {
		if got := command().Name(); got != name {
			t.Errorf("command %s is called %s", got, name)
		}
	}
}
