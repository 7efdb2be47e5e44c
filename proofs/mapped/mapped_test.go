package mapped_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/glenside/rule"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs/mapped"
	"tv/semantics/domain"
)

const maps = "../../testdata/maps/"

// A parts is an explanation in parts: what the sections hold, without lengths and digests.
type parts struct {
	about          string
	rules          []*rule.Rule
	certificates   [][]byte
	source, result string
	proof          string
}

// bytes writes the file.
func (p *parts) bytes() []byte {
	var b bytes.Buffer
	part := func(head, text string, digest bool) {
		if digest {
			head += fmt.Sprintf(" %x", sha256.Sum256([]byte(text)))
		}
		fmt.Fprintf(&b, "%s %d\n%s\n", head, len(text), text)
	}
	b.WriteString("tv-map 1 semantics 1\n")
	for _, r := range p.rules {
		part("rule "+r.Name, r.Span.Text(), true)
	}
	for _, c := range p.certificates {
		part("certificate", string(c), true)
	}
	part("source", p.source, false)
	part("result", p.result, false)
	b.WriteString(p.proof)
	return signed(b.Bytes())
}

func signed(text []byte) []byte { return fmt.Appendf(text, "sha256 %x\n", sha256.Sum256(text)) }

var proved sync.Map // certificates by the text of the rule, the direction and what else is asked

// certificates are those of a rule in both directions, in all its types.
func certificates(t testing.TB, r *rule.Rule, arith domain.Arith) (list [][]byte) {
	t.Helper()
	types := r.Types
	if len(types) == 0 {
		types = []domain.Elem{domain.Float32}
	}
	for _, elem := range types {
		key := fmt.Sprint(r.Span.Text(), elem, arith)
		both, ok := proved.Load(key)
		if !ok {
			opts := equiv.Options{Arith: arith}
			forth, back, err := rules.Both(t.Context(), r, elem, opts)
			if err != nil || forth.Certificate == nil {
				t.Fatalf("%s: %v, %v %s", r.Name, err, forth.Verdict, forth.Detail)
			}
			list := [][]byte{forth.Certificate}
			if back.Certificate != nil {
				list = append(list, back.Certificate)
			}
			both = list
			proved.Store(key, both)
		}
		list = append(list, both.([][]byte)...)
	}
	return list
}

// read reads an explanation from a file of testdata/maps.
func read(t testing.TB, name string) *parts {
	t.Helper()
	a, err := txtar.ParseFile(maps + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := &parts{about: string(a.Comment)}
	var stated []*rule.Rule
	for _, f := range a.Files {
		text := string(f.Data)
		switch f.Name {
		case "rules":
			if strings.TrimSpace(text) == "" {
				continue
			}
			if p.rules, err = rule.Parse(source.NewFile(name, text)); err != nil {
				t.Fatal(err)
			}
		case "contracts": // rules without certificates
			if stated, err = rule.Parse(source.NewFile(name, text)); err != nil {
				t.Fatal(err)
			}
		case "source":
			p.source = text
		case "result":
			p.result = text
		case "proof":
			p.proof = text
		}
	}
	defer func() {
		p.rules = append(p.rules, stated...)
		slices.SortFunc(p.rules, func(a, b *rule.Rule) int { return strings.Compare(a.Name, b.Name) })
	}()
	for _, r := range p.rules {
		p.certificates = append(p.certificates, certificates(t, r, domain.Auto)...)
	}
	return p
}

func check(data []byte) (*mapped.Claim, error) { return mapped.Check("a.map", data, languages.Checker) }

// names lists the files.
func names(t testing.TB) (list []string) {
	t.Helper()
	files, err := filepath.Glob(maps + "*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files")
	}
	for _, f := range files {
		list = append(list, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return list
}

// refused are the files that are about what is refused: their first line says why.
func isRefused(p *parts) bool { return strings.HasPrefix(p.about, "certificate-") }

// TestMaps checks explanations that are right, and refuses the others for the reason that they give.
func TestMaps(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read(t, name)
			c, err := check(p.bytes())
			switch {
			case isRefused(p):
				first, _, _ := strings.Cut(p.about, "\n")
				want(t, err, first)
			case err != nil:
				t.Error(err)
			case c.Source != p.source || c.Result != p.result || !slices.Contains(c.Ariths, domain.Auto):
				t.Errorf("%+v", c)
			}
		})
	}
}

