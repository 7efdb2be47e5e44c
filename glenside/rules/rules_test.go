// Package rules holds the catalogue of rewrite rules; as files and in the binary.
//
//	paper.rules         the rewrites that the Glenside paper prints
//	glenside.rules      the rewrites that the Glenside project ships
//	*.instances         instances of each rule that it admits, and some that it does not
//
// An instances file is lines. "rule NAME" begins the instances of a rule; the lines after it are instances:
//
//	admitted VALUES     the guard is true and the left side well formed
//	guard VALUES        the guard is not true
//	left VALUES         a shape or the left side is not well formed
//
// VALUES gives each name of the rule what it stands for, as in "?S*=(2 3) ?n=4 ?L*=(1 0) ?t=zero-padding".
package rules_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

func readRules(t *testing.T, name string) []*rule.Rule {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := rule.Parse(source.NewFile(name, string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// An instance is a line of an instances file.
type instance struct {
	line   int
	kind   string // admitted, guard, left
	text   string // of the values
	values rule.Values
}

// readInstances reads an instances file for some rules, by name of the rule.
func readInstances(t *testing.T, name string, rules []*rule.Rule) map[string][]instance {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*rule.Rule{}
	for _, r := range rules {
		byName[r.Name] = r
	}
	out := map[string][]instance{}
	var r *rule.Rule
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, ";")
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "":
		case "rule":
			if r = byName[rest]; r == nil || out[rest] != nil {
				t.Fatalf("%s:%d: no rule %s, or there twice", name, i+1, rest)
			}
			out[rest] = []instance{}
		case "admitted", "guard", "left":
			v, err := parseValues(r, rest)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			out[r.Name] = append(out[r.Name], instance{i + 1, kind, rest, v})
		default:
			t.Fatalf("%s:%d: %q begins no line", name, i+1, kind)
		}
	}
	return out
}

// parseValues reads what the names of a rule stand for.
func parseValues(r *rule.Rule, text string) (rule.Values, error) {
	v := rule.Values{Groups: map[string][]int64{}, Sizes: map[string]int64{}, Lists: map[string][]int{},
		Tokens: map[string]string{}}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, rest, ok := strings.Cut(text, "=")
		if !ok {
			return v, fmt.Errorf("%q gives no name a value", text)
		}
		var numbers []int64
		value := rest
		if rest, ok = strings.CutPrefix(rest, "("); ok {
			value, text, ok = strings.Cut(rest, ")")
			if !ok {
				return v, fmt.Errorf("%q is not closed", rest)
			}
		} else {
			value, text, _ = strings.Cut(value, " ")
		}
		if slices.ContainsFunc(r.Tokens, func(t *rule.TokenVar) bool { return t.Name == name }) {
			v.Tokens[name] = value
			continue
		}
		for _, word := range strings.Fields(value) {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return v, err
			}
			numbers = append(numbers, n)
		}
		switch {
		case !strings.HasSuffix(name, "*"):
			if len(numbers) != 1 {
				return v, fmt.Errorf("%s is one number", name)
			}
			v.Sizes[name] = numbers[0]
		case slices.Contains(r.Lists, name):
			v.Lists[name] = []int{}
			for _, n := range numbers {
				v.Lists[name] = append(v.Lists[name], int(n))
			}
		default:
			v.Groups[name] = numbers
		}
	}
	return v, nil
}

// admits says how a rule takes an instance, in the words of instances files.
func admits(t *testing.T, r *rule.Rule, v rule.Values) string {
	t.Helper()
	_, err := r.Instance(v, domain.Float32)
	switch {
	case err == nil:
		return "admitted"
	case !errors.Is(err, rule.ErrNotAdmitted):
		t.Fatalf("%s: %v", r.Name, err)
	case strings.Contains(err.Error(), "the guard is not true"):
		return "guard"
	}
	return "left"
}

// TestInstances holds each rule against its instances, and both against the guards that the project's code checks. No
// rule may be mended by narrowing it.
func TestInstances(t *testing.T) {
	for _, file := range []string{"paper", "glenside"} {
		rules := readRules(t, file+".rules")
		table := readInstances(t, file+".instances", rules)
		for _, r := range rules {
			counts, seen := map[bool]int{}, map[string]bool{}
			for _, in := range table[r.Name] {
				where := fmt.Sprintf("%s.instances:%d", file, in.line)
				if seen[in.text] {
					t.Errorf("%s: there twice", where)
				}
				seen[in.text] = true
				got := admits(t, r, in.values)
				if got != in.kind {
					t.Errorf("%s: %s %s: %s, want %s", where, r.Name, in.text, got, in.kind)
				}
				checkGuard(t, where, r, in.values, got)
				counts[got == "admitted"]++
			}
			if counts[true] < 4 || counts[false] < 4 {
				t.Errorf("%s: %d instances admitted, %d not; want 4 of each", r.Name, counts[true], counts[false])
			}
			rng := rand.New(rand.NewPCG(3, uint64(len(r.Name))))
			for range 50 {
				v := r.RandomValues(rng, 3, 4)
				checkGuard(t, "random", r, v, admits(t, r, v))
			}
		}
	}
}

