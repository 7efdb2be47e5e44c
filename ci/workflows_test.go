package ci

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"
)

// inRepository puts this repository's action in place of the one that users name, so that its inputs are looked
// up.
func inRepository(text string) string { return strings.ReplaceAll(text, "OWNER/tv/ci@REF", "./ci") }

// lint returns what actionlint says of a workflow.
func lint(t *testing.T, text string) []*actionlint.Error {
	t.Helper()
	project, err := actionlint.NewProject("..")
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := linter.Lint("workflow.yml", []byte(inRepository(text)), project)
	if err != nil {
		t.Fatal(err)
	}
	return errs
}

func TestWorkflows(t *testing.T) {
	names, err := filepath.Glob("workflows/github-*.yml")
	if err != nil || len(names) < 2 {
		t.Fatalf("workflows %v, %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range lint(t, string(data)) {
			t.Errorf("%s: %v", name, e)
		}
		uses := strings.Count(string(data), "/tv/ci@")
		if uses == 0 || uses != strings.Count(string(data), "OWNER/tv/ci@REF") {
			t.Errorf("%s does not use the action", name)
		}
		noInterpolation(t, name, data)
	}
	// Near misses: the linter sees the action and the expressions.
	data, err := os.ReadFile("workflows/github-check.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"command: check", "comand: check"}, {"runs-on:", "run-on:"}, {"github.event_name", "github.event_nam"},
		{"security-events: write", "security-events: all"},
	} {
		wrong := strings.Replace(string(data), change[0], change[1], 1)
		if wrong == string(data) || len(lint(t, wrong)) == 0 {
			t.Errorf("%q in place of %q passes", change[1], change[0])
		}
	}
}

// scripts returns the texts under the keys run, script and before_script, wherever they stand.
func scripts(n any) (out []string) {
	switch n := n.(type) {
	case map[string]any:
		for key, value := range n {
			if !slices.Contains([]string{"run", "script", "before_script"}, key) {
				out = append(out, scripts(value)...)
				continue
			}
			switch value := value.(type) {
			case string:
				out = append(out, value)
			case []any:
				for _, line := range value {
					text, _ := line.(string)
					out = append(out, text)
				}
			}
		}
	case []any:
		for _, value := range n {
			out = append(out, scripts(value)...)
		}
	}
	return out
}

