package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/internal/source"
)

// hostile returns a run of which every text is full of what formats use for themselves.
func hostile(t *testing.T) *Run {
	run := everything(t)
	run.Expect = false
	file := source.NewFile("dir/a:b,c%20 é.sexp", "(é\n::error::x)\n")
	span := source.Span{File: file, Start: 1, End: 5}
	odd := "]]>&<\x00\r\n::error::no\n%0A|`x`"
	run.Items[0].Result.Blame[0].Span = span
	run.Items[0].Result.Detail = odd
	run.Items[2].Name, run.Items[2].Result.Detail, run.Items[2].Place = odd, odd, span
	run.Items[3].Errors = source.Errors{
		source.Errorf(span, "shape-mismatch", "%s", odd), {Name: "/abs/b.sexp", Code: "file-unreadable", Msg: odd},
		{Name: "-", Code: "file-not-utf8", Msg: odd},
	}
	run.Baseline = map[string]bool{run.Items[0].Print(): true}
	return run
}

func write(t *testing.T, format string, r *Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	run := everything(t)
	run.Timing = false
	odd := hostile(t)
	odd.Timing = false
	for _, test := range []struct{ format, file string }{
		{"junit", "xml"}, {"sarif", "sarif"}, {"github", "github.txt"},
	} {
		golden(t, "everything."+test.file, write(t, test.format, run))
		golden(t, "hostile."+test.file, write(t, test.format, odd))
	}
	for name, r := range map[string]*Run{"everything": run, "hostile": odd} {
		var b bytes.Buffer
		if err := StepSummary(&b, r); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".summary.md", b.String())
	}
	if err := Write(&bytes.Buffer{}, "xml", run, TextOptions{}); err == nil {
		t.Error("a format that does not exist was written")
	}
}

// Reports say how long things took only where they are asked to.
func TestTimes(t *testing.T) {
	for _, format := range Formats {
		run := everything(t)
		run.Timing = false
		first := write(t, format, run)
		for i := range run.Items {
			run.Items[i].Result.Elapsed *= 3
		}
		if again := write(t, format, run); again != first {
			t.Errorf("%s without times depends on them:\n%s\nthen\n%s", format, first, again)
		}
	}
}

// The counts of a JUnit report are those of its elements, and every text survives.
func TestJUnit(t *testing.T) {
	for name, run := range map[string]*Run{"everything": everything(t), "hostile": hostile(t), "empty": {}} {
		type outcome struct {
			Message string `xml:"message,attr"`
			Text    string `xml:",chardata"`
		}
		var doc struct {
			XMLName xml.Name `xml:"testsuites"`
			Suites  []struct {
				Tests    int `xml:"tests,attr"`
				Failures int `xml:"failures,attr"`
				Errors   int `xml:"errors,attr"`
				Skipped  int `xml:"skipped,attr"`
				Cases    []struct {
					Name    string    `xml:"name,attr"`
					Failure []outcome `xml:"failure"`
					Error   []outcome `xml:"error"`
					Skipped []outcome `xml:"skipped"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		text := write(t, "junit", run)
		if err := xml.Unmarshal([]byte(text), &doc); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if len(doc.Suites) != 1 {
			t.Fatalf("%s: %d suites, want 1", name, len(doc.Suites))
		}
		suite, failures, errors, skipped := doc.Suites[0], 0, 0, 0
		for _, c := range suite.Cases {
			failures += len(c.Failure)
			errors += len(c.Error)
			skipped += len(c.Skipped)
			if c.Name == "" || len(c.Failure)+len(c.Error)+len(c.Skipped) > 1 {
				t.Errorf("%s: case %+v", name, c)
			}
		}
		if len(suite.Cases) != suite.Tests || failures != suite.Failures || errors != suite.Errors ||
			skipped != suite.Skipped {
			t.Errorf("%s: the counts of %+v are not those of its cases", name, suite)
		}
	}
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("testdata/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.schema.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	for name, run := range map[string]*Run{"everything": everything(t), "hostile": hostile(t), "empty": {}} {
		text := write(t, "sarif", run)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		var log sarifLog
		if err := json.Unmarshal([]byte(text), &log); err != nil {
			t.Fatal(err)
		}
		for _, res := range log.Runs[0].Results {
			rules := log.Runs[0].Tool.Driver.Rules
			if res.RuleIndex >= len(rules) || rules[res.RuleIndex].ID != res.RuleID {
				t.Errorf("%s: rule %d is not %s", name, res.RuleIndex, res.RuleID)
			}
			if (res.BaselineState != "") != (run.Baseline != nil) {
				t.Errorf("%s: baselineState %q", name, res.BaselineState)
			}
		}
	}
	// Near misses: the schema sees what is not SARIF.
	text := write(t, "sarif", everything(t))
	for _, change := range [][2]string{
		{`"version": "2.1.0"`, `"version": "2.0.0"`}, {`"startLine": 2`, `"startLine": 0`},
		{`"level": "error"`, `"level": "fatal"`}, {`"uri": "after.sexp"`, `"uri": "a%zz"`},
		{`"ruleIndex"`, `"ruleindex"`}, {`"columnKind": "unicodeCodePoints"`, `"columnKind": "runes"`},
	} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
		if err != nil {
			t.Fatal(err)
		}
		if wrong == text || schema.Validate(value) == nil {
			t.Errorf("%s in place of %s passes", change[1], change[0])
		}
	}
}

// A run of the GitHub format has no line that is a command but those that tv means.
func TestGitHubCommands(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning) ` +
		`(file=[^,:]+,(line=\d+,endLine=\d+,(col=\d+,endColumn=\d+,)?)?)?title=tv%3A [^,:]+::`)
	for _, run := range []*Run{everything(t), hostile(t)} {
		for line := range strings.Lines(write(t, "github", run)) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") != command.MatchString(line) {
				t.Errorf("not as tv writes commands: %s", line)
			}
			if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\r\n") {
				t.Errorf("breaks inside a line: %q", line)
			}
		}
	}
}