// want compares an error with "CODE: a part of the message".
func want(t *testing.T, err error, text string) {
	t.Helper()
	code, msg, _ := strings.Cut(text, ": ")
	if err == nil {
		t.Fatalf("accepted, and wanted: %s", text)
	}
	if e := source.AsErrors(err)[0]; e.Code != code || !strings.Contains(e.Msg, msg) {
		t.Errorf("got  %s: %s\nwant %s", e.Code, e.Msg, text)
	}
}

// TestFaults edits explanations that are right, as faults.txt says: each is refused, for the reason that is wanted.
func TestFaults(t *testing.T) {
	text, err := os.ReadFile(maps + "faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for block := range strings.SplitSeq(string(text), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(block), "\n"), func(l string) bool {
			return strings.HasPrefix(l, "#")
		})
		if len(lines) == 0 || lines[0] == "" {
			continue
		}
		count++
		name, why, _ := strings.Cut(lines[0], " ")
		t.Run(fmt.Sprintf("%d-%s", count, name), func(t *testing.T) {
			p := read(t, name)
			data := p.bytes()
			for len(lines) > 1 {
				data = edited(t, p, data, lines[1:])
				lines = lines[:1]
			}
			_, err := check(data)
			want(t, err, why)
		})
	}
	if count < 20 {
		t.Errorf("only %d faults", count)
	}
}

// edited applies the edits of a fault: "- OLD" and "+ NEW" replace in the whole file, "rule ..." in the texts of rules before
// digests are made, and likewise source and result; the others are about certificates.
func edited(t *testing.T, p *parts, data []byte, lines []string) []byte {
	t.Helper()
	var old string
	where := &p.proof
	replace := func(text *string, new string) {
		if strings.Count(*text, old) != 1 {
			t.Fatalf("%q stands there %d times", old, strings.Count(*text, old))
		}
		*text = strings.Replace(*text, old, new, 1)
	}
	rest := func(line string) string {
		_, rest, _ := strings.Cut(line, " ")
		return strings.ReplaceAll(rest, `\n`, "\n")
	}
	whole := false
	for _, line := range lines {
		switch word, _, _ := strings.Cut(line, " "); word {
		case "in":
			switch rest(line) {
			case "source":
				where = &p.source
			case "result":
				where = &p.result
			case "proof":
				where = &p.proof
			case "file":
				whole = true
				data = p.bytes()
			}
		case "-":
			old = rest(line)
		case "+":
			if whole {
				text := string(data[:bytes.LastIndex(data, []byte("sha256 "))])
				replace(&text, rest(line))
				data = signed([]byte(text))
				continue
			}
			replace(where, rest(line))
		case "rule": // the text of a rule, with its certificates as they were
			var r *rule.Rule
			for i := range p.rules {
				text := p.rules[i].Span.Text()
				if a, b, _ := strings.Cut(rest(line), " => "); strings.Contains(text, a) {
					again, err := rule.Parse(source.NewFile("rule", strings.Replace(text, a, b, 1)))
					if err != nil {
						t.Fatal(err)
					}
					p.rules[i], r = again[0], again[0]
				}
			}
			if r == nil {
				t.Fatalf("no rule has %s", line)
			}
		case "drop": // a certificate by its number
			i, err := strconv.Atoi(rest(line))
			if err != nil {
				t.Fatal(err)
			}
			p.certificates = slices.Delete(p.certificates, i, i+1)
		default:
			t.Fatalf("no edit: %s", line)
		}
	}
	if whole {
		return data
	}
	return p.bytes()
}

var number = regexp.MustCompile(`[0-9]+`)

// mutants are the edits of one line each: it is left out, exchanged with the next, written twice, each of its numbers is
// changed, and its reason turned round.
func mutants(lines []string, f func(what string, lines []string)) {
	with := func(what string, i, j int, by ...string) {
		f(fmt.Sprintf("%s %d: %.60s", what, i, lines[i]), slices.Concat(lines[:i], by, lines[j:]))
	}
	for i, line := range lines {
		with("without", i, i+1)
		with("twice", i, i)
		if i+1 < len(lines) {
			with("exchanged", i, i+2, lines[i+1], line)
		}
		for _, m := range number.FindAllStringIndex(line, -1) {
			n, err := strconv.Atoi(line[m[0]:m[1]])
			if err != nil {
				continue
			}
			for _, by := range []int{n + 1, n - 1, n + 2, 0} {
				if by != n {
					with(fmt.Sprintf("%d for %d in", by, n), i, i+1, line[:m[0]]+strconv.Itoa(by)+line[m[1]:])
				}
			}
		}
		for _, way := range [][2]string{{" -> ", " <- "}, {" <- ", " -> "}, {" reversed", ""}, {"[", "[1 "}, {"(", "(0 "}} {
			if by := strings.Replace(line, way[0], way[1], 1); by != line {
				with("turned", i, i+1, by)
			}
		}
		if strings.Contains(line, "= lemma") {
			with("turned", i, i+1, line+" reversed")
		}
	}
}

