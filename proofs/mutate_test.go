package proofs_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tv/internal/languages"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/semantics/domain"
)

// sample returns the certificates of some pairs of the corpus with answers in them, by file.
var sample = sync.OnceValues(witnesses)

// witnesses finds answers for the pairs of the corpus, of every 16th in the quick tier.
func witnesses() (map[string]proofs.Pair, error) {
	files, err := filepath.Glob("../testdata/check/*.txtar")
	if err != nil {
		return nil, err
	}
	out := map[string]proofs.Pair{}
	for i := 0; i < len(files); i += tier.Pick(16, 1) {
		f := files[i]
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		c, err := casefile.ReadLitmus(source.NewFile(f, string(data)))
		if err != nil {
			return nil, err
		}
		args := strings.Join(c.Args, " ")
		if c.Want != equiv.Proved || strings.Contains(args, "--shapes") {
			continue
		}
		s := proofs.Statement{Before: c.Before.Text, After: c.After.Text,
			Arith: domain.ArithIn(args), Access: strings.Contains(args, "--equal access")}
		p, err := glenside.Parse(c.Before)
		if err != nil || len(p.Inputs) == 0 {
			continue
		}
		if w, err := witness.Find(tier.Steps(400), s, witness.Search{}); err == nil && w != "" { // whole networks take longer
			out[filepath.Base(f)] = proofs.Pair{Statement: s, Witness: w}
		}
	}
	if len(out) < tier.Pick(10, 100) {
		return nil, fmt.Errorf("only %d witnesses with answers", len(out))
	}
	return out, nil
}

var token = regexp.MustCompile(`[vwu]?-?[0-9]+|div|mod|min|max|map|step|cut|order|facts|[+*]`)

// mutants returns witnesses with one token changed, and one line left out or written twice.
func mutants(w string) []string {
	var out []string
	for _, at := range token.FindAllStringIndex(w, -1) {
		old := w[at[0]:at[1]]
		var by []string
		switch n, err := strconv.Atoi(strings.TrimLeft(old, "vwu")); {
		case err != nil:
			swap := map[string]string{"div": "mod", "mod": "div", "min": "max", "max": "min", "+": "*", "*": "+",
				"map": "cut", "step": "cut", "cut": "map", "order": "facts", "facts": "order"}
			by = []string{swap[old]}
		case strings.ContainsAny(old, "vwu"):
			name := map[byte]string{'v': "w", 'w': "v", 'u': "v"}[old[0]]
			by = []string{old[:1] + strconv.Itoa(n+1), name + strconv.Itoa(n)}
		default:
			by = []string{strconv.Itoa(n + 1), strconv.Itoa(n - 1)}
		}
		for _, x := range by {
			out = append(out, w[:at[0]]+x+w[at[1]:])
		}
	}
	lines := strings.SplitAfter(w, "\n")
	for i := range lines[:len(lines)-1] {
		out = append(out, strings.Join(append(append([]string(nil), lines[:i]...), lines[i+1:]...), ""))
		out = append(out, strings.Join(append(append([]string(nil), lines[:i+1]...), lines[i:]...), ""))
	}
	return out
}

// TestMutatedWitness changes every field of witnesses. What a map and its inverse say has no second
// reading: all changes are refused. A cut may be made elsewhere, the same map may answer the goal of
// the other side, and an answer may turn out not to be needed: these few are counted.
func TestMutatedWitness(t *testing.T) {
	pairs, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	refused, accepted, lines := 0, 0, map[string]int{}
	for name, p := range pairs {
		if len(p.Witness) > 600 {
			continue
		}
		for _, m := range mutants(p.Witness) {
			if m == p.Witness {
				continue
			}
			q := p
			q.Witness = m
			_, err := languages.Checker.Check(name, proofs.Format([]proofs.Pair{q}))
			if err != nil {
				if e := source.AsErrors(err)[0]; !strings.HasPrefix(e.Code, "certificate-") {
					t.Errorf("%s: %v", name, err)
				}
				refused++
				continue
			}
			accepted++
			kind := "left out"
			if was, is := strings.Split(p.Witness, "\n"), strings.Split(m, "\n"); len(was) == len(is) {
				for i := range was {
					if was[i] != is[i] {
						kind = strings.Fields(is[i])[1]
						_, before, _ := strings.Cut(was[i], " ")
						_, after, _ := strings.Cut(is[i], " ")
						if (kind == "(map" || kind == "(step") && before != after {
							t.Errorf("%s: %s became %s, and was accepted", name, was[i], is[i])
						}
					}
				}
			}
			lines[kind]++
		}
	}
	t.Logf("%d refused, %d accepted: %v", refused, accepted, lines)
}

