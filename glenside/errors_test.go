package glenside

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
)

// run does with the example of a code what a command would do.
func (c CodeInfo) run() error {
	before, err := Parse(source.NewFile("before.sexp", c.Program))
	if err != nil {
		return err
	}
	programs := []*Program{before}
	if c.After != "" {
		after, err := Parse(source.NewFile("after.sexp", c.After))
		if err != nil {
			return err
		}
		programs = append(programs, after)
	}
	var outside []domain.Input
	if c.Shapes != "" {
		if outside, err = ParseShapes("shapes.json", []byte(c.Shapes)); err != nil {
			return err
		}
	}
	if c.Input != "" {
		in, err := ParseInputFlag(c.Input)
		if err != nil {
			return err
		}
		outside = append(outside, in)
	}
	env, err := MergeEnv(programs, outside...)
	if err != nil {
		return err
	}
	if len(env.Tensors) == 0 {
		if env, err = Infer(before); err != nil {
			return err
		}
	}
	for _, p := range programs {
		if _, err := Check(p, env); err != nil {
			return err
		}
	}
	return nil
}

func TestCodes(t *testing.T) {
	for _, c := range Codes() {
		err := c.run()
		if errs := source.AsErrors(err); len(errs) == 0 || errs[0].Code != c.Code {
			t.Errorf("the example of %s gives %v", c.Code, err)
		} else if errs[0].Span.File == nil {
			t.Errorf("the example of %s gives an error without a place: %v", c.Code, err)
		}
	}
	if !slices.IsSortedFunc(Codes(), func(a, b CodeInfo) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("the codes are not in alphabetical order")
	}
}

// TestCodesAreListed looks for codes in the source: words with a hyphen or of one letter case among the
// arguments of the functions that make errors.
func TestCodesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range Codes() {
		listed[c.Code] = true
	}
	makers := map[string]bool{
		"Errorf": true, "errorf": true, "fail": true, "failAt": true, "require": true, "equal": true,
		"closing": true,
	}
	code := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared, err := filepath.Glob("../semantics/domain/*.go") // which unites declarations
	if err != nil || len(declared) == 0 {
		t.Fatalf("no package domain: %v", err)
	}
	found := map[string]bool{}
	for _, file := range append(files, declared...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := goparser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !makers[calledName(call)] {
				return true
			}
			for _, a := range call.Args {
				if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if s, _ := strconv.Unquote(lit.Value); code.MatchString(s) {
						found[s] = true
						if !listed[s] {
							t.Errorf("%s: code %s is not listed", file, s)
						}
					}
				}
			}
			return true
		})
	}
	for c := range listed {
		if !found[c] {
			t.Errorf("code %s is listed but not used", c)
		}
	}
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}
