package rise_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// operationPrograms are programs as operations of MLIR in both forms, and in the notation of papers.
func operationPrograms(t *testing.T) map[string][]txtar.File {
	t.Helper()
	files, err := filepath.Glob("../../semantics/rise/testdata/*.txtar")
	if err != nil || len(files) < 49 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	out := map[string][]txtar.File{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = txtar.Parse(data).Files[:3]
	}
	return out
}

// drawn are contents of inputs, by a seed; small ones, so that comparisons go either way.
type drawn int64

func (d drawn) at(name string, k int) int32 {
	h := int64(k)*2654435761 + int64(d)*40503
	for _, c := range name {
		h = h*31 + int64(c)
	}
	return int32(rand.New(rand.NewSource(h)).Intn(23) - 11)
}

var int32s = domain.Elem{Kind: domain.ElemInt, Width: 32}

// Element implements value.Inputs.
func (d drawn) Element(name string, offset int64) value.Value {
	return value.BitsValue(uint64(uint32(d.at(name, int(offset)))), int32s)
}

// indices visits all places of an array.
func indices(dims []int64, visit func([]int64)) {
	total := int64(1)
	for _, d := range dims {
		total *= d
	}
	for k := range total {
		at := make([]int64, len(dims))
		for i, rest := len(dims)-1, k; i >= 0; i-- {
			at[i], rest = rest%dims[i], rest/dims[i]
		}
		visit(at)
	}
}

// evaluated are the elements that the evaluator counts.
func evaluated(text string, in drawn) (out []int32, err error) {
	src, err := languages.Named("rise").Parse(source.NewFile("test", text))
	if err != nil {
		return nil, err
	}
	env, err := src.Infer()
	if err != nil {
		return nil, err
	}
	p, err := src.Type(env)
	if err != nil {
		return nil, err
	}
	e, err := p.Evaluate(domain.Exact, nil, in, nil)
	if err != nil {
		return nil, err
	}
	for _, path := range p.Result().Paths() {
		indices(e.Dims(path), func(at []int64) {
			v, why := e.Element(path, at)
			err = errors.Join(err, why)
			if why == nil {
				n, _ := v.Rat()
				out = append(out, int32(n.Num().Int64()))
			}
		})
	}
	return out, err
}

// stated are the elements that the checker states.
func stated(p algebra.Program, in drawn) (out []int32, err error) {
	defer algebra.Recovered("test", &err)
	b := algebra.NewBuilder()
	size := func(x domain.Size) *algebra.Expr {
		n, _ := x.Const()
		return b.Num(algebra.BigNum(n))
	}
	state := &algebra.State{B: b, Arith: domain.Exact, Size: size, Terms: algebra.NewTerms()}
	l := p.Elements(state, nil)
	for _, r := range p.Results() {
		var dims []int64
		var axes []*algebra.Expr
		for _, d := range r.Dims {
			n, _ := d.Const()
			dims = append(dims, n.Int64())
			axes = append(axes, b.NewVar(b.Const(0), size(d)).Expr())
		}
		term := l.At(p.Root(), r.Path, b.Root, axes)
		indices(dims, func(at []int64) {
			index := map[*algebra.Atom]int64{}
			for i, e := range axes {
				if a := e.Terms(); len(a) > 0 {
					index[a[0].Atoms()[0]] = at[i]
				}
			}
			v, why := run(&terms{index: index, input: in.at}, term)
			err = errors.Join(err, why)
			out = append(out, v)
		})
	}
	return out, err
}

// TestOperations: the elements of operations of MLIR as the evaluator counts them, which was written
// by others, for contents that are drawn.
func TestOperations(t *testing.T) {
	for name, files := range operationPrograms(t) {
		for _, f := range files {
			text := string(f.Data)
			p, err := read(text)
			if err != nil {
				t.Errorf("%s: %s: %v", name, f.Name, err)
				continue
			}
			for seed := range drawn(5) {
				want, err := evaluated(text, seed)
				if err != nil {
					t.Fatal(name, err)
				}
				if got, err := stated(p, seed); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %s: %v, want %v; %v", name, f.Name, got, want, err)
				}
			}
		}
	}
}

// TestOperationMutants: of texts with a word that is left out, doubled or another, what is read is
// what the evaluator computes; and what that refuses the checker does not read in its own way.
func TestOperationMutants(t *testing.T) {
	word := regexp.MustCompile(`[%#!^@]?[A-Za-z_0-9.]+|[^\s\w]`)
	r := rand.New(rand.NewSource(7))
	taken, refused, alone := 0, 0, map[string]string{}
	programs := operationPrograms(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		for _, f := range programs[name][:2] {
			text := string(f.Data)
			places := word.FindAllStringIndex(text, -1)
			for range tier.Draw(10, 40, 150) {
				mutant := mutate(r, text, places)
				p, unread := read(mutant)
				want, err := evaluated(mutant, 1)
				switch {
				case unread != nil:
					refused++
				case err != nil:
					alone[fmt.Sprint(err)] = mutant
				default:
					got, err := stated(p, 1)
					if source.AsErrors(err) != nil {
						refused++
					} else if taken++; !slices.Equal(got, want) {
						t.Errorf("%s\nis %v, want %v; %v", mutant, got, want, err)
					}
				}
			}
		}
	}
	t.Logf("%d are refused, %d are programs", refused, taken)
	for why := range alone {
		t.Errorf("the checker reads what is none: %s\n%s", why, alone[why])
	}
	if taken < 50 || refused < 100 {
		t.Error("too few of either")
	}
}