// A fingerprint says what is wrong: it moves with neither lines nor limits, and differs with all that matters.
func TestPrint(t *testing.T) {
	place := func(text string) source.Span { // of the relu in a file that holds text around it
		f := source.NewFile("after.sexp", text)
		start := strings.Index(text, "(compute")
		return source.Span{File: f, Start: start, End: strings.LastIndex(text, ")") + 1}
	}
	const expr = "(compute relu (access A 1))"
	item := func() *Item {
		it := &everything(t).Items[0]
		it.Result.Blame[0].Span, it.Result.Blame[0].Text = place("(input A (shape 2))\n"+expr), expr
		return it
	}
	first := item().Print()
	if len(first) != 64 {
		t.Fatalf("fingerprint %q", first)
	}
	moved := item()
	moved.Result.Blame[0].Span = place("; more\n\n(compute relu ; of A (\n  (access A 1))")
	moved.Result.Blame[0].Text = "(compute relu (acc..."
	moved.Result.SHA256, moved.Result.Engine, moved.Replay = "", "smt", ""
	moved.Result.Counterexample, moved.Result.Detail = nil, "another"
	if moved.Print() != first {
		t.Error("the fingerprint depends on where the finding stands")
	}
	for name, change := range map[string]func(*Item){
		"name":    func(it *Item) { it.Name = "other" },
		"kind":    func(it *Item) { it.Kind = "ila" },
		"before":  func(it *Item) { it.Result.Before = "b.sexp" },
		"after":   func(it *Item) { it.Result.After = "b.sexp" },
		"place":   func(it *Item) { it.Place = it.Result.Blame[0].Span },
		"reason":  func(it *Item) { it.Result.Reason = "undefined" },
		"verdict": func(it *Item) { it.Result.Verdict = equiv.Unknown },
		"arith":   func(it *Item) { it.Result.Arith = equiv.Exact },
		"equal":   func(it *Item) { it.Result.Equal = equiv.Access },
		"side":    func(it *Item) { it.Result.Blame[0].Side = "before" },
		"text":    func(it *Item) { it.Result.Blame[0].Span = place("(compute relu (access A 0))") },
		"no span": func(it *Item) { it.Result.Blame[0] = sample.Blame{Side: "after", Text: "(access A 0)"} },
		"more":    func(it *Item) { it.Result.Blame = append(it.Result.Blame, it.Result.Blame[0]) },
		"detail":  func(it *Item) { it.Result.Blame, it.Result.Detail = nil, "axis 0" },
	} {
		it := item()
		change(it)
		if it.Print() == first {
			t.Errorf("the fingerprint does not depend on %s", name)
		}
	}
	proved := item()
	proved.Result.Verdict = equiv.Proved
	if proved.Print() != "" {
		t.Error("a proof has a fingerprint")
	}
}

func TestBaseline(t *testing.T) {
	run := everything(t)
	run.Expect = false
	read := func(text string) (map[string]bool, error) { return ReadBaseline(source.NewFile("b.json", text)) }
	text := write(t, "json", run)
	prints, err := read(text)
	if err != nil || len(prints) != 1 || !prints[run.Items[0].Print()] {
		t.Errorf("ReadBaseline = %v, %v: want the one refutation", prints, err)
	}
	run.Baseline = prints
	if !run.Known(&run.Items[0]) || run.Known(&run.Items[1]) || run.Known(&run.Items[2]) {
		t.Error("the refutation alone is known")
	}
	if again, err := read(write(t, "json", run)); err != nil || len(again) != 1 {
		t.Errorf("what is known is lost from the next baseline: %v, %v", again, err)
	}
	validate(t, []byte(write(t, "json", run)))
	run.Expect = true // the refutation is wanted: no finding
	if run.Known(&run.Items[0]) {
		t.Error("what is wanted is no finding")
	}
	for _, bad := range []string{
		"", "[]", `{"schema":"tv.report/v2"}`, `{"schema":"tv.report/v1","results":[{"verdict":"refuted"}]}`,
	} {
		if _, err := read(bad); err == nil || !strings.HasSuffix(err.Error(), "[bad-report]") {
			t.Errorf("ReadBaseline(%s): %v", bad, err)
		}
	}
}
