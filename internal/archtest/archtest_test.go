package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tv/internal/planted"
)

const root = "../.."

// layers says what each package of ours may import of ours. A package without a line has that of the
// nearest directory above it; * is any one directory, and on the right the same. A name stands for the packages below it too, unless it ends in "/."; "*" for all.
var layers = map[string][]string{
	"internal/mix":      {},
	"internal/watch":    {},
	"internal/source":   {},
	"internal/spelling": {},
	"internal/sexpr":    {"internal/source"},
	"internal/planted":  {"internal/planted"},
	"internal/tier":     {},
	// the seam, and Glenside behind it
	"semantics":              {"internal/source", "semantics/domain", "semantics/index", "semantics/term", "semantics/value"},
	"semantics/glenside":     {"glenside", "internal/source", "semantics"},
	"semantics/cnest":        {"internal/mix", "internal/source", "internal/spelling", "semantics/domain", "semantics/loops"},
	"semantics/mlir":         {"internal/mix", "internal/source", "internal/spelling", "semantics/domain", "semantics/loops"},
	"semantics/tc":           {"internal/mix", "internal/source", "internal/spelling", "semantics/domain", "semantics/loops"},
	"semantics/rise/dialect": {"internal/source", "internal/spelling", "semantics/.", "semantics/domain", "semantics/rise/syntax"},
	// models that are imported: the translation is told apart from what evaluates them
	"semantics/relay":           {"glenside/.", "internal/source", "semantics"},
	"semantics/relay/syntax":    {"internal/source", "semantics/domain"},
	"semantics/relay/translate": {"glenside/.", "internal/source", "semantics/domain", "semantics/relay/syntax"},
	"semantics/relay/eval":      {"semantics/domain", "semantics/relay/syntax", "semantics/value"},
	"semantics/vta":             {"hwmodels/vta", "ila", "internal/source", "semantics"},
	// what languages of texts share: evaluators know no terms, lowerings no values
	"semantics/words":      {"internal/source", "semantics/domain"},
	"semantics/procedures": {"internal/source", "semantics/.", "semantics/domain"},
	"semantics/cells":      {"internal/source", "semantics/.", "semantics/domain", "semantics/value"},
	"semantics/arrays":     {"semantics/.", "semantics/domain", "semantics/index", "semantics/term"},
	// a language, which * stands for: its row, and what reads its texts, evaluates and lowers them
	"semantics/*":        {"internal/source", "semantics"},
	"semantics/*/syntax": {"internal/sexpr", "internal/source", "internal/spelling", "semantics/.", "semantics/domain", "semantics/procedures", "semantics/words"},
	"semantics/*/eval": {"internal/source", "semantics/.", "semantics/cells", "semantics/*/syntax", "semantics/domain",
		"semantics/procedures", "semantics/value", "semantics/words"},
	"semantics/*/lower": {"internal/source", "semantics/.", "semantics/arrays", "semantics/*/syntax", "semantics/domain",
		"semantics/index", "semantics/procedures", "semantics/term", "semantics/words"},
	// words of bits are a world of their own, which knows no tensors
	"semantics/bits":              {"internal/source", "semantics/bits/word"},
	"semantics/bits/word":         {},
	"semantics/bits/bv":           {"internal/sexpr", "internal/source"},
	"semantics/bits/bv/eval":      {"semantics/bits/bv/."},
	"semantics/bits/bv/lower":     {"semantics/bits/.", "semantics/bits/bv/.", "semantics/bits/word"},
	"semantics/bits/verilog":      {"internal/source"},
	"semantics/bits/yosys":        {"internal/source", "semantics/bits/cells", "semantics/bits/verilog"},
	"semantics/bits/cells":        {"internal/sexpr", "internal/source", "semantics/bits/word"},
	"semantics/bits/flat":         {},
	"semantics/bits/netlist":      {"internal/source", "semantics/bits/.", "semantics/bits/cells", "semantics/bits/verilog", "semantics/bits/word"},
	"semantics/bits/languages":    {"internal/source", "semantics/bits"},
	"semantics/bits/cells/run":    {"semantics/bits/cells", "semantics/bits/word"},
	"semantics/bits/verilog/eval": {"semantics/bits/cells", "semantics/bits/verilog/.", "semantics/bits/word"},
	// languages of operations are read into one syntax, whose evaluator knows no words and whose lowering no values
	"semantics/bits/flow":       {"internal/source", "semantics/bits/."},
	"semantics/bits/flow/eval":  {"semantics/bits/flow/."},
	"semantics/bits/flow/lower": {"semantics/bits/.", "semantics/bits/flow/.", "semantics/bits/word"},
	"semantics/bits/comb":       {"internal/source", "semantics/bits/.", "semantics/bits/flow/."},
	"semantics/bits/calyx":      {"internal/source", "semantics/bits/.", "semantics/bits/flow/."},
	"semantics/bits/reticle":    {"internal/source", "semantics/bits/.", "semantics/bits/flow/."},
	"equiv/bits":                {"equiv/bits", "internal/source", "semantics/bits"},
	"equiv/bits/repair":         {"equiv/bits/.", "semantics/bits"},
	"semantics/bits/rule":       {"internal/sexpr", "internal/source", "semantics/bits/bv/."},
	"equiv/bits/synth":          {"equiv/bits", "internal/source", "semantics/bits"},
	"equiv/bits/isa":            {"equiv/egraph", "internal/source", "semantics/bits"},
	// what languages of loops are read into, with its evaluator and its lowering, and rows of the registry made of these
	"semantics/loops":          {"internal/source", "semantics/.", "semantics/domain", "semantics/procedures"},
	"semantics/loops/run":      {"internal/source", "semantics/domain", "semantics/loops/.", "semantics/value"},
	"semantics/loops/looptest": {"internal/mix", "semantics/domain", "semantics/loops/.", "semantics/loops/run", "semantics/value"},
	"semantics/loops/calls":    {"internal/source", "semantics/domain", "semantics/loops/."},
	"semantics/loops/lower": {"internal/source", "semantics/.", "semantics/arrays", "semantics/domain", "semantics/index",
		"semantics/loops/.", "semantics/term"},
	"semantics/loops/language": {"internal/source", "semantics/.", "semantics/cells", "semantics/domain", "semantics/loops",
		"semantics/term", "semantics/value"},
	"proofs/*":                 {"internal/source", "proofs/algebra", "proofs/loops", "proofs/procedures", "semantics/domain"},
	"semantics/domain":         {"internal/mix", "internal/source"},
	"semantics/value":          {"internal/source", "semantics/domain"},
	"semantics/index":          {"internal/mix"},
	"semantics/term":           {"internal/mix", "semantics/index"},
	"semantics/glenside/lower": {"glenside", "internal/mix", "internal/source", "semantics/arrays", "semantics/domain", "semantics/index", "semantics/term"},
	"semantics/glenside/eval":  {"glenside", "internal/source", "semantics/domain", "semantics/value"},
	"glenside":                 {"glenside", "internal/sexpr", "internal/source", "internal/spelling", "semantics/domain"},
	// the checker: the closed form knows no language, and nothing of it is shared with the prover
	"proofs":                {"glenside", "internal/sexpr", "internal/source", "proofs/algebra", "proofs/recur", "semantics/domain"},
	"proofs/mapped":         {"glenside", "internal/source", "proofs/.", "proofs/algebra", "semantics/domain"},
	"proofs/bits/nofit":     {},
	"proofs/races":          {},
	"proofs/bits/rules":     {"proofs/bits/."},
	"proofs/bits":           {"proofs/bits"}, // itself and what is below it: nothing of the rest
	"proofs/bits/gates":     {},
	"proofs/bits/circuit":   {"proofs/bits/gates"},
	"proofs/bits/tokens":    {"proofs/bits/gates"},
	"proofs/bits/*":         {"proofs/bits/circuit", "proofs/bits/gates", "proofs/bits/tokens"},
	"proofs/recur":          {"proofs/algebra", "proofs/loops", "semantics/domain"},
	"proofs/algebra":        {"internal/source", "proofs/words", "semantics/domain"},
	"proofs/glenside":       {"glenside", "internal/source", "proofs/algebra", "semantics/domain"},
	"proofs/relay":          {"glenside", "internal/source", "proofs/algebra", "proofs/glenside", "semantics/domain"},
	"proofs/loops/looptest": {"proofs/algebra", "proofs/loops/.", "semantics/domain"},
	"proofs/loops":          {"internal/source", "proofs/algebra", "proofs/procedures", "semantics/domain"},
	"proofs/procedures":     {"internal/source", "proofs/algebra", "semantics/domain"},
	"proofs/cnest":          {"internal/source", "proofs/algebra", "proofs/loops", "proofs/procedures", "semantics/domain"},
	"proofs/mlir":           {"internal/source", "proofs/algebra", "proofs/loops", "proofs/procedures", "semantics/domain"},
	"proofs/tc":             {"internal/source", "proofs/algebra", "proofs/loops", "proofs/procedures", "semantics/domain"},
	// the question knows no language, but that the checker is one of all
	"equiv": {"equiv/fault", "equiv/prove", "equiv/sample", "equiv/sizes", "equiv/witness", "internal/languages", "internal/source", "internal/watch",
		"proofs", "semantics"},
	"equiv/sample": {"equiv/sizes", "internal/source", "semantics"},
	"equiv/prove": {"equiv/fault", "equiv/normal", "equiv/recur", "equiv/sample", "equiv/sizes", "equiv/smt", "equiv/witness", "internal/mix",
		"internal/source", "internal/watch", "proofs", "semantics"},
	// rules are those of Glenside and of RISE
	"equiv/rules": {"equiv", "glenside", "internal/languages", "internal/sexpr", "internal/source", "proofs", "semantics"},
	"equiv/fault": {},
	// what is shown of a counterexample, which nothing rests on
	"equiv/trace": {"equiv/sample", "semantics"},
	// the one engine that knows machines: it runs a task of ila beside a Glenside program
	"equiv/machine": {"equiv", "glenside", "ila", "internal/source", "semantics"},
	"equiv/witness": {"equiv/recur", "internal/languages", "internal/source", "proofs", "semantics"},
	"equiv/sizes":   {"internal/source", "semantics"},
	"equiv/recur":   {"equiv/sizes", "internal/source", "semantics"},
	"equiv/normal":  {"equiv/words", "internal/mix", "semantics/index", "semantics/term"},
	"equiv/words":   {},
	"proofs/words":  {},
	// netlists bit by bit: graphs, a solver and what sweeps with it know nothing of words or texts
	"equiv/bits/aig":     {},
	"equiv/bits/sat":     {},
	"equiv/bits/sweep":   {"equiv/bits/aig", "equiv/bits/sat"},
	"equiv/bits/algebra": {"equiv/bits/aig"},
	"equiv/bits/cnf":     {"equiv/bits/aig", "equiv/bits/sat"},
	"equiv/bits/induct":  {"equiv/bits/aig", "equiv/bits/cnf", "equiv/bits/sat", "equiv/bits/sweep"},
	// the e-graph knows no language; what maps programs with it is checked by who does not know it
	"equiv/egraph":  {"internal/mix"},
	"equiv/mapping": {"equiv/egraph", "glenside", "internal/mix", "internal/source", "semantics/domain"},
	// machines are data: those who describe one know neither what runs it nor what proves things of it
	"ila":        {"internal/source", "semantics/index", "semantics/term"},
	"ila/run":    {"ila/.", "semantics/index", "semantics/term"},
	"ila/race":   {"ila/.", "internal/source", "semantics/term"},
	"ila/prove":  {"ila/.", "ila/run", "ila/race", "semantics/index", "semantics/term"},
	"ila/induct": {"ila/.", "ila/run", "ila/prove", "semantics/index", "semantics/term"},
	"ila/refine": {"ila/.", "ila/run", "ila/prove", "semantics/index", "semantics/term"},
	// errors are bounded in rationals and measured in float64, by packages that share nothing
	"ila/accuracy":    {"ila/.", "ila/run"},
	"hwmodels/bounds": {"ila/number"},
	"hwmodels/ideal":  {},
	"ila/ilatest":     {"ila", "semantics/term"},
	"ila/format":      {"semantics/term"},
	"ila/number":      {},
	"hwmodels/rules":  {},
	"hwmodels":        {"hwmodels", "ila/.", "ila/format", "ila/number", "internal/source", "proofs/races", "semantics/index", "semantics/term"},
	// fuzz runs the machines too: it hunts in all that tv claims
	"fuzz":                {"equiv", "fuzz", "glenside", "hwmodels", "ila", "internal", "proofs/bits/.", "semantics"},
	"fuzz/cluster":        {"fuzz/.", "internal"},
	"fuzz/cluster/server": {"internal"},
	"web":                 {},
	"fuzz/circuits":       {"fuzz/passes", "semantics/bits/word"},
	"fuzz/programs":       {"glenside", "internal", "semantics"},
	"fuzz/machines":       {"hwmodels", "ila", "semantics/term"},
	"ci":                  {"ci/page", "equiv", "glenside", "internal", "proofs", "semantics"},
	"ci/page":             {"internal/visible"},
	"ci/page/pagetest":    {},
	"internal":            {"equiv", "glenside", "internal", "semantics"},
	"internal/languages":  {"internal/source", "proofs", "semantics"},
	"cmd":                 {"*"},
}