// TestMutants changes each line of what is right. What is accepted then says what it said before: of other programs nothing is.
func TestMutants(t *testing.T) {
	for _, name := range tier.Pick([]string{"backwards", "reversed"}, names(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read(t, name)
			if isRefused(p) {
				return
			}
			tried, accepted := 0, 0
			try := func(what string, q *parts) {
				tried++
				c, err := check(q.bytes())
				if err != nil {
					return
				}
				accepted++
				if c.Source != p.source || c.Result != p.result {
					t.Errorf("%s: accepted, of\n%s%s", what, c.Source, c.Result)
				}
			}
			mutants(strings.SplitAfter(strings.TrimSuffix(p.proof, "\n"), "\n"), func(what string, lines []string) {
				q := *p
				q.proof = strings.Join(lines, "")
				if !strings.HasSuffix(q.proof, "\n") {
					q.proof += "\n"
				}
				try(what, &q)
			})
			for _, side := range []string{"source", "result"} {
				text := map[string]*string{"source": &p.source, "result": &p.result}[side]
				mutants([]string{strings.TrimSuffix(*text, "\n")}, func(what string, lines []string) {
					q := *p
					*map[string]*string{"source": &q.source, "result": &q.result}[side] = strings.Join(lines, "\n") + "\n"
					try(side+" "+what, &q)
				})
			}
			t.Logf("%d of %d mutants are accepted, and say the same", accepted, tried)
			if accepted*5 > tried {
				t.Error("too many")
			}
		})
	}
}

// TestArithmetics certifies rules in other arithmetics: what is claimed is what all steps are proved in, and floats bit for bit
// are no real numbers, nor integers real numbers integers.
func TestArithmetics(t *testing.T) {
	for _, c := range []struct {
		name  string
		arith domain.Arith
		want  []domain.Arith
	}{
		{"words", domain.Auto, []domain.Arith{domain.Auto, domain.Exact}},
		{"words", domain.Exact, []domain.Arith{domain.Auto, domain.Exact}},
		{"words", domain.Real, []domain.Arith{domain.Real}},
		{"backwards", domain.Auto, []domain.Arith{domain.Auto, domain.Real}},
		{"backwards", domain.Real, []domain.Arith{domain.Auto, domain.Real}},
		{"backwards", domain.Exact, []domain.Arith{domain.Exact}},
		{"same", domain.Auto, []domain.Arith{domain.Auto, domain.Exact, domain.Real}},
	} {
		p := read(t, c.name)
		p.certificates = nil
		for _, r := range p.rules {
			p.certificates = append(p.certificates, certificates(t, r, c.arith)...)
		}
		got, err := check(p.bytes())
		if err != nil || !slices.Equal(got.Ariths, c.want) {
			t.Errorf("%s certified in %s: %+v, %v", c.name, c.arith, got, err)
		}
	}
}

// TestDamaged changes each byte of a file, as it lies on a disk.
func TestDamaged(t *testing.T) {
	data := read(t, "backwards").bytes()
	for i := range data {
		if i%7 != 0 {
			continue
		}
		c := bytes.Clone(data)
		c[i] ^= 1
		if _, err := check(c); err == nil {
			t.Errorf("byte %d is changed, and accepted", i)
		}
	}
}

// FuzzCheck checks whatever is written behind the header, as if it were meant.
func FuzzCheck(f *testing.F) {
	for _, name := range names(f) {
		data := read(f, name).bytes()
		f.Add(data[:bytes.LastIndex(data, []byte("sha256 "))])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := check(signed(bytes.Clone(data)))
		if err != nil {
			_ = source.AsErrors(err)[0].Error()
			return
		}
		if len(c.Ariths) == 0 {
			t.Errorf("%+v", c)
		}
	})
}