// parsed reads YAML into maps, lists and scalars.
func parsed(t *testing.T, name string, data []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

// noInterpolation wants scripts to take what they are told from the environment: an expression in a script would
// make a script of it.
func noInterpolation(t *testing.T, name string, data []byte) {
	t.Helper()
	found := scripts(parsed(t, name, data))
	for _, text := range found {
		if strings.Contains(text, "${{") {
			t.Errorf("%s: an expression in a script: %s", name, text)
		}
	}
}

func TestNoInterpolation(t *testing.T) {
	bad := "jobs: {j: {steps: [{run: \"echo ${{ inputs.x }}\"}]}}"
	if found := scripts(parsed(t, "bad", []byte(bad))); len(found) != 1 || !strings.Contains(found[0], "${{") {
		t.Errorf("scripts of %s: %q", bad, found)
	}
}

// Every input of the action is described and used, and none is used that is not there; nothing floats.
func TestAction(t *testing.T) {
	data, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	noInterpolation(t, "action.yml", data)
	var action struct {
		Name, Description string
		Inputs            map[string]struct {
			Description string
			Default     *string
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []struct {
				Name, ID, If, Uses, Shell, Run string
				With, Env                      map[string]string
				WorkingDirectory               string `yaml:"working-directory"`
			}
		}
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" || len(action.Inputs) < 5 {
		t.Errorf("no composite action: %+v", action)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(data), -1) {
		used[m[1]] = true
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %s", m[1])
		}
	}
	for name, in := range action.Inputs {
		if in.Description == "" || in.Default == nil || !used[name] {
			t.Errorf("input %s is not described, has no default or is not used", name)
		}
	}
	script, err := os.ReadFile("action.sh")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z/-]+@v[0-9]+$`)
	for _, s := range action.Runs.Steps {
		if s.Name == "" || (s.Uses == "") == (s.Run == "") || s.Run != "" && s.Shell != "bash" {
			t.Errorf("step %+v", s)
		}
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("step %s uses %s", s.Name, s.Uses)
		}
		for name := range s.Env {
			if text := s.Run + string(script); !strings.Contains(text, name) {
				t.Errorf("step %s: nothing reads %s", s.Name, name)
			}
		}
	}
	for name, out := range action.Outputs {
		if out.Description == "" || !strings.Contains(string(script), name+"=%s") {
			t.Errorf("output %s is not described or not written", name)
		}
	}
}

// The jobs of the GitLab file have keys that GitLab knows, stages and templates that are there, and scripts.
func TestGitLab(t *testing.T) {
	data, err := os.ReadFile("workflows/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	noInterpolation(t, "gitlab.yml", data)
	if errs := gitLabErrors(parsed(t, "gitlab.yml", data)); len(errs) > 0 {
		t.Error(errs)
	}
	for _, change := range [][2]string{
		{"stages: [test]", "stages: [tests]"}, {"extends: .tv", "extends: .vt"}, {"  script:", "  scripts:"},
		{"  rules:", "  rule:"}, {"junit: tv.xml", "junit: []"}, {"TV_REF: main", "TV_REF: [main]"},
	} {
		wrong := strings.Replace(string(data), change[0], change[1], 1)
		if wrong == string(data) || len(gitLabErrors(parsed(t, "gitlab.yml", []byte(wrong)))) == 0 {
			t.Errorf("%q in place of %q passes", change[1], change[0])
		}
	}
}

func gitLabErrors(doc map[string]any) (errs []string) {
	bad := func(parts ...string) { errs = append(errs, strings.Join(parts, " ")) }
	stages, _ := doc["stages"].([]any)
	keys := []string{"extends", "stage", "image", "variables", "before_script", "script", "rules", "cache",
		"artifacts", "parallel"}
	inherited := func(job map[string]any, key string) any {
		if v, ok := job[key]; ok {
			return v
		}
		parent, _ := job["extends"].(string)
		template, _ := doc[parent].(map[string]any)
		return template[key]
	}
	for name, value := range doc {
		job, ok := value.(map[string]any)
		if name == "stages" {
			continue
		}
		if !ok {
			bad(name, "is no job")
			continue
		}
		for key := range job {
			if !slices.Contains(keys, key) {
				bad(name, "has the key", key)
			}
		}
		if parent, ok := job["extends"]; ok && doc[parent.(string)] == nil {
			bad(name, "extends what is not there")
		}
		if stage, _ := inherited(job, "stage").(string); !slices.Contains(stages, any(stage)) {
			bad(name, "is in no stage")
		}
		if variables, ok := job["variables"].(map[string]any); ok {
			for key, v := range variables {
				if _, ok := v.(string); !ok {
					bad(name, "has no text for", key)
				}
			}
		}
		if strings.HasPrefix(name, ".") {
			continue
		}
		if lines, ok := job["script"].([]any); !ok || len(lines) == 0 || len(scripts(job)) < len(lines) {
			bad(name, "has no script")
		}
		if rules, ok := job["rules"].([]any); !ok || len(rules) == 0 {
			bad(name, "has no rules")
		}
		artifacts, _ := job["artifacts"].(map[string]any)
		if reports, ok := artifacts["reports"].(map[string]any); ok {
			if _, ok := reports["junit"].(string); !ok {
				bad(name, "reports no JUnit file")
			}
		}
	}
	return errs
}

// The hooks have what pre-commit asks for, and patterns that tell files apart.
func TestPreCommitHooks(t *testing.T) {
	data, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Description, Entry, Language, Files string
		RequireSerial                                 bool `yaml:"require_serial"`
	}
	if err := yaml.Unmarshal(data, &hooks); err != nil {
		t.Fatal(err)
	}
	examples := map[string][2]string{ // a file that a hook is for, and one that it is not
		"tv-fmt": {"a/b.sexp", "a/b.sexpr"}, "tv-check": {"testdata/check/a.txtar", "testdata/script/check.txtar"},
		"tv-certify": {"x.rules", "rules/x"},
	}
	if len(hooks) != len(examples) {
		t.Errorf("%d hooks, want %d", len(hooks), len(examples))
	}
	for _, h := range hooks {
		re, err := regexp.Compile(h.Files)
		if err != nil {
			t.Fatal(err)
		}
		e := examples[h.ID]
		if !re.MatchString(e[0]) || re.MatchString(e[1]) {
			t.Errorf("hook %s: %s is to match %s and not %s", h.ID, h.Files, e[0], e[1])
		}
		if h.Name == "" || h.Description == "" || h.Language != "golang" || !strings.HasPrefix(h.Entry, "tv ") {
			t.Errorf("hook %+v", h)
		}
	}
}