// foreign says which packages may import a module of others outside tests.
var foreign = map[string][]string{
	"github.com/aclements/go-z3":     {"equiv"},
	"gonum.org/v1/gonum":             {"fuzz"},
	"github.com/crillab":             {"equiv/egraph", "equiv/bits/isa"},
	"github.com/nats-io/nats.go":     {"fuzz/cluster/."},
	"github.com/nats-io/nats-server": {"fuzz/cluster/server"},
	"github.com/sourcegraph":         {"cmd"},
	"github.com/spf13":               {"cmd"},
	"github.com/vbauerster/mpb":      {"cmd"},
	"pgregory.net/rapid":             {}, // its tables would cost each start of tv
}

// TestApart: what evaluates knows no terms and no index expressions, what lowers no values, and the checker nothing of
// semantics but its domain. A language's evaluator and lowering are directories eval and lower.
func TestApart(t *testing.T) {
	evaluating, lowering := []string{"semantics/cells"}, []string{"semantics/arrays"}
	for pkg := range packages(t) {
		switch dir, last := path.Split(pkg); {
		case !strings.HasPrefix(dir, "semantics/"):
		case last == "eval":
			evaluating = append(evaluating, pkg)
		case last == "lower":
			lowering = append(lowering, pkg)
		}
	}
	evaluating = append(evaluating, "semantics/loops/run")   // that of all languages of loops
	lowering = append(lowering, "semantics/relay/translate") // to programs of Glenside, not to terms
	lowering = append(lowering, "semantics/bits/netlist")    // of Verilog
	if len(evaluating) < 3 || len(lowering) != len(evaluating) {
		t.Errorf("evaluators %s, lowerings %s", evaluating, lowering)
	}
	for list, never := range map[*[]string][]string{
		&evaluating: append([]string{"semantics/term", "semantics/index"}, lowering...),
		&lowering:   append([]string{"semantics/value"}, evaluating...),
	} {
		for _, pkg := range *list {
			for imported := range packages(t)[pkg] {
				if below(imported, never) {
					t.Errorf("%s must not import %s", pkg, imported)
				}
			}
		}
	}
	for pkg, imports := range packages(t) {
		for imported := range imports {
			if below(pkg, []string{"proofs"}) && below(imported, []string{"semantics"}) && imported != "semantics/domain" {
				t.Errorf("%s must not import %s", pkg, imported)
			}
		}
	}
}