// TestOperationCertificates: a certificate of a program against itself, in the form that all
// operations have, is none with a mutant that computes something else, with its answers or others.
func TestOperationCertificates(t *testing.T) {
	word := regexp.MustCompile(`[%#!^@]?[A-Za-z_0-9.]+|[^\s\w]`)
	r := rand.New(rand.NewSource(11))
	apart, alike := 0, 0
	programs := operationPrograms(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		pretty, generic := string(programs[name][0].Data), string(programs[name][1].Data)
		s := proofs.Statement{Arith: domain.Exact, Before: generic, After: pretty,
			Languages: [2]string{"rise", "rise"}}
		data, err := witness.Certify(context.Background(), s, witness.Search{Steps: 1 << 16})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pairs, err := languages.Checker.CheckRest("test", data)
		if err != nil {
			t.Fatal(name, err)
		}
		places := word.FindAllStringIndex(pretty, -1)
		for range tier.Draw(20, 50, 150) {
			mutant := mutate(r, pretty, places)
			if _, err := read(mutant); err != nil || !differ(generic, mutant) {
				continue
			}
			pairs[0].After = mutant
			if _, err := languages.Checker.Check("test", proofs.Format(pairs)); err == nil {
				t.Errorf("%s: a certificate of\n%s", name, mutant)
			}
			s.After = mutant
			_, err := witness.Find(context.Background(), s, witness.Search{Steps: 1 << 14})
			if apart++; err == nil {
				t.Errorf("%s: answers for\n%s", name, mutant)
			}
		}
		alike++
	}
	if t.Logf("%d mutants of %d programs compute something else", apart, alike); apart < 50 {
		t.Error("too few mutants")
	}
}

// differ reports whether programs of inputs with the same names are seen to differ.
func differ(x, y string) bool {
	for seed := range drawn(5) {
		v, err := evaluated(x, seed)
		w, other := evaluated(y, seed)
		if err == nil && other == nil && !slices.Equal(v, w) {
			return true
		}
	}
	return false
}

// A change is made at one of the places that it matches.
type change struct{ at, to string }

// changes are those that often leave a program of the same types.
var changes = []change{{`(%\w+), (%\w+)`, "$2, $1"}, {`\((%\w+) : ([^:]*), (%\w+) :`, "($3 : $2, $1 :"}, {`rise\.fst`, "rise.snd"},
	{`rise\.snd`, "rise.fst"}, {`rise\.add`, "rise.mult"}, {`rise\.mult`, "rise.add"}, {`lit<(-?)(\d+)`, "lit<${1}1$2"},
	{`constant (-?\d+)`, "constant 1$1"}, {`arith\.\w+`, "arith.addi"}, {`arith\.\w+`, "arith.muli"}, {`arith\.\w+`, "arith.subi"},
	{`arith\.\w+`, "arith.maxsi"}, {`(arith\.\w+) (%\w+), %\w+`, "$1 $2, $2"}, {`(arith\.\w+) %\w+, (%\w+)`, "$1 $2, $2"},
	{`rise\.(split|transpose|join) #rise.nat<(\d+)> #rise.nat<(\d+)>`, "rise.$1 #rise.nat<$3> #rise.nat<$2>"},
	{`(rise\.pad #rise.nat<\d+>) (#\S+) (#\S+)`, "$1 $3 $2"}, {`(rise\.return|rise.out %\w+ <-) %(\w+)`, "$1 %1"}}

// mutate makes a change, or leaves a word out, doubles it, or has another one for it.
func mutate(r *rand.Rand, text string, places [][]int) string {
	if r.Intn(2) == 0 {
		c := changes[r.Intn(len(changes))]
		re := regexp.MustCompile(c.at)
		if list := re.FindAllStringSubmatchIndex(text, -1); len(list) > 0 {
			m := list[r.Intn(len(list))]
			return text[:m[0]] + string(re.ExpandString(nil, c.to, text, m)) + text[m[1]:]
		}
	}
	at, other := places[r.Intn(len(places))], places[r.Intn(len(places))]
	old := text[at[0]:at[1]]
	with := []string{"", old + " " + old, text[other[0]:other[1]]}[r.Intn(3)]
	var alike []string // most other words would be refused
	for _, p := range places {
		if s := text[p[0]:p[1]]; kindOf(s) == kindOf(old) && s != old {
			alike = append(alike, s)
		}
	}
	if len(alike) > 0 && r.Intn(3) > 0 {
		with = alike[r.Intn(len(alike))]
	}
	return text[:at[0]] + with + text[at[1]:]
}

// kindOf is what a word is.
func kindOf(s string) string {
	switch {
	case strings.HasPrefix(s, "arith."):
		return "op"
	case strings.Trim(s, "0123456789") == "":
		return "n"
	}
	return s[:1]
}