// checkGuard compares how a rule takes an instance with the guard of the project's code.
func checkGuard(t *testing.T, where string, r *rule.Rule, v rule.Values, got string) {
	t.Helper()
	guard := guards[r.Name]
	if guard == nil || got == "left" {
		return
	}
	if want := guard(facts{v, shapesOf(t, r, v)}); want != (got == "admitted") {
		t.Errorf("%s: %s at %v: %s, but the code's guard says %t", where, r.Name, v, got, want)
	}
}

// facts are what a guard looks at.
type facts struct {
	rule.Values
	vars map[string]split
}

// A split is the shape of an access pattern.
type split struct{ access, compute []int64 }

func (s split) dims() []int64 { return slices.Concat(s.access, s.compute) }

// dim returns the size of an axis, or -1 where there is none.
func (s split) dim(axis int64) int64 {
	if axis < 0 || axis >= int64(len(s.dims())) {
		return -1
	}
	return s.dims()[axis]
}

// shapesOf returns the shapes of a rule's variables, whose dims are names and numbers.
func shapesOf(t *testing.T, r *rule.Rule, v rule.Values) map[string]split {
	t.Helper()
	dims := func(list []*rule.Expr) []int64 {
		out := []int64{}
		for _, e := range list {
			switch e.Kind {
			case rule.Group:
				out = append(out, v.Groups[e.Text]...)
			case rule.IntName:
				out = append(out, v.Sizes[e.Text])
			case rule.Int:
				out = append(out, e.Value.Int64())
			default:
				t.Fatalf("%s: a dim is no name", r.Name)
			}
		}
		return out
	}
	out := map[string]split{}
	for _, x := range r.Vars {
		out[x.Name] = split{dims(x.Access), dims(x.Compute)}
	}
	return out
}