// packages are those of the tree, each with what it imports of ours outside tests.
var packages = func() func(t *testing.T) map[string]map[string]bool {
	read := sync.OnceValues(readPackages)
	return func(t *testing.T) map[string]map[string]bool {
		out, err := read()
		if err != nil || len(out) < 20 {
			t.Fatalf("%d packages: %v", len(out), err)
		}
		return out
	}
}()

func readPackages() (map[string]map[string]bool, error) {
	out := map[string]map[string]bool{}
	return out, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		if out[pkg] == nil {
			out[pkg] = map[string]bool{}
		}
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			if ours, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "tv/"); ok {
				out[pkg][ours] = true
			}
		}
		return nil
	})
}

func TestImports(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(file) != ".go" {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		layer, ok := layerOf(pkg)
		if !ok {
			t.Errorf("package %s has no line in the list of layers", pkg)
			return nil
		}
		used[layer] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if strings.HasSuffix(file, "_test.go") {
			return nil
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !allowed(pkg, layer, imported) {
				t.Errorf("%s must not import %s", filepath.ToSlash(file), imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(used) < 6 {
		t.Errorf("saw packages of %d layers only: is the tree where the test looks?", len(used))
	}
}

// layerOf returns the line of layers that holds for a package.
func layerOf(pkg string) (string, bool) {
	for ; pkg != "."; pkg = path.Dir(pkg) {
		if _, ok := layers[pkg]; ok {
			return pkg, true
		}
		if words := strings.Split(pkg, "/"); len(words) > 1 {
			words[1] = "*"
			if any := strings.Join(words, "/"); layers[any] != nil {
				return any, true
			}
		}
	}
	return "", false
}

func allowed(pkg, layer, imported string) bool {
	if ours, ok := strings.CutPrefix(imported, "tv/"); ok {
		list := slices.Clone(layers[layer])
		for i, name := range list {
			if words := strings.Split(pkg, "/"); len(words) > 1 {
				list[i] = strings.Replace(name, "/*/", "/"+words[1]+"/", 1)
			}
		}
		return below(ours, list) || slices.Contains(list, "*")
	}
	for module, packages := range foreign {
		if below(imported, []string{module}) && !below(pkg, packages) {
			return false
		}
	}
	return true
}

// below tells whether name is one of list or in a directory of it; in one that ends in "/." it is not.
func below(name string, list []string) bool {
	return slices.ContainsFunc(list, func(dir string) bool {
		return name == strings.TrimSuffix(dir, "/.") || strings.HasPrefix(name, dir+"/")
	})
}

func TestAllowed(t *testing.T) {
	for _, test := range []struct {
		pkg, imported string
		want          bool
	}{
		{"semantics/term", "tv/semantics/index", true},
		{"semantics/term", "tv/glenside", false},
		{"semantics/glenside/eval", "tv/semantics/term", false},
		{"semantics/glenside/eval", "gonum.org/v1/gonum/mat", false},
		{"equiv/smt", "github.com/aclements/go-z3/z3", true},
		{"ci", "github.com/aclements/go-z3/z3", false},
		{"proofs", "tv/equiv", false},
		{"cmd/tv", "tv/cmd/tv/internal/cli", true},
		{"glenside", "tv/glensidestuff", false},
		{"hwmodels/vta", "tv/ila", true},
		{"hwmodels/vta", "tv/ila/run", false},
		{"ila/induct", "tv/ila/refine", false},
		{"semantics/new/eval", "tv/semantics/new/syntax", true},
		{"semantics/new/eval", "tv/semantics/comprehension/syntax", false},
		{"semantics/new/eval", "tv/semantics/arrays", false},
		{"semantics/new/lower", "tv/semantics/value", false},
		{"proofs/new", "tv/proofs/procedures", true},
		{"proofs/new", "tv/semantics/words", false},
		{"proofs/new", "tv/semantics", false},
		{"proofs/cnest", "tv/proofs/loops", true},
		{"proofs/cnest", "tv/semantics/cnest", false},
		{"proofs/cnest", "tv/semantics/loops", false},
		{"proofs/mlir", "tv/proofs/loops", true},
		{"proofs/mlir", "tv/proofs/cnest", false},
		{"proofs/mlir", "tv/semantics/mlir", false},
		{"proofs/tc", "tv/proofs/loops", true},
		{"proofs/tc", "tv/proofs/cnest", false},
		{"proofs/tc", "tv/semantics/loops", false},
	} {
		layer, _ := layerOf(test.pkg)
		if got := allowed(test.pkg, layer, test.imported); got != test.want {
			t.Errorf("allowed(%s, %s) = %t, want %t", test.pkg, test.imported, got, test.want)
		}
	}
}

// judges are what has to notice a fault of the prover: no edit plants one there, but those of the list for the checker.
var judges = []string{"glenside", "proofs", "semantics/eval", "semantics/glenside/eval", "semantics/loops/run", "semantics/rise/eval",
	"semantics/comprehension/eval", "equiv/witness", "internal", "fuzz"}

// TestPlanting: nothing but tests plants faults, asks for them or knows tiers, and faults are in the prover, or in the checker.
func TestPlanting(t *testing.T) {
	for _, list := range planted.Lists {
		faults, err := planted.Read(filepath.Join(root, list))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range faults.Paths() {
			ofChecker := list == planted.Checker || list == planted.CircuitChecker || list == planted.MapChecker
			if ofChecker && !below(file, []string{"proofs"}) || !ofChecker && below(file, judges) {
				t.Errorf("%s: faults in %s", faults.File, file)
			}
		}
	}
	planting := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), `"tv/internal/planted"`) && !strings.Contains(string(text), `"tv/internal/tier"`) {
			return err
		}
		planting++
		if !strings.HasSuffix(file, "_test.go") && !strings.Contains(filepath.ToSlash(file), "internal/planted/") {
			t.Errorf("%s imports what is for tests", filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil || planting < 3 {
		t.Errorf("%d files import what is for tests: %v", planting, err)
	}
}

// TestMap: the table of packages in doc/design.md has all of them and no others.
func TestMap(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "doc", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| package | what it owns |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string]bool{}
	for i, word := range strings.Split(table, "`") {
		if i%2 == 1 {
			named[word] = true
		}
	}
	for p := range packages(t) {
		if !named[p] {
			t.Errorf("doc/design.md does not say what package %s owns", p)
		}
	}
	for p := range named {
		if packages(t)[p] == nil {
			t.Errorf("doc/design.md names %s, where there is no package", p)
		}
	}
}
