package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/glenside/rule"
	"tv/internal/source"
)

// Each rule of the catalogues that is refuted has a file in testdata/wrong. With --uncertified it fires. Where it is wrong in what it
// says ("refuted"), there is a program on which it does that, and the check of both programs refutes what comes out. Where it is wrong
// in its form alone ("none"), such as a right side that has no type, it changes nothing at an instance that is wrong.
//
//	refuted|none RULE [NAME=NUMBER...]
//
// A size that the left side of a rule does not say is bound by no match: NAME=NUMBER puts it into the rule.
func TestWrongRules(t *testing.T) {
	const wrong = "../../../../testdata/wrong/"
	rules := map[string]*rule.Rule{}
	for _, name := range []string{"glenside", "paper"} {
		text, err := os.ReadFile("../../../../glenside/rules/" + name + ".rules")
		if err != nil {
			t.Fatal(err)
		}
		list, err := rule.Parse(source.NewFile(name, string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if r.Want == "refuted" {
				rules[r.Name] = r
			}
		}
	}
	files, err := filepath.Glob(wrong + "*.txtar")
	if err != nil || len(files) != len(rules) || len(files) == 0 {
		t.Fatalf("%d files, of %d rules: %v", len(files), len(rules), err)
	}
	fired := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(a.Comment), "\n")
		words := strings.Fields(head)
		r := rules[words[1]]
		if r == nil {
			t.Fatalf("%s: no catalogue has %s", file, words[1])
		}
		if words[0] == "refuted" {
			fired++
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			verdict, used := mapWrong(t, a, bound(r, words[2:]), r.Name)
			if words[0] == "refuted" && (verdict != "refuted" || used == 0) || words[0] == "none" && (verdict != "proved" || used != 0) {
				t.Errorf("%s, %d instances used; wanted %s", verdict, used, words[0])
			}
		})
	}
	if fired < 9 {
		t.Errorf("only %d rules are wrong in what they say", fired)
	}
}

// bound is the text of a rule with numbers for some of its sizes.
func bound(r *rule.Rule, numbers []string) string {
	text := r.Span.Text()
	for _, n := range numbers {
		name, number, _ := strings.Cut(n, "=")
		text = strings.ReplaceAll(text, name+")", number+")")
		text = strings.ReplaceAll(text, name+" ", number+" ")
	}
	if len(numbers) > 0 {
		before, rest, _ := strings.Cut(text, "(dims")
		_, after, _ := strings.Cut(rest, ")")
		text = before + after
	}
	return text
}

// mapWrong maps a program with one rule, and returns the verdict and how many of its instances were used.
func mapWrong(t *testing.T, a *txtar.Archive, text, name string) (verdict string, used int) {
	dir := t.TempDir()
	args := []string{"map", dir + "/a.sexp", "--rules", dir + "/a.rules", "--uncertified", "--cost", "ops", "--format", "json", "-o", dir + "/mapped.sexp"}
	a.Files = append(a.Files, txtar.File{Name: "a.rules", Data: []byte(text)})
	for _, f := range a.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		if f.Name == "a.cost" {
			args = append(args, "--cost", dir+"/a.cost")
		}
	}
	var out, log bytes.Buffer
	exit := Main(args, nil, &out, &log)
	var report struct {
		Verdict string
		Rules   map[string]struct{ Used int }
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("exit %d: %v\n%s", exit, err, log.Bytes())
	}
	if want := map[string]int{"proved": 0, "refuted": 1, "unknown": 3}[report.Verdict]; exit != want {
		t.Errorf("exit %d of %s", exit, report.Verdict)
	}
	return report.Verdict, report.Rules[name].Used
}
