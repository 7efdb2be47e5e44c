package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tv/ci"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/bits/cells"
)

// TestWordsExplained reads from the sources what reasons an answer may have and what kinds a finding may have, and asks that each is
// explained, as is each rule of a SARIF report.
func TestWordsExplained(t *testing.T) {
	words := map[string]string{} // with a place
	for _, root := range []string{"equiv", "ila", "cmd", "fuzz"} {
		err := filepath.WalkDir(filepath.Join("../../../..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, 0)
			if err == nil {
				kinds := root == "fuzz" && !strings.Contains(path, "fuzz/programs") // which draws cases, and judges none
				reasonsOf(f, kinds, func(word string, at token.Pos) { words[word] = set.Position(at).String() })
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"incomplete", "race", "vacuous", "undefined", "wrong-rule", "wrong-law", "miscompile"} {
		if words[want] == "" {
			t.Errorf("%s was not read from the sources", want)
		}
	}
	for rule := range ci.Words() {
		words[rule] = "ci/sarif.go"
	}
	for word, at := range words {
		if _, err := explanation(word); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	for _, word := range []string{"proved-values", "incomplet", "values-refuted", "-", ""} {
		if text, err := explanation(word); err == nil {
			t.Errorf("%q is explained: %s", word, text)
		}
	}
}

// reasonsOf calls found for each text that becomes a Reason of a result, and, of campaigns, a kind of findings.
func reasonsOf(f *ast.File, kinds bool, found func(string, token.Pos)) {
	take := func(name ast.Expr, value ast.Expr) {
		switch x := name.(type) {
		case *ast.SelectorExpr:
			name = x.Sel
		}
		id, ok := name.(*ast.Ident)
		text, literal := value.(*ast.BasicLit)
		if !ok || !literal || text.Kind != token.STRING {
			return
		}
		word, err := strconv.Unquote(text.Value)
		isKind := kinds && (id.Name == "Kind" || strings.HasPrefix(id.Name, "kind") || strings.HasPrefix(id.Name, "Kind"))
		if err == nil && word != "" && (id.Name == "Reason" || isKind) {
			found(strings.ReplaceAll(word, " ", "-"), text.Pos())
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			take(n.Key, n.Value)
		case *ast.AssignStmt:
			for i := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					take(n.Lhs[i], n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i := range n.Values {
				take(n.Names[i], n.Values[i])
			}
		case *ast.ReturnStmt: // return "wrong proof", how
			if len(n.Results) == 2 && kinds && f.Name.Name == "fuzz" {
				take(ast.NewIdent("Kind"), n.Results[0])
			}
		case *ast.CallExpr: // w.unknown("incomplete", ...), q.refuted(engine, "values", ...)
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 1 {
				switch s.Sel.Name {
				case "unknown":
					take(ast.NewIdent("Reason"), n.Args[0])
				case "refuted":
					take(ast.NewIdent("Reason"), n.Args[1])
				}
			}
		}
		return true
	})
}

// TestRulesTopic: tv help rules has each clause that the parser knows.
func TestRulesTopic(t *testing.T) {
	_, _, err := rule.ParseAll(source.NewFile("a.rules", "(rule r (none))"))
	if err == nil {
		t.Fatal("no error")
	}
	_, list, ok := strings.Cut(err.Error(), "a clause begins with one of ")
	list, _, _ = strings.Cut(list, " [")
	if !ok || len(strings.Fields(list)) < 10 {
		t.Fatal(err)
	}
	for clause := range strings.FieldsSeq(list) {
		if !strings.Contains(topicText("rules"), "("+clause+" ") {
			t.Errorf("tv help rules has no clause %s", clause)
		}
	}
}

// TestHelpOfTables: each operator under each of its spellings and each cell has its page, and what has none is told the nearest.
func TestHelpOfTables(t *testing.T) {
	for _, op := range glenside.Ops() {
		for _, name := range append([]string{op.Name, op.Head()}, op.Aliases...) {
			if text := operatorHelp(name); !strings.Contains(text, op.Signature()) || !strings.Contains(text, "Meaning") {
				t.Errorf("tv help %s: %q", name, text)
			}
		}
		if !strings.Contains(operatorList(), "  "+op.Signature()+"\n") {
			t.Errorf("%s is not listed", op.Name)
		}
	}
	words := helpWords()
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			text := cellHelp(c.Name)
			if !strings.Contains(text, c.Name+", of "+arch+"\n") || !strings.Contains(text, "(is ") || !slices.Contains(words, c.Name) {
				t.Errorf("tv help %s: %q", c.Name, text)
			}
			if !slices.Contains(strings.Fields(cellList()), c.Name) {
				t.Errorf("%s is not listed", c.Name)
			}
		}
	}
	for _, none := range []string{"", "compute", "LUT", "lut4", "access-"} {
		if text := operatorHelp(none) + cellHelp(none); text != "" {
			t.Errorf("tv help %q: %s", none, text)
		}
	}
}
