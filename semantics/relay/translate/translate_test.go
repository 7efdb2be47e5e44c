package translate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/networks"
	"tv/internal/source"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
)

var update = flag.Bool("update", false, "write what is wanted anew")

const testdata = "../../../testdata/relay"

// imported translates a text.
func imported(name, text string, opts translate.Options) (*syntax.Graph, *translate.Program, error) {
	m, err := syntax.Parse(source.NewFile(name, text), "")
	if err != nil {
		return nil, nil, err
	}
	g, err := m.Graph(syntax.Options{})
	if err != nil {
		return nil, nil, err
	}
	p, err := translate.New(g, opts)
	return g, p, err
}

// Each model is the program that stands beside it, with its warnings.
func TestModels(t *testing.T) {
	files, err := filepath.Glob(testdata + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, file := range files {
		if filepath.Base(file) == "refusals.txtar" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g, p, err := imported("model.relay", string(a.Files[0].Data), translate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := p.Text
			for _, w := range append(g.Warnings, p.Warnings...) {
				got += "; " + w.Error() + "\n"
			}
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "program.sexp", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 || string(a.Files[1].Data) != got {
				t.Errorf("the program is\n%s", got)
			}
		})
	}
}

// Each text with one thing wrong is refused at its place, with its code.
func TestRefusals(t *testing.T) {
	a, err := txtar.ParseFile(testdata + "/refusals.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) < 30 {
		t.Errorf("there are %d texts only", len(a.Files))
	}
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			text := string(f.Data)
			place, code, _ := strings.Cut(strings.TrimPrefix(strings.SplitN(text, "\n", 2)[0], "// "), " ")
			_, _, err := imported(f.Name, text, translate.Options{})
			if err == nil {
				t.Fatal("is not refused")
			}
			e := source.AsErrors(err)[0]
			if got := fmt.Sprintf("%d:%d", e.Position().Line, e.Position().Col); got != place || e.Code != code {
				t.Errorf("%s, wanted %s [%s]", e, place, code)
			}
		})
	}
}

// The texts of the codes that are Relay's own have these problems.
func TestCodes(t *testing.T) {
	for _, c := range syntax.Codes() {
		if _, _, err := imported("code.relay", c.Text, translate.Options{}); err == nil || source.AsErrors(err)[0].Code != c.Name {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// Networks of real sizes are read, and have the products that they have.
func TestNetworks(t *testing.T) {
	for name, want := range map[string][3]int{ // conv2d, conv1d, dense
		"resnet-20": {21, 0, 1}, "resnet-50": {53, 0, 1}, "resmlp-12": {0, 12, 26}, "transformer-6": {0, 0, 66}, "lstm-35": {0, 0, 36},
	} {
		for _, simplified := range []bool{false, true} {
			g, p, err := imported(name, networks.Relay(name, simplified), translate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			by, _ := g.Operators()
			if got := [3]int{by["nn.conv2d"], by["nn.conv1d"], by["nn.dense"]}; got != want {
				t.Errorf("%s has %v products, wanted %v", name, got, want)
			}
			if len(p.Parsed.Definitions) < 30 {
				t.Errorf("%s has %d definitions only", name, len(p.Parsed.Definitions))
			}
		}
	}
}

// A text of 16,000 calls is read in time that grows with it.
func BenchmarkImport(b *testing.B) {
	text := networks.RelayChain(16000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := imported("chain", text, translate.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// No text makes the reader panic, and what is read is typed as Glenside types it.
func FuzzImport(f *testing.F) {
	files, err := filepath.Glob(testdata + "/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, t := range a.Files {
			f.Add(string(t.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _, err := imported("fuzz.relay", text, translate.Options{Constants: true})
		if err != nil {
			for _, e := range source.AsErrors(err) {
				if e.Code == "internal" {
					t.Error(err)
				}
			}
		}
	})
}
