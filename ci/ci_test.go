package ci

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/internal/source"
	"tv/semantics/domain"
)

var update = flag.Bool("update", false, "write the golden files")

// firstLine is the form that the first line of a result promises.
var firstLine = regexp.MustCompile(
	`^(proved|refuted|unknown): .+ => .+ \((real|exact), (tensor|access), [^,]+, [a-z-]+(, [0-9.]+ ms)?\)$`)

func elem(t *testing.T, name string) domain.Elem {
	t.Helper()
	e, ok := domain.ParseElem(name)
	if !ok {
		t.Fatalf("no element type %s", name)
	}
	return e
}

// everything returns a run with a result of every kind and every field in use.
func everything(t *testing.T) *Run {
	after := source.NewFile("after.sexp", "(input A (shape 2))\n(compute relu\n\t(access A 1))\n")
	span := source.Span{File: after, Start: 21, End: 49}
	small := sample.InputValue{Name: "A", Dims: []int64{2, 2}, Elem: elem(t, "int8")}
	small.Sparse = map[int64]string{3: "-1"}
	large := sample.InputValue{Name: "W", Dims: []int64{1, 64, 56, 56}, Elem: elem(t, "float32")}
	large.Sparse = map[int64]string{9581: "1"}
	full := sample.InputValue{Name: "F", Dims: []int64{20}, Elem: elem(t, "float64"), Sparse: map[int64]string{}}
	for i := range int64(20) {
		full.Sparse[i] = "7"
	}
	full.Sparse[2] = "0x1p-3"
	scalar := sample.InputValue{Name: "s", Elem: elem(t, "bool"), Sparse: map[int64]string{0: "1"}}
	hash := strings.Repeat("0a", 32)
	return &Run{
		Version: "v0.0.0", Args: []string{"check", "--arith=exact", "a b.sexp"},
		Exit: 2, Timing: true, Expect: true,
		Errors: source.Errors{{Code: "interrupted", Msg: "stopped"}},
		Items: []Item{
			{
				Name: "refuted.txtar", Want: equiv.Refuted, Replay: "tv replay cx.txtar",
				Result: equiv.Result{
					Before: "before.sexp", After: "after.sexp", SHA256: hash, Verdict: equiv.Refuted, Reason: "values",
					Detail: "the values differ", Engine: "sample", Domain: []string{"N >= 3", "16 | K"},
					Counterexample: &sample.Counterexample{
						Point: domain.Point{"N": 3, "K": 16}, Inputs: []sample.InputValue{small, large, full, scalar},
						Path: []int{1, 0}, Index: []int64{0, 2}, Before: "3", After: "undefined",
						ReadBefore: "A[0,1]·W[0,3,5,5]", Seed: 1,
					},
					Blame:   []sample.Blame{{Side: "after", Span: span, Text: "(compute relu\n\t(access A 1))"}},
					Regions: []string{"rows 0 and 55", "columns 0 to 2"},
					Stats:   equiv.Stats{Nodes: 4, Terms: 5, Queries: 1, Contexts: 1, Samples: 9}, Elapsed: 1234567,
				},
			},
			{
				Name: "proved.txtar", Want: equiv.Refuted,
				Result: equiv.Result{
					Before: "p.sexp", After: "q.sexp", SHA256: hash, Verdict: equiv.Proved, Engine: "normal-form",
					Equal: equiv.Access, Domain: []string{"N >= 1"}, Point: domain.Point{"N": 1},
					Exact: []equiv.ExactVerdict{
						{Type: elem(t, "int8"), Verdict: "yes"}, {Type: elem(t, "int16"), Verdict: "yes"},
						{Type: elem(t, "float32"), Verdict: "no", Reason: "sums are reordered",
							Witness: &sample.Counterexample{
								Inputs: []sample.InputValue{scalar}, Index: []int64{0}, Before: "0", After: "-0",
							}},
						{Type: elem(t, "float64"), Verdict: "unknown", Reason: "no witness"},
					},
					RestsOn:   []equiv.Contract{{Name: "flex-linear", Verdict: equiv.Unknown}},
					Idealised: []string{"vta-dense"},
					Trusts:    []string{"z3 4.8.12"}, Where: []string{"D[i] != 0", "0 <= E[i]"},
					Explanation: []string{"before: a sum\nover k", "after: the same"}, Elapsed: 20 * time.Microsecond,
				},
			},
			{
				Name: "unknown.txtar", Want: equiv.Unknown,
				Result: equiv.Result{
					Before: "-", After: "x\ny", Reason: "timeout", Arith: equiv.Exact, Elapsed: time.Minute,
				},
			},
			{Name: "failed.txtar", Errors: source.Errors{source.Errorf(span, "shape-mismatch", "2 is not 3")}},
			{Name: "open.txtar", Open: true, Result: equiv.Result{Before: "o.sexp", After: "p.sexp"}},
		},
	}
}