// guards are the conditions that the project's code checks, restated over shapes and numbers. Those that it does not
// check are not there: the left side alone decides.
var guards = map[string]func(facts) bool{
	"bubble-reshape-through-cartesian-product": func(f facts) bool {
		return slices.Equal(f.vars["?a"].compute, f.vars["?b"].compute)
	},
	"conv2d-on-hlscnn":                                    always,
	"dot-product-on-vta":                                  func(f facts) bool { return f.rank("?x") == 2 && f.rank("?w") == 2 },
	"bubble-reshape-through-linear-relay":                 func(f facts) bool { return f.rank("?b") == 1 },
	"add-to-bias-add":                                     func(f facts) bool { return f.rank("?b") == 1 },
	"glenside_matmul_to_relay_dense":                      func(f facts) bool { return f.rank("?x") == 2 && f.rank("?w") == 2 },
	"systolic-array-with-blocking-R-C":                    func(f facts) bool { return f.matrices() && f.blocks("?a", "?R", "?b", "?C") },
	"systolic-array":                                      facts.matrices,
	"slice-concatenate-tensor-access-axis-d":              func(f facts) bool { return f.slices(2) },
	"slice-concatenate-access-axis-d-divide-by-2-limit-l": func(f facts) bool { return f.slices(2) },
	"slice-concatenate-access-axis-d-divide-by-3-limit-l": func(f facts) bool { return f.slices(3) },
	"slice-concatenate-access-axis-d-divide-into-g": func(f facts) bool {
		return f.Sizes["?g"] > 0 && f.vars["?a"].dim(f.Sizes["?d"]) == 3*f.Sizes["?g"]
	},
	"slice-concatenate-access-axis-d-slice-once-g": func(f facts) bool {
		return f.Sizes["?g"] >= 0 && f.vars["?a"].dim(f.Sizes["?d"]) > f.Sizes["?g"]
	},
	"bubble-access-concatenate-through-access-cartesian-product-not-item-axis-left":  facts.accessAxis,
	"bubble-access-concatenate-through-access-cartesian-product-not-item-axis-right": facts.accessAxis,
	"bubble-access-concatenate-through-access-cartesian-product-same-axis":           always,
	"bubble-access-concatenate-through-compute-dot-product-not-item-axis":            facts.accessAxis,
	"bubble-access-concatenate-through-compute-dot-product-item-axis":                facts.itemAxis,
	"bubble-access-concatenate-through-access-slice-other-axis": func(f facts) bool {
		return f.Sizes["?d"] != f.Sizes["?e"]
	},
	"bubble-access-concatenate-through-access-slice-left":  func(f facts) bool { return f.Sizes["?h"] <= f.cut() },
	"bubble-access-concatenate-through-access-slice-right": func(f facts) bool { return f.cut() <= f.Sizes["?l"] },
	"bubble-access-concatenate-through-access-slice-straddling": func(f facts) bool {
		return f.Sizes["?l"] < f.cut() && f.cut() < f.Sizes["?h"]
	},
	"pad-slice-accesses-axis-d-pad-to-nearest-multiple-of-m-location-end": func(f facts) bool {
		n, m := f.vars["?a"].dim(f.Sizes["?d"]), f.Sizes["?m"]
		return n >= 0 && m > 0 && n%m != 0
	},
	"pad-slice-accesses-axis-d-pad-to-multiple-limit-l-location-end": func(f facts) bool {
		n, to := f.vars["?a"].dim(f.Sizes["?d"]), f.Sizes["?m"]*f.Sizes["?q"]
		return n >= 0 && n < to && to <= f.Sizes["?l"]
	},
	"bubble-access-slice-through-access-pad-inequal-axes":                      func(f facts) bool { return f.Sizes["?d"] != f.Sizes["?e"] },
	"bubble-access-slice-through-access-cartesian-product-not-item-axis-left":  facts.accessAxis,
	"bubble-access-slice-through-access-cartesian-product-not-item-axis-right": facts.accessAxis,
	"bubble-access-slice-through-access-cartesian-product-same-item-axis":      always,
	"bubble-access-slice-through-compute-dot-product-not-item-axis":            facts.accessAxis,
	"bubble-access-slice-through-compute-dot-product-item-axis":                facts.zerosOutside,
	"bubble-access-slice-through-compute-dot-product-item-axis-stale":          facts.zerosOutside,
	"systolic-array-conv2d-nchw-oihw-with-blocking-R-C":                        facts.channels,
	"systolic-array-conv2d-nhwc-hwio-with-blocking-R-C":                        facts.channels,
	"systolic-array-conv2d-im2col-nchw-oihw-with-blocking-R-C":                 always,
	"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking-R-C":                 always,
	"flexasr-maxpool": func(f facts) bool {
		a := f.vars["?a"]
		return len(a.access) == 1 && a.access[0]%16 == 0 && len(a.compute) == 1
	},
	"reassociate-max":                 facts.windows,
	"reassociate-max-positive-stride": func(f facts) bool { return f.windows() && f.Sizes["?s"] > 0 },
	"simplify-multiple-transposes": func(f facts) bool {
		l, m := f.Lists["?L*"], f.Lists["?M*"]
		for i, at := range m {
			if at < 0 || at >= len(l) || l[at] != i {
				return false
			}
		}
		return len(m) == f.rank("?a")
	},
	"simplify-reduce-max": func(f facts) bool {
		n := int64(1)
		for _, d := range f.vars["?a"].compute {
			n *= d
		}
		return n == 1
	},
	"conv2d-relay-to-glenside-nchw":                         always,
	"conv2d-relay-to-glenside-nhwc":                         always,
	"expand-dims-relay-to-glenside":                         func(f facts) bool { return f.Sizes["?n"] > 0 },
	"eliminate-expand-dims-zero-num-newaxis":                always,
	"simplify-multiple-accesses":                            always,
	"collapse-nested-accesses":                              always,
	"collapse-nested-slices":                                always,
	"collapse-nested-transposes":                            always,
	"remove-trivial-transpose":                              always,
	"bubble-access-concatenate-through-access":              always,
	"bubble-access-transpose-through-access-pad":            always,
	"bubble-access-through-access-transpose":                always,
	"bubble-access-reshape-through-compute-reduce-max":      always,
	"simplify-multiple-access-reshapes":                     always,
	"dense-rewrites":                                        always,
	"flatten-dot-product-to-dense":                          always,
	"flatten-unflatten-all-accesses":                        always,
	"bubble-reshape-through-compute":                        always,
	"access-reshape-to-reshape":                             always,
	"dot-product-to-linear":                                 always,
	"bubble-reshape-through-linear":                         always,
	"bubble-reshape-through-linear-older":                   always,
	"linear-to-flexnlp-relay":                               always,
	"add_bias_add_to_dense":                                 always,
	"dense-relay-to-glenside":                               always,
	"batch-flatten-relay-to-glenside":                       always,
	"transpose-relay-to-glenside":                           always,
	"reshape-relay-to-glenside":                             always,
	"squeeze-relay-to-glenside":                             always,
	"concatenate-relay-to-glenside":                         always,
	"softmax-relay-to-glenside":                             always,
	"max-pool2d-relay-to-glenside-nchw":                     always,
	"access-slice-access-transpose-composition-commutative": always,
	"bubble-access-concatenate-through-access-transpose":    always,
}

