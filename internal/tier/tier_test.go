package tier

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write tiers.txt")

const (
	root = "../.."
	head = `# What "make test" leaves out or does less of; go test ./internal/tier -update writes this list.
# sweep: in make test-all alone; part: less in make test; stress: in make stress alone; planted: in make planted, which
# make test-all runs.

`
)

// TestList: tiers.txt lists what is not quick, nothing skips a test but this package, and names say what is stress.
func TestList(t *testing.T) {
	var lines []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "tier") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil || dir == filepath.Join("internal", "tier") {
			return err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				for _, kind := range kinds(t, file, parsed, f) {
					lines = append(lines, fmt.Sprintf("%-7s  %-20s  %s", kind, filepath.ToSlash(dir), f.Name.Name))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	got := head + strings.Join(slices.Compact(lines), "\n") + "\n"
	if *update {
		if err := os.WriteFile("tiers.txt", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("tiers.txt")
	if err != nil || got != string(want) {
		t.Errorf("tiers.txt is not what the tests say (%v); this is:\n%s", err, got)
	}
}

// kinds returns what a function says of its tier.
func kinds(t *testing.T, file string, in *ast.File, f *ast.FuncDecl) []string {
	var out []string
	if build := in.Comments; len(build) > 0 && strings.HasPrefix(build[0].List[0].Text, "//go:build") {
		if tag := strings.TrimPrefix(build[0].List[0].Text, "//go:build "); tag != "planted" && !strings.Contains(tag, "cgo") {
			t.Errorf("%s: the tag %s is of no tier", file, tag)
		} else if tag == "planted" && strings.HasPrefix(f.Name.Name, "Test") {
			out = append(out, "planted")
		}
	}
	var inner []*ast.FuncLit // subtests
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			inner = append(inner, lit)
		}
		call, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		inside := slices.ContainsFunc(inner, func(lit *ast.FuncLit) bool { return lit.Pos() < n.Pos() && n.End() < lit.End() })
		x, _ := call.X.(*ast.Ident)
		switch name := call.Sel.Name; {
		case x != nil && x.Name == "tier" && (name == "Pick" || name == "Draw" || name == "Sweep" && inside):
			out = append(out, "part")
		case x != nil && x.Name == "tier" && name == "Sweep":
			out = append(out, "sweep")
		case x != nil && x.Name == "tier" && name == "Stress":
			out = append(out, "stress")
			if !strings.HasPrefix(f.Name.Name, "TestStress") {
				t.Errorf("%s: make stress runs what is named TestStress..., not %s", file, f.Name.Name)
			}
		case name == "Skip" || name == "Skipf" || name == "SkipNow" || x != nil && x.Name == "testing" && name == "Short":
			t.Errorf("%s: %s skips a test, or does less of it, by itself", file, f.Name.Name)
		}
		return true
	})
	if dir := filepath.Base(filepath.Dir(file)); (dir == "equiv" || dir == "fuzz") && strings.HasPrefix(f.Name.Name, "TestPlanted") &&
		!slices.Contains(out, "planted") {
		t.Errorf("%s: make planted runs what is named TestPlanted..., and %s wants no such build", file, f.Name.Name)
	}
	if strings.HasPrefix(f.Name.Name, "TestStress") && !slices.Contains(out, "stress") && !slices.Contains(out, "planted") {
		t.Errorf("%s: %s is in make test too", file, f.Name.Name)
	}
	return out
}

func TestParts(t *testing.T) {
	for text, want := range map[string]Part{"0/1": {0, 1}, "2/3": {2, 3}} {
		if p, err := parsePart(text); err != nil || p != want {
			t.Errorf("%s: %v %v", text, p, err)
		}
	}
	for _, text := range []string{"1", "1/1", "-1/2", "0/0", "0/2 ", "a/b"} {
		if p, err := parsePart(text); err == nil {
			t.Errorf("%s: %v", text, p)
		}
	}
	count := 0
	for i := range 3 {
		for k := range 10 {
			if (Part{i, 3}).Has(k) {
				count++
			}
		}
	}
	if count != 10 {
		t.Errorf("%d of 10 things are in three parts", count)
	}
}

func TestSteps(t *testing.T) {
	ctx := Steps(2)
	for i := range 4 {
		err := ctx.Err()
		if over := i >= 2; over != errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("asked %d times before: %v", i, err)
		}
		select {
		case <-ctx.Done():
			if i < 2 {
				t.Error("done too soon")
			}
		default:
			if i >= 2 {
				t.Error("not done")
			}
		}
	}
}
