package syntax

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/procedures"
	"tv/semantics/words"
)

func TestFormat(t *testing.T) {
	const heading = "procedure f(A float32[N, 2*M], B float32[])"
	for _, test := range []struct{ text, want string }{
		{"\n\n  procedure   f ( A float32[N,2 * M],B float32[ ] )\r\n\r\n\r\nA ( i,j )+=!-  A(2 * i-1 , - j)*(B( )+1)#  why  \n\n",
			heading + "\n\nA(i, j) +=! -A(2*i - 1, -j) * (B() + 1) #  why\n"},
		{"# a\n\n\n\n#b\n" + heading + "\nB() = - -A(-(1)*0,(0)) - (1) where\ti in - 1 : M * (N+1) ,j in 0:-N",
			"# a\n\n#b\n" + heading + "\nB() = --A(-(1)*0, (0)) - (1) where i in -1:M*(N + 1), j in 0:-N\n"},
		{heading + "\nB()=1e-3*2", heading + "\nB() = 1e-3 * 2\n"},
	} {
		if got := Format(&Program{Program: procedures.Program{Text: source.NewFile("p", test.text)}}); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

// Formatting keeps programs and comments, and formatting again changes nothing.
func TestFormatKeeps(t *testing.T) {
	for name, text := range corpus(t) {
		p, err := Parse(source.NewFile(name, text))
		if err != nil {
			t.Fatal(err)
		}
		once := Format(p)
		q, err := Parse(source.NewFile(name, once))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, once)
			continue
		}
		if dump(p) != dump(q) {
			t.Errorf("%s is another program when formatted:\n%s", name, once)
		}
		if twice := Format(q); twice != once {
			t.Errorf("%s changes when formatted again:\n%s\nthen\n%s", name, once, twice)
		}
		if strings.Count(text, "#") != strings.Count(once, "#") {
			t.Errorf("%s loses comments:\n%s", name, once)
		}
		closed := strings.NewReplacer(" + ", "+", " - ", "-", ", ", ",").Replace(text)
		if r, err := Parse(source.NewFile(name, closed)); err != nil || Format(r) != once {
			t.Errorf("%s: %v: another layout is not laid out the same", name, err)
		}
	}
}

// corpus returns the programs of the tree and generated ones.
func corpus(t *testing.T) map[string]string {
	texts := map[string]string{}
	for k := range uint64(500) {
		texts[fmt.Sprint("seed ", k)] = string(Generate(k))
	}
	files, err := filepath.Glob("../../../testdata/languages/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".comp" {
			texts[name] = string(data)
		}
		for _, f := range txtar.Parse(data).Files {
			if filepath.Ext(f.Name) == ".comp" {
				texts[name+"/"+f.Name] = string(f.Data)
			}
		}
	}
	if len(texts) < 520 {
		t.Errorf("there are %d programs only", len(texts))
	}
	return texts
}

// dump writes all of a program but places.
func dump(p *Program) string {
	var out strings.Builder
	fmt.Fprintln(&out, p.Procedure, p.Name)
	for _, q := range p.Parameters {
		fmt.Fprintln(&out, q.Name, q.Elem, q.Dims, q.Written, q.Seen)
	}
	for _, s := range p.Statements {
		fmt.Fprintln(&out, s.Target.Name, s.Name, s.Whole)
		for _, list := range [][]*procedures.Index{s.Free, s.Summed} {
			for _, i := range list {
				fmt.Fprint(&out, i.Name, " in ", i.Lo, ":", i.Hi, "; ")
			}
			fmt.Fprintln(&out)
		}
		s.Value.Visit(func(n *words.Node) {
			fmt.Fprintf(&out, "%s%d", n.Op, len(n.Args))
			switch x := n.Note.(type) {
			case *big.Rat:
				fmt.Fprint(&out, " ", x)
			case *Read:
				fmt.Fprint(&out, x.Tensor.Name)
				for _, sub := range x.At {
					fmt.Fprint(&out, " at ", sub.Rest)
					for _, f := range sub.Terms {
						fmt.Fprint(&out, " + ", f.Factor, f.Index.Name)
					}
				}
			}
			fmt.Fprintln(&out)
		})
	}
	return out.String()
}

// Generated programs use what the language has.
func TestGenerate(t *testing.T) {
	seen := map[string]int{}
	for k := range uint64(500) {
		text := string(Generate(k))
		if text != string(Generate(k)) {
			t.Fatalf("seed %d gives two programs", k)
		}
		p, err := Parse(source.NewFile("p", text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		seen[text]++
		seen[fmt.Sprint("procedure ", p.Procedure)]++
		seen[fmt.Sprint("statements ", len(p.Statements))]++
		for _, q := range p.Parameters {
			seen[fmt.Sprint("old contents ", q.Seen && q.Written)]++
		}
		for _, s := range p.Statements {
			seen[s.Name]++
			seen[fmt.Sprint("ranges ", !s.Whole)]++
			seen[fmt.Sprint("summed ", len(s.Summed))]++
			s.Value.Visit(func(n *words.Node) { seen[fmt.Sprint(n.Op, len(n.Args))]++ })
		}
		if len(p.Under(&domain.Env{}, nil).Conditions()) > 0 {
			seen["conditions"]++
		}
	}
	for _, what := range []string{"procedure true", "procedure false", "statements 1", "statements 4", "old contents true",
		"=", "+=", "+=!", "ranges true", "summed 1", "summed 2", "+2", "-2", "*2", "-1", "number0", "call1", "conditions"} {
		if seen[what] < 15 {
			t.Errorf("%d programs with %s", seen[what], what)
		}
	}
	if n := len(seen); n < 400 {
		t.Errorf("%d different programs only", n)
	}
}