func always(facts) bool { return true }

func (f facts) rank(name string) int { return len(f.vars[name].dims()) }

// matrices says that ?a is ((m) (n)) or (() (n)) and ?b is ((o) (n)).
func (f facts) matrices() bool {
	a, b := f.vars["?a"], f.vars["?b"]
	return len(a.access) <= 1 && len(a.compute) == 1 && len(b.access) == 1 && slices.Equal(a.compute, b.compute)
}

// blocks says that two numbers divide the last dim of one variable and the first of another.
func (f facts) blocks(a, rows, b, cols string) bool {
	r, c := f.Sizes[rows], f.Sizes[cols]
	return r > 0 && c > 0 && f.vars[a].compute[0]%r == 0 && f.vars[b].access[0]%c == 0
}

// slices says that axis ?d of ?a is longer than ?l and falls into n equal slices.
func (f facts) slices(n int64) bool {
	size := f.vars["?a"].dim(f.Sizes["?d"])
	return size >= 0 && size%n == 0 && f.Sizes["?l"] >= 0 && size > f.Sizes["?l"]
}

// accessAxis says that ?d is before the split of ?a.
func (f facts) accessAxis() bool {
	return f.Sizes["?d"] >= 0 && f.Sizes["?d"] < int64(len(f.vars["?a"].access))
}

func (f facts) itemAxis() bool { return f.Sizes["?d"] >= int64(len(f.vars["?a"].access)) }

// cut returns where the second operand of a concatenation begins.
func (f facts) cut() int64 { return f.vars["?a"].dim(f.Sizes["?d"]) }

// zerosOutside says that ?d is an axis of items and all that is outside of ?l to ?h was padded.
func (f facts) zerosOutside() bool {
	x, d := f.vars["?x"], f.Sizes["?d"]
	n := x.dim(d)
	return n >= 0 && d >= int64(len(x.access)) && f.Sizes["?l"] <= f.Sizes["?p"] && f.Sizes["?p"]+n <= f.Sizes["?h"]
}

// channels says that rows divide the input channels and columns the output channels.
func (f facts) channels() bool {
	r, c := f.Sizes["?R"], f.Sizes["?C"]
	return r > 0 && c > 0 && f.Sizes["?c"]%r == 0 && f.Sizes["?o"]%c == 0
}

// windows is the guard of reassociate-max.
func (f facts) windows() bool {
	w, s := f.Sizes["?w"], f.Sizes["?s"]
	c := f.vars["?a"].compute
	return len(c) == 1 && c[0] != 0 && w > 0 && c[0]%w == 0 && s <= w
}

// TestGuards holds that every guard is of a rule.
func TestGuards(t *testing.T) {
	names := map[string]bool{}
	for _, r := range readRules(t, "glenside.rules") {
		names[r.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(guards)) {
		if !names[name] {
			t.Errorf("there is no rule %s", name)
		}
	}
}

// Rows of the project's list that are not stated (the head of glenside.rules says why), and numbers that it leaves out.
var (
	notStated = []int{15}
	noRow     = []int{3, 4, 5, 6, 7, 55}
)

// TestCatalogue holds that every row of the project's list is stated, that a mended rule says what it mends, and that
// what is wrong is known to be.
func TestCatalogue(t *testing.T) {
	files, err := filepath.Glob("*.rules")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	rows := map[int]bool{}
	for _, file := range files {
		wants := map[string]string{}
		for _, r := range readRules(t, file) {
			wants[r.Name] = r.Want
			base, fixed := strings.CutSuffix(r.Name, "/fixed")
			switch {
			case fixed && (wants[base] != "refuted" || r.Want != ""):
				t.Errorf("%s mends nothing", r.Name)
			case !fixed && r.Source == "" && file != "lowering.rules": // which tv has beside those that are published
				t.Errorf("%s has no source", r.Name)
			}
			var row int
			if n, _ := fmt.Sscanf(r.Source, "%d", &row); n == 1 && !fixed && file == "glenside.rules" {
				rows[row] = true
			}
		}
	}
	for row := 1; row <= 85; row++ {
		want := !slices.Contains(notStated, row) && !slices.Contains(noRow, row)
		if rows[row] != want {
			t.Errorf("row %d is stated: %t, want %t", row, rows[row], want)
		}
	}
}
