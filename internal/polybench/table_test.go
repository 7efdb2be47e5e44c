package polybench

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
)

// steps are those of the engines on a question of the table, at most.
const steps = 100_000

var chosen = flag.String("kernels", "^(gemm|trisolv)$", "the kernels of the table that are asked about, as an expression")

// A row is a line of the table: a pair, what is said of it and of a near miss of its AFTER.
type row struct {
	kernel, form, verdict, miss string
	took                        time.Duration
}

func (r row) String() string {
	return strings.TrimRight(fmt.Sprintf("%-15s %-15s %-22s %s", r.kernel, r.form, r.verdict, r.miss), " ")
}

// TestTable: what is said of some kernels, make polybench asks about all, against each of its forms, and of near misses of these, is what the table says.
// Of a form or a near miss that was refuted neither the prover nor the checker takes a proof.
func TestTable(t *testing.T) {
	names := slices.DeleteFunc(kernels(t), func(name string) bool { return !regexp.MustCompile(*chosen).MatchString(name) })
	golden := filepath.Join(corpus, "table.txt")
	lines := map[string][]string{}
	for _, line := range strings.Split(read(t, "table.txt"), "\n") {
		if kernel, _, ok := strings.Cut(line, " "); ok {
			lines[kernel] = append(lines[kernel], line)
		}
	}
	var all []row
	for _, kernel := range names {
		rows := table(t, kernel)
		all = append(all, rows...)
		var got []string
		for _, r := range rows {
			got = append(got, r.String())
		}
		if *update {
			lines[kernel] = got
		} else if !slices.Equal(got, lines[kernel]) {
			t.Errorf("want\n%s\ngot\n%s", strings.Join(lines[kernel], "\n"), strings.Join(got, "\n"))
		}
	}
	if *update {
		text := ""
		for _, kernel := range kernels(t) {
			text += strings.Join(lines[kernel], "\n") + "\n"
		}
		if err := os.WriteFile(golden, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	summary(t, all)
}

// summary logs how many pairs are decided, and how long that takes.
func summary(t *testing.T, rows []row) {
	count, misses, times := map[string]int{}, map[string]int{}, map[string][]time.Duration{}
	for _, r := range rows {
		t.Log(r, r.took.Round(time.Millisecond))
		verdict, _, _ := strings.Cut(r.verdict, " ")
		count[verdict]++
		times[verdict] = append(times[verdict], r.took)
		misses[r.miss]++
	}
	for verdict, list := range times {
		slices.Sort(list)
		t.Logf("%d %s: %v at the median, %v at the most", count[verdict], verdict, list[len(list)/2], list[len(list)-1])
	}
	t.Log("near misses:", misses)
}

// table are the rows of a kernel: the C against itself and against the MLIR, and this against each form.
func table(t *testing.T, kernel string) []row {
	t.Helper()
	c, m := read(t, kernel+".c"), read(t, kernel+".mlir")
	rows := []row{pair(t, kernel, "c", c, "c", c), pair(t, kernel, "c-mlir", c, "mlir", m)}
	for _, f := range forms(t, kernel) {
		rows = append(rows, pair(t, kernel, strings.TrimSuffix(f.Name, ".mlir"), m, "mlir", string(f.Data)))
	}
	return rows
}

func parse(t *testing.T, name, text string) semantics.Source {
	t.Helper()
	s, err := languages.ByExtension(filepath.Ext(name)).Parse(source.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pair asks about a pair, and about a near miss of its AFTER.
func pair(t *testing.T, kernel, form, before, ext, after string) row {
	t.Helper()
	lang := ".mlir"
	if form == "c" || form == "c-mlir" {
		lang = ".c"
	}
	q := equiv.Question{Before: parse(t, kernel+lang, before), After: parse(t, kernel+"-"+form+"."+ext, after)}
	r := row{kernel: kernel, form: form}
	begun := time.Now()
	r.verdict = ask(t, q, false)
	r.took = time.Since(begun)
	h := fnv.New64()
	h.Write([]byte(kernel + form))
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	q.After = parse(t, kernel+"-"+form+"-miss."+ext, nearMiss(t, rng, ext, after))
	r.miss = ask(t, q, true)
	return r
}

// ask is the verdict on a question, and for an unknown pair of the corpus the reason. What is refuted has no proof.
func ask(t *testing.T, q equiv.Question, miss bool) string {
	t.Helper()
	opts := equiv.Options{Steps: steps, Solver: "none"}
	r, err := equiv.Check(context.Background(), q, opts)
	switch {
	case err != nil:
		return fmt.Sprint("error ", source.AsErrors(err)[0].Code)
	case r.Verdict == equiv.Unknown && !miss:
		return fmt.Sprint(r.Verdict, " ", r.Reason)
	case r.Verdict == equiv.Refuted:
		unproved(t, q, opts)
	}
	return r.Verdict.String()
}

// unproved fails where the prover proves, or the checker accepts, what differs.
func unproved(t *testing.T, q equiv.Question, opts equiv.Options) {
	t.Helper()
	text := q.After.File().Text
	if proved, err := equiv.Prove(context.Background(), q, opts); err == nil && proved {
		t.Errorf("%s: proved, and wrong:\n%s", q.After.File().Name, text)
	}
	s, err := equiv.Statement(q, opts)
	if err != nil {
		return
	}
	if _, err := witness.Certify(context.Background(), s, witness.Search{Steps: steps}); err == nil {
		t.Errorf("%s: certified, and wrong:\n%s", q.After.File().Name, text)
	}
}

// A slip is a small mistake in a text: what stands in one place becomes something else.
type slip struct {
	at  *regexp.Regexp
	new string
}

// slips are in statements, bounds, maps and subscripts of MLIR, and of C.
var slips = map[string][]slip{
	"mlir": {
		{regexp.MustCompile(`arith\.addf`), "arith.subf"}, {regexp.MustCompile(`arith\.subf`), "arith.addf"},
		{regexp.MustCompile(`arith\.mulf`), "arith.addf"}, {regexp.MustCompile(`arith\.maxsi`), "arith.minsi"},
		{regexp.MustCompile(`= 0 to`), "= 1 to"}, {regexp.MustCompile(`step 2`), "step 3"},
		{regexp.MustCompile(`(affine\.for .*)step 4`), "${1}step 5"}, {regexp.MustCompile(`(arith\.constant )([1-9])\b`), "${1}1$2"},
		{regexp.MustCompile(`(affine\.store .*\[)(%\w+), (%\w+)\]`), "$1$3, $2]"},
		{regexp.MustCompile(`(affine\.load .*\[)(%\w+), (%\w+)\]`), "$1$3, $2]"},
		{regexp.MustCompile(`(affine_map<.*\+ )1\)`), "${1}2)"}, {regexp.MustCompile(`(affine_map<.*)- 1\)`), "$1- 2)"},
		{regexp.MustCompile(`(?m)^ *(affine|memref)\.store .*\n`), ""},
	},
	"c": {
		{regexp.MustCompile(`\+=`), "-="}, {regexp.MustCompile(`-=`), "+="}, {regexp.MustCompile(` \* `), " + "},
		{regexp.MustCompile(`= 0; `), "= 1; "}, {regexp.MustCompile(`i \+ 1\]`), "i]"}, {regexp.MustCompile(`j - 1\]`), "j]"},
		{regexp.MustCompile(`\[i\]\[k\]`), "[k][i]"}, {regexp.MustCompile(`\[i\]\[j\] \+`), "[j][i] +"},
		{regexp.MustCompile(`< N; `), "< N - 1; "}, {regexp.MustCompile(`= (0|1)\.0;`), "= 2.0;"},
	},
}

// nearMiss is a text with a slip in it.
func nearMiss(t *testing.T, rng *rand.Rand, ext, text string) string {
	t.Helper()
	var all []string
	for _, s := range slips[ext] {
		for _, at := range s.at.FindAllStringSubmatchIndex(text, -1) {
			changed := string(s.at.ExpandString(nil, s.new, text, at))
			all = append(all, text[:at[0]]+changed+text[at[1]:])
		}
	}
	for _, k := range rng.Perm(len(all)) {
		if all[k] == text { // the subscripts that changed places are one
			continue
		}
		if _, err := languages.ByExtension("." + ext).Parse(source.NewFile("miss."+ext, all[k])); err == nil {
			return all[k]
		}
	}
	t.Fatalf("there is no near miss of\n%s", text)
	return ""
}