func TestText(t *testing.T) {
	for name, opts := range map[string]TextOptions{
		"everything": {}, "quiet": {Quiet: true}, "verbose": {Verbose: true}, "color": {Color: true, Quiet: true},
	} {
		var b bytes.Buffer
		if err := textReport(&b, everything(t), opts); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", b.String())
	}
	run := everything(t)
	run.Items, run.Chain, run.Expect, run.Timing = run.Items[:3], true, false, false
	run.Items[0], run.Items[1] = run.Items[1], run.Items[0]
	var b bytes.Buffer
	if err := textReport(&b, run, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "chain.txt", b.String())
}

// TestManyOpen stops a run with many questions: the first of those without an answer are listed, the others counted.
func TestManyOpen(t *testing.T) {
	for _, rules := range []bool{false, true} {
		run := &Run{Rules: rules}
		for i := range maxOpen + 5 {
			run.Items = append(run.Items, Item{Name: fmt.Sprintf("rule%d", i), Open: true,
				Result: equiv.Result{Before: fmt.Sprintf("b%d", i), After: fmt.Sprintf("a%d", i)}})
		}
		var b bytes.Buffer
		if err := textReport(&b, run, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if n := strings.Count(got, "not answered: b"); n != maxOpen {
			t.Errorf("%d questions are listed, want %d:\n%s", n, maxOpen, got)
		}
		for _, want := range []string{"\nnot answered: 5 more\n", "0 unknown, 15 not answered\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if strings.Contains(got, "rule0") {
			t.Errorf("the table has rules without an answer:\n%s", got)
		}
	}
}

// TestLongReason prints a reason of pages in part, and in full if asked for.
func TestLongReason(t *testing.T) {
	long := strings.Repeat("+ A@(i0)·B@(i1) ", 1000)
	r := equiv.Result{Before: "b.sexp", After: "a.sexp", Reason: "incomplete", Detail: long}
	run := &Run{Items: []Item{{Result: r}}}
	for _, verbose := range []bool{false, true} {
		var b bytes.Buffer
		if err := textReport(&b, run, TextOptions{Verbose: verbose}); err != nil {
			t.Fatal(err)
		}
		if cut := strings.HasSuffix(strings.Split(b.String(), "\n")[1], " ... (-v prints all)"); cut == verbose {
			t.Errorf("verbose %v: cut %v", verbose, cut)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
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
		t.Errorf("%s (-want +got; go test -update writes it):\n%s", name, diff)
	}
}

func TestFirstLine(t *testing.T) {
	run := everything(t)
	for _, r := range []equiv.Result{
		run.Items[0].Result, run.Items[1].Result, run.Items[2].Result, {},
		{Before: "a, b", After: "c (d)", Domain: []string{"(f 1, 2)"}, Engine: "smt"},
	} {
		for _, timed := range []bool{true, false} {
			if line := FirstLine(&r, timed); !firstLine.MatchString(line) {
				t.Errorf("%q does not match", line)
			}
		}
	}
}

// validate checks a document against the schema.
func validate(t *testing.T, doc []byte) {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%v\n%s", err, doc)
	}
}

func TestJSON(t *testing.T) {
	run := everything(t)
	for _, timing := range []bool{true, false} {
		run.Timing = timing
		var b bytes.Buffer
		if err := jsonReport(&b, run); err != nil {
			t.Fatal(err)
		}
		validate(t, b.Bytes())
		if has := strings.Contains(b.String(), "timing") || strings.Contains(b.String(), "_ms"); has != timing {
			t.Errorf("timing %t, but times in the report: %t", timing, has)
		}
		if !timing {
			var indented bytes.Buffer
			if err := json.Indent(&indented, cut(b.Bytes()), "", " "); err != nil {
				t.Fatal(err)
			}
			golden(t, "everything.json", indented.String())
		}
	}
	var b bytes.Buffer
	if err := jsonReport(&b, &Run{}); err != nil {
		t.Fatal(err)
	}
	validate(t, b.Bytes())
}

// longData is the elements of a large tensor, which a golden file need not hold.
var longData = regexp.MustCompile(`(?:"[^"]*",){100,}"[^"]*"`)

func cut(doc []byte) []byte { return longData.ReplaceAll(doc, []byte(`"..."`)) }

// Every error is reported once: the steps of a chain share programs.
func TestErrorsOnce(t *testing.T) {
	e := &source.Error{Code: "file-unreadable", Name: "p1.sexp", Msg: "cannot be read"}
	run := &Run{Items: []Item{{Errors: source.Errors{e}}, {Errors: source.Errors{e}}}}
	if all := run.AllErrors(); len(all) != 1 || all[0] != e {
		t.Errorf("AllErrors() = %v", all)
	}
}
