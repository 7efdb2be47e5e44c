package glenside

import (
	"strings"
	"testing"

	"tv/internal/source"
)

func mustParse(t testing.TB, text string) *Program {
	t.Helper()
	p, err := Parse(source.NewFile("p.sexp", text))
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return p
}

func TestOpsExamples(t *testing.T) {
	for _, op := range Ops() {
		p := mustParse(t, op.Example)
		_, err := Check(p, nil)
		if err != nil {
			t.Errorf("%s: %v", op.Name, err)
			continue
		}
		text := Format(p)
		if !strings.Contains(text, op.Name) {
			t.Errorf("%s not in %s", op.Name, text)
		}
		if again := Format(mustParse(t, text)); again != text {
			t.Errorf("%s\n%s", text, again)
		}
	}
}
