package relay_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/internal/languages"
	"tv/internal/networks"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
	"tv/semantics/glenside"
	"tv/semantics/relay"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
)

// imported is a text as a module, and as a program of Glenside.
func imported(text string) (*syntax.Module, string, error) {
	m, err := syntax.Parse(source.NewFile("a.relay", text), "")
	if err != nil {
		return nil, "", err
	}
	g, err := m.Graph(syntax.Options{})
	if err != nil {
		return nil, "", err
	}
	p, err := translate.New(g, translate.Options{Constants: true})
	if err != nil {
		return nil, "", err
	}
	return m, p.Text, nil
}

var (
	defined = regexp.MustCompile(`\(define (\S+) `)
	named   = regexp.MustCompile(`[^\s()]+`)
)

// numbered gives definitions their numbers for names: texts name them as they please.
func numbered(text string) string {
	numbers := map[string]string{}
	for i, m := range defined.FindAllStringSubmatch(text, -1) {
		numbers[m[1]] = fmt.Sprintf("#%d", i)
	}
	return named.ReplaceAllStringFunc(text, func(word string) string {
		if n, ok := numbers[word]; ok {
			return n
		}
		return word
	})
}

// reprinted fails where a text that is printed and read again is another program.
func reprinted(t *testing.T, text string) {
	t.Helper()
	m, want, err := imported(text)
	if err != nil {
		return
	}
	printed := m.Print()
	again, got, err := imported(printed)
	if err != nil {
		t.Fatalf("%v\n%s\n=>\n%s", err, text, printed)
	}
	if numbered(got) != numbered(want) {
		t.Errorf("%s\n=>\n%s\nis\n%s\nand was\n%s", text, printed, got, want)
	}
	if twice := again.Print(); twice != printed {
		t.Errorf("printed again, it is\n%s\nand was\n%s", twice, printed)
	}
}

// texts are those of testdata, and networks.
func texts(t testing.TB) (list []string) {
	files, err := filepath.Glob("../../testdata/relay/*.txtar")
	litmus, _ := filepath.Glob("../../testdata/languages/relay-*.txtar")
	if err != nil || len(litmus) == 0 {
		t.Fatalf("%d litmus files, %v", len(litmus), err)
	}
	for _, name := range append(files, litmus...) {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if filepath.Ext(f.Name) == ".relay" {
				list = append(list, string(f.Data))
			}
		}
	}
	return list
}

// What is printed reads as the same program.
func TestPrint(t *testing.T) {
	for _, text := range texts(t) {
		reprinted(t, text)
	}
	for _, name := range []string{"resnet-20", "transformer-6", "lstm-35"} {
		reprinted(t, networks.Relay(name, true))
	}
	for seed := range uint64(tier.Pick(100, 2000)) {
		reprinted(t, relay.Draw(seed, 12))
	}
}

func FuzzPrint(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	f.Fuzz(reprinted)
}

// Random texts are in the checker's reading what they are imported as.
func TestReadings(t *testing.T) {
	proved := 0
	for seed := range uint64(tier.Pick(60, 1500)) {
		text := relay.Draw(seed, 3)
		_, program, err := imported(text)
		if err != nil {
			t.Fatal(err)
		}
		before, err := relay.Language.Parse(source.NewFile("a.relay", text))
		if err != nil {
			t.Fatal(err)
		}
		after, err := glenside.Language.Parse(source.NewFile("a.sexp", program))
		if err != nil {
			t.Fatal(err)
		}
		r, err := equiv.Check(context.Background(), equiv.Question{Before: before, After: after}, equiv.Options{Steps: 300_000, Solver: "none"})
		if err != nil {
			if strings.Contains(err.Error(), "empty") {
				continue
			}
			t.Fatalf("%v\n%s", err, text)
		}
		if r.Verdict == equiv.Proved && r.Certificate != nil {
			proved++
		} else if r.Verdict != equiv.Unknown || !strings.Contains(r.Detail, "uninterpreted") {
			t.Errorf("%s %s %s\n%s\n%s", r.Verdict, r.Reason, r.Detail, text, program)
		}
	}
	if proved < 50 {
		t.Errorf("%d texts are proved only", proved)
	}
}

// The checker reads texts without a panic, and where both readings read one, they find the same types.
func FuzzReading(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("a.relay", text)
		read, err := languages.Checker.Readings[relay.Language.Name].Read(file)
		if err != nil {
			return
		}
		parsed, err := relay.Language.Parse(file)
		if err != nil {
			return
		}
		env, err := parsed.Infer()
		if err != nil {
			return
		}
		got, err := read.Type(env)
		if err != nil {
			return
		}
		want, err := parsed.Type(env)
		if err != nil {
			return
		}
		results := got.Results()
		for i, c := range want.Result().Components() {
			if i >= len(results) || !slices.EqualFunc(results[i].Dims, c.Dims, domain.Size.Equal) || results[i].Elem != c.Elem {
				t.Fatalf("component %d is %s\n%s", i, c.Text, text)
			}
		}
		if parts := len(want.Parts()); got.Root() != parts-1 {
			t.Errorf("%d parts, and the checker finds %d\n%s", parts, got.Root()+1, text)
		}
	})
}