// TestDamage changes, drops and doubles bytes: the digest refuses all of it, and with a digest made anew
// nothing panics.
func TestDamage(t *testing.T) {
	pairs, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(pairs))
	for i, n := 0, min(len(names), tier.Pick(4, 16)); i < n; i++ {
		name := names[i*len(names)/n]
		p := pairs[name]
		data := proofs.Format([]proofs.Pair{p})
		for i := 0; i < len(data); i += 1 + len(data)/150 {
			for _, d := range [][]byte{
				append(append(bytes.Clone(data[:i]), data[i]^1), data[i+1:]...),
				append(bytes.Clone(data[:i]), data[i+1:]...),
				data[:i],
			} {
				if _, err := languages.Checker.Check(name, d); err == nil {
					t.Errorf("%s: accepted with byte %d damaged", name, i)
				}
				if end := bytes.LastIndex(d, []byte("sha256 ")); end > 0 {
					_, _ = languages.Checker.Check(name, proofs.Signed(d[:end]))
				}
			}
		}
	}
}

// TestDeterminism makes witnesses twice.
func TestDeterminism(t *testing.T) {
	first, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	second, err := witnesses()
	if err != nil || len(first) != len(second) {
		t.Fatalf("%d witnesses, then %d (%v)", len(first), len(second), err)
	}
	for name, p := range first {
		if string(proofs.Format([]proofs.Pair{p})) != string(proofs.Format([]proofs.Pair{second[name]})) {
			t.Errorf("%s: two certificates for one question", name)
		}
	}
}

// TestSize holds certificates to four times the text and 64 kB.
func TestSize(t *testing.T) {
	pairs, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range pairs {
		if n, most := len(proofs.Format([]proofs.Pair{p})), 4*len(p.Before+p.After)+64<<10; n > most {
			t.Errorf("%s: %d bytes, more than %d", name, n, most)
		}
	}
}

// TestCode holds the checker to lines of 100 columns, and counts them: it is to be read.
func TestCode(t *testing.T) {
	page, err := os.ReadFile("../doc/certificates.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []struct {
		most int
		says string
		dirs []string
	}{
		{maxCode, "%s lines of code", []string{".", "algebra", "glenside"}},
		{560, "machine words %s", []string{"words"}},
		{230, "comprehensions another %s", []string{"comprehension"}},
		{530, "procedures share %s", []string{"procedures"}},
		{3_800, "nests of loops take %s", []string{"loops"}},
		{3_700, "the reading of C %s", []string{"cnest"}},
		{3_650, "that of MLIR %s", []string{"mlir"}},
		{1_060, "that of Tensor Comprehensions %s", []string{"tc"}},
		{4_250, "that of RISE %s", []string{"rise"}},
		{2_000, "that of Relay %s", []string{"relay"}},
		{2_500, "proofs by recurrences %s", []string{"recur"}},
		{1_000, "explanations of mapped programs %s", []string{"mapped"}},
		{6_300, "specifications over bit-vectors and netlists %s", []string{"bits", "bits/bv", "bits/circuit", "bits/gates", "bits/verilog"}},
		{1_500, "comb, Calyx and Reticle %s", []string{"bits/calyx", "bits/comb", "bits/reticle", "bits/tokens"}},
	} {
		code := codeOf(t, group.dirs)
		if t.Logf("%s: %d lines of code", group.dirs, code); code > group.most {
			t.Errorf("%s: %d lines of code, more than %d", group.dirs, code, group.most)
		}
		count := fmt.Sprint(code)
		if code >= 1000 {
			count = fmt.Sprintf("%d,%03d", code/1000, code%1000)
		}
		if says := fmt.Sprintf(group.says, count); !strings.Contains(string(page), says) {
			t.Errorf("doc/certificates.md does not say %q", says)
		}
	}
}

// codeOf counts the lines of packages that are neither blank nor comments.
func codeOf(t *testing.T, dirs []string) (code int) {
	var files []string
	for _, dir := range dirs {
		list, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(list), err)
		}
		files = append(files, list...)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || slices.Contains([]string{"view.go", "algebra/goals.go"}, f) {
			continue // no check needs these
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if n := len([]rune(strings.ReplaceAll(line, "\t", "    "))); n > 100 {
				t.Errorf("%s:%d: %d columns", f, i+1, n)
			}
			if s := strings.TrimSpace(line); s != "" && !strings.HasPrefix(s, "//") {
				code++
			}
		}
	}
	return code
}

// maxCode bounds the lines of the checker that are neither blank nor comments.
const maxCode = 10_600

func FuzzCheck(f *testing.F) {
	f.Add([]byte("tv-certificate 1 semantics 1\n"))
	f.Add([]byte("pair real, tensor\ndeclared 0\n\nbefore 36\n(input A (shape 3))\n(access-tensor A)\n" +
		"after 17\n(access-tensor A)\nwitness 0\n\n"))
	for _, p := range planted {
		s := proofs.Statement{Arith: domain.ArithOf(p.exact), Access: p.access, Before: p.before, After: p.after}
		f.Add(proofs.Format([]proofs.Pair{{Statement: s, Witness: p.witness}}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if i := bytes.LastIndex(data, []byte("sha256 ")); i >= 0 {
			data = data[:i]
		}
		for _, d := range [][]byte{data, proofs.Signed(data)} {
			if _, err := languages.Checker.Check("fuzz", d); err != nil {
				for _, e := range source.AsErrors(err) {
					if !strings.HasPrefix(e.Code, "certificate-") {
						t.Fatalf("%v", err)
					}
				}
			}
		}
	})
}
