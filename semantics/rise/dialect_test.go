package rise

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/dialect"
	"tv/semantics/value"
)

// numbered are the contents of all inputs in testdata.
type numbered struct{}

func (numbered) Element(_ string, offset int64) value.Value {
	return value.BitsValue(uint64((offset*7+3)%11-4)&0xffffffff, i32)
}

// results are the elements of a program without sizes, row by row.
func results(t *testing.T, name, text string) string {
	t.Helper()
	src, err := Language.Parse(source.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	env, err := src.Infer()
	if err != nil {
		t.Fatal(err)
	}
	p, err := src.Type(env)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Evaluate(domain.Auto, nil, numbered{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range p.Result().Paths() {
		dims := e.Dims(path)
		for at := make([]int64, len(dims)); ; {
			v, err := e.Element(path, at)
			if err != nil {
				t.Fatal(err)
			}
			if out = append(out, fmt.Sprint(v)); !index.Next(at, dims) {
				break
			}
		}
	}
	return strings.Join(out, " ")
}

// TestDialect: programs with each pattern in both forms, in the notation of papers, and their results, counted by another
// program; evaluator and lowering agree on each, and the layout is one of the same program.
func TestDialect(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sections := txtar.Parse(data).Files
			want := strings.TrimSpace(string(sections[3].Data))
			for _, s := range sections[:3] {
				text := string(s.Data)
				if got := results(t, s.Name, text); got != want {
					t.Errorf("%s: %s, want %s", s.Name, got, want)
				}
				if n, err := agree(t, text, domain.Point{}); n == 0 || err != nil {
					t.Errorf("%s: %d elements compared, %v", s.Name, n, err)
				}
				if strings.HasSuffix(s.Name, ".rise") {
					continue
				}
				layout := dialect.Format(text)
				if got := results(t, s.Name, layout); got != want || dialect.Format(layout) != layout {
					t.Errorf("%s: laid out as\n%s\nit is %s", s.Name, layout, got)
				}
			}
		})
	}
}

// TestDialectFaults: what is wrong is told where it stands, all of it.
func TestDialectFaults(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{``, "1:1 unbound-name"},
		{`%x = rise.in %in : !rise.array<4, scalar<f32>>`, "1:6 output-unknown"},
		{`%x = rise.in %im : !rise.array<4, scalar<f32>>
rise.out %out <- %x`, "2:14 unbound-name"},
		{`%x = rise.in %in : !rise.array<4, scalar<f32>>
rise.out %out <- %y`, "3:18 unbound-name"},
		{`%x = rise.in %in : !rise.array<4, scalar<f32>>
%x = rise.in %in : !rise.array<4, scalar<f32>>
rise.out %out <- %x`, "3:1 redefined-name"},
		{`%x = rise.in %in : !rise.array<4, scalar<f32>>
rise.out %out <- %x
rise.out %out <- %x`, "4:1 unsupported-op"},
		{`%x = rise.in %in : !rise.array<4, scalar<f32>>
rise.out %in <- %x`, "3:1 unsupported-op"},
		{`%x = rise.in %in : !rise.array<4, scalar<f32>>
rise.out %x <- %x`, "1:6 output-unknown; 3:10 type-mismatch"},
		{`%x = rise.in %in
%m = rise.map #rise.nat<4> #rise.scalar<f32> #rise.scalar<f32>
%f = rise.lambda (%x : !rise.scalar<f32>) -> !rise.scalar<f32> {
rise.return %x : !rise.scalar<f32>
}
%r = rise.apply %m, %f, %x
rise.out %out <- %r`, "4:19 redefined-name"},
		{`%x = rise.in %in : !rise.array<5, scalar<f32>>
rise.out %out <- %x`, "2:20 type-mismatch"},
		{`%x = rise.in %in : !rise.array<4, scalar<i32>>
rise.out %out <- %x`, "2:20 type-mismatch"},
		{`%x = rise.in %in : !rise.array<4, f32>
rise.out %out <- %x`, "2:35 unknown-type"},
		{`%x = rise.in %in : !rise.aray<4, scalar<f32>>
rise.out %out <- %x`, "2:20 unknown-type"},
		{`%x = rise.in %in : !rise.array<4, scalar<f80>>
rise.out %out <- %x`, "2:42 unknown-type"},
		{`%x = "rise.in"(%in) : (memref<5xf32>) -> !rise.array<4, scalar<f32>>
"rise.out"(%out, %x) : (memref<4xf32>, !rise.array<3, scalar<f32>>) -> ()`, "2:24 type-mismatch; 3:40 type-mismatch"},
		{`%m = rise.map #rise.nat<4> #rise.scalar<f32>
%x = rise.in %in
rise.out %out <- %x`, "2:6 wrong-arity"},
		{`%m = rise.map #rise.scalar<f32> #rise.nat<4> #rise.scalar<f32>
%x = rise.in %in
rise.out %out <- %x`, "2:15 type-mismatch; 2:33 type-mismatch"},
		{`%m = rise.map #rise.nat<4> #rise.scalar<f32> #rise.scalar<f32> #rise.scalar<f32>
%x = rise.in %in
rise.out %out <- %x`, "2:64 wrong-arity"},
		{`%m = "rise.map"() {n = #rise.nat<4>, s = #rise.scalar<f32>} : () -> !rise.fun<fun<scalar<f32> -> scalar<f32>> -> fun<array<4, scalar<f32>> -> array<4, scalar<f32>>>>
%x = rise.in %in
rise.out %out <- %x`, "2:6 wrong-arity"},
		{`%m = "rise.map"() {n = #rise.nat<4>, s = #rise.scalar<f32>, t = #rise.scalar<f32>, u = #rise.nat<1>} : () -> !rise.fun<fun<scalar<f32> -> scalar<f32>> -> fun<array<5, scalar<f32>> -> array<4, scalar<f32>>>>
%x = rise.in %in
rise.out %out <- %x`, "2:88 bad-syntax; 2:110 type-mismatch"},
		{`%m = rise.mapSeq {to = "gpu"} #rise.nat<4> #rise.scalar<f32> #rise.scalar<f32>
%x = rise.in %in
rise.out %out <- %x`, "2:24 bad-syntax"},
		{`%s = rise.split #rise.nat<0> #rise.nat<4> #rise.scalar<f32>
%x = rise.in %in
rise.out %out <- %x`, "2:17 bad-size"},
		{`%s = rise.map #rise.nat<4> #rise.fun<scalar<f32> -> scalar<f32>> #rise.scalar<f32>
%x = rise.in %in
rise.out %out <- %x`, "2:28 type-mismatch"},
		{`%x = rise.in %in
%p = rise.pad #rise.nat<3> #rise.nat<1> #rise.nat<0> #rise.scalar<f32>
%y = rise.apply %p, %x
rise.out %out <- %y`, "4:21 type-mismatch"},
		{`%x = rise.in %in
%p = rise.pad #rise.nat<4> #rise.nat<1> #rise.nat<0> #rise.scalar<f32>
%y = rise.apply %p, %x
rise.out %out <- %y`, "5:18 type-mismatch"},
		{`%x = rise.in %in
%p = rise.pad #rise.nat<4> #rise.nat<0> #rise.nat<0> #rise.scalar<f32>
%y = rise.apply %p, %x, %x
rise.out %out <- %y`, "4:25 wrong-arity"},
		{`%x = rise.in %in
%y = rise.apply %x
rise.out %out <- %x`, "3:6 wrong-arity"},
		{`%x = rise.in %in
%y = rise.apply %x, %x
rise.out %out <- %y`, "3:21 wrong-arity"},
		{`%x = rise.in %in
%l = rise.literal #rise.lit<0.5, scalar<i32>>
rise.out %out <- %x`, "3:19 type-mismatch"},
		{`%x = rise.in %in
%l = rise.literal #rise.lit<-2147483648, scalar<i32>>
%m = rise.literal #rise.lit<2147483648, scalar<i32>>
%n = rise.literal #rise.lit<-129, scalar<i8>>
rise.out %out <- %x`, "4:19 type-mismatch; 5:19 type-mismatch"},
		{`%x = rise.in %in
%l = rise.literal #rise.nat<4>
rise.out %out <- %x`, "3:6 wrong-arity"},
		{`%x = rise.in %in
%l = rise.literal #rise.lit<0.5>
rise.out %out <- %x`, "3:1 type-mismatch"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<i32> {
rise.return %a : !rise.scalar<f32>
}
rise.out %out <- %x`, "4:13 type-mismatch"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<f32> {
rise.return %a : !rise.scalar<i32>
}
rise.out %out <- %x`, "4:18 type-mismatch"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<f32> {
}
rise.out %out <- %x`, "3:64 bad-syntax"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<f32> {
%b = rise.embed(%a) {
%c = mulf %a, %x : f32
rise.return %c : f32
}
rise.return %b
}
rise.out %out <- %x`, "5:15 type-mismatch"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<f32> {
%b = rise.embed(%a) {
%c = muli %a, %a : i32
rise.return %c : f32
}
rise.return %b
}
rise.out %out <- %x`, "5:11 type-mismatch; 5:15 type-mismatch; 6:18 type-mismatch; 8:13 type-mismatch"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<f32> {
%b = rise.embed(%x) {
rise.return %x : f32
}
rise.return %b
}
rise.out %out <- %x`, "4:17 type-mismatch"},
		{`%x = rise.in %in
%f = rise.lambda (%a : !rise.scalar<f32>) -> !rise.scalar<f32> {
%b = rise.embed(%a) {
%c = divsi %a, %a : i32
rise.return %c : f32
}
rise.return %b
}
rise.out %out <- %x`, "5:6 unsupported-op"},
		{`%x = rise.in %in
%f = rise.reduce #rise.nat<4> #rise.scalar<f32>
%a = rise.add #rise.scalar<f32>
%y = rise.apply %a, %f, %x
rise.out %out <- %x`, "5:21 type-mismatch"},
		{`%x = arith.constant 1.0 : f32
rise.out %out <- %x`, "3:18 type-mismatch"},
		{`%x = rise.in %in
%y = rise.embed() {
rise.return %x
}
rise.out %out <- %x`, "3:6 type-mismatch"},
		{`%x = rise.in %in
%y = "rise.embed"() ( {
"rise.return"(%x) : (f32) -> ()
}) : () -> !rise.scalar<f32>
rise.out %out <- %x`, "3:6 type-mismatch"},
		{`%x = rise.in %in
%m = rise.mapp #rise.nat<4>
rise.out %out <- %x`, "3:6 unsupported-op"},
		{`%x = rise.in %in
rise.out %out <-
rise.out %out <- %x`, "4:1 bad-syntax"},
	} {
		body, want := test.body, test.want
		f := source.NewFile("p", "func @f(%out: memref<4xf32>, %in: memref<4xf32>) {\n"+body+"\n  return\n} // rise.in")
		var got []string
		_, err := dialect.Parse(f)
		for _, e := range source.AsErrors(err) {
			got = append(got, fmt.Sprintf("%d:%d %s", e.Position().Line, e.Position().Col, e.Code))
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s\n=> %s, want %s\n%v", body, s, want, err)
		}
	}
}

// TestDialectMutants: of texts with a word that is left out, doubled or another, evaluator and lowering agree on what can be read,
// and the rest is refused.
func TestDialectMutants(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	word := regexp.MustCompile(`[%#!^@]?[A-Za-z_0-9.]+|[^\s\w]`)
	r, taken, refused := rand.New(rand.NewPCG(7, 7)), 0, 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range txtar.Parse(data).Files[:2] {
			text := string(s.Data)
			places := word.FindAllStringIndex(text, -1)
			for range 40 {
				at, other := places[r.IntN(len(places))], places[r.IntN(len(places))]
				with := []string{"", text[at[0]:at[1]] + " " + text[at[0]:at[1]], text[other[0]:other[1]]}[r.IntN(3)]
				mutant := text[:at[0]] + with + text[at[1]:]
				if _, err := dialect.Parse(source.NewFile("mutant", mutant)); err != nil {
					if len(source.AsErrors(err)) == 0 {
						t.Fatalf("%s: %v", mutant, err)
					}
					refused++
					continue
				}
				agree(t, mutant, domain.Point{})
				taken++
			}
		}
	}
	t.Logf("%d are refused, %d are programs", refused, taken)
	if taken < 100 || refused < 100 {
		t.Error("too few of either")
	}
}

// TestDialectSpellings: what the dialect was called in other years, modules, and functions that are not of it.
func TestDialectSpellings(t *testing.T) {
	const heading, body = "func @f(%out: memref<4xi32>, %in: memref<4xi32>) {\n", "  rise.out %out <- %x\n  return\n}\n"
	const in = "%x = rise.in %in : !rise.array<4, scalar<i32>>\n"
	for _, text := range []string{
		heading + in + body,
		heading + "%x = rise.in %in\n  out %out <- %x\n  return\n}\n",
		heading + "%x = rise.in %in : !rise.array<4, data<scalar<i32>>>\n" + body,
		"#map = affine_map<(d0) -> (d0)>\nmodule @m attributes {a.b = 1 : i32} {\n  func.func private @f(%out: memref<4xi32> {a.c}, " +
			"%in: memref<4xi32>) attributes {x} {\n" + in + body + "}\n",
		"func @print(memref<*xf32>)\nfunc @main() {\n  %r = alloc() : memref<4xi32>\n  call @f(%r, %r) : (memref<4xi32>, memref<4xi32>) -> ()\n" +
			"  return\n}\n" + heading + in + body,
		"\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (memref<4xi32>, memref<4xi32>) -> (), sym_name = \"f\"}> ({\n" +
			"  ^bb0(%out: memref<4xi32>, %in: memref<4xi32>):\n" + in + "    \"rise.out\"(%out, %x) : (memref<4xi32>, !rise.array<4, scalar<i32>>) -> ()\n" +
			"    \"func.return\"() : () -> ()\n  }) : () -> ()\n}) {a = 1 : i32} : () -> ()\n",
		heading + "%y = rise.in %in\n%f = rise.lambda (%a) : !rise.fun<data<scalar<i32>> -> data<scalar<i32>>> {\n" +
			"  rise.return %a : !rise.data<scalar<i32>>\n}\n%m = rise.map {n = #rise.nat<4>, s = #rise.scalar<i32>, t = #rise.scalar<i32>}\n" +
			"%x = rise.apply %m, %f, %y : !rise.fun<fun<scalar<i32> -> scalar<i32>> -> fun<array<4, scalar<i32>> -> array<4, scalar<i32>>>>\n" + body,
		heading + "%one = arith.constant 1 : i32\n%y = rise.in %in\n%f = rise.lambda (%a : !rise.scalar<i32>) -> !rise.scalar<i32> {\n" +
			"  %b = rise.embed(%a) {\n    %c = muli %a, %one : i32\n    rise.return %c : i32\n  } : !rise.scalar<i32>\n" +
			"  rise.return %b : !rise.scalar<i32>\n}\n%m = rise.map #rise.nat<4> #rise.scalar<i32> #rise.scalar<i32>\n" +
			"%x = rise.apply %m, %f, %y\n" + body,
	} {
		if got := results(t, "p", text); got != "-1 6 2 -2" {
			t.Errorf("%s\nis %s", text, got)
		}
	}
}

// TestFigures: the programs of the paper on RISE in MLIR (CC 2021, Figures 6, 7 a and 7 b), as printed. Types that they leave out
// are found; what else is wrong is told, all of it. Of the form that programs are lowered into the names are looked at.
func TestFigures(t *testing.T) {
	for text, want := range map[string]string{
		figure6: `figure:6:25: a name follows % [bad-syntax]
figure:7:54: > is missing [bad-syntax]
figure:24:20: reduceSeq is given n s t: t is missing [wrong-arity]
figure:24:41: #tuple is made of two types [unknown-type]
figure:32:22: the type that is written is array<2048, array<2048, scalar<f32>>>, where array<2048, scalar<f32>> should be [type-mismatch]
figure:32:58: > is missing [bad-syntax]
figure:36:37: a name follows % [bad-syntax]
`,
		figure7b: `figure:2:8: codegen.cast is of the form that programs of rise are lowered into, which is not read [unsupported-op]
figure:10:7: %B_t@j is no name: letters, digits, $ . _ - are of names [bad-syntax]
figure:12:7: %arrow&bcol is no name: letters, digits, $ . _ - are of names [bad-syntax]
figure:12:38: %B_t@j is no name: letters, digits, $ . _ - are of names [bad-syntax]
figure:17:29: %c is not defined before; did you mean %A? [unbound-name]
figure:19:28: %arrow&bcol is no name: letters, digits, $ . _ - are of names [bad-syntax]
figure:22:38: %c is not defined before; did you mean %A? [unbound-name]
figure:27:33: %c is not defined before; did you mean %A? [unbound-name]
`,
		figure7: `figure:6:52: > is missing [bad-syntax]
figure:31:31: %mfun is not defined before; did you mean %zfun? [unbound-name]
figure:36:36: a name follows % [bad-syntax]
`,
	} {
		_, err := dialect.Parse(source.NewFile("figure", text))
		if got := fmt.Sprint(err) + "\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestMended: with these faults mended both figures are the product of two matrices of 2048 rows.
func TestMended(t *testing.T) {
	for _, text := range []string{
		strings.NewReplacer("apply %t, %\n", "apply %t, %B\n", "scalar<f32> {\n    %m1fun", "scalar<f32>> {\n    %m1fun", "#tuple\n",
			"#tuple<scalar<f32>, scalar<f32>> #scalar<f32>\n", "array<2048, array<2048, scalar<f32>>\n  }", "array<2048, scalar<f32>>\n  }",
			"%m1fun, %\n", "%m1fun, %A\n").Replace(figure6),
		strings.NewReplacer("scalar<f32> {\n    %zfun", "scalar<f32>> {\n    %zfun", "%m2, %mfun", "%m2, %zfun", "%mfun, %\n", "%mfun, %A\n").Replace(figure7),
	} {
		p, err := dialect.Parse(source.NewFile("figure", text))
		if err != nil {
			t.Error(err)
		} else if got := p.Body.Type.String(); got != "2048.2048.f32" || len(p.Parameters) != 2 {
			t.Errorf("%s of %d parameters", got, len(p.Parameters))
		}
	}
}

const figure6 = `func @mm_fused(%outArg, %inA, %inB) {
  %A = in %inA
  %B = in %inB
  %t = rise.transpose #rise.nat<2048>
  #rise.nat<2048> #rise.scalar<f32>
  %B_t = rise.apply %t, %
  %m1fun = lambda (%arrow) -> array<2048, scalar<f32> {
    %m1fun = lambda (%bcol) -> scalar<f32> {
      %zipFun = zip #nat<2048> #scalar<f32> #scalar<f32>
      %zippedArrays = rise.apply %zipFun, %arrow, %bcol
      %reduceLambda = lambda (%tuple, %acc) -> scalar<f32> {
        %fstFun = rise.fst #scalar<f32> #scalar<f32>
        %sndFun = rise.snd #scalar<f32> #scalar<f32>
        %first = rise.apply %fstFun, %tuple
        %second = rise.apply %sndFun, %tuple
        %result = rise.embed(%first, %second, %acc) {
          %product = mulf %first, %second : f32
          %result = addf %product, %acc : f32
          return %result : f32
        }
        return %result : scalar<f32>
      }
      %init = rise.literal #lit<0.0>
      %reduceFun = reduceSeq #nat<2048> #tuple
      %result = rise.apply %reduceFun, %reduceLambda,
                  %init, %zippedArrays
      return %result : scalar<f32>
    }
    %m2 = mapSeq #nat<2048> #array<2048, scalar<f32>>
          #scalar<f32>
    %result = rise.apply %m2, %m1fun, %B_t
    return %result : array<2048, array<2048, scalar<f32>>
  }
  %m1 = mapSeq #nat<2048> #array<2048, scalar<f32>>
        #array<2048, scalar<f32>>
  %result = rise.apply %m1, %m1fun, %
  out %outArg <- %result
  return
}
`

const figure7 = `func @mm(%outC, %inA, %inB) {
  %A = rise.in %inA
  %B = rise.in %inB
  %trans = rise.transpose #nat<2048> #nat<2048> #scalar<f32>
  %B_t = rise.apply %trans, %B
  %mfun = lambda(%arrow) -> array<2048, scalar<f32> {
    %zfun = lambda(%bcol) -> scalar<f32> {
      %zipFun = rise.zip #nat<2048> #scalar<f32> #scalar<f32>
      %zippedArrays = rise.apply %zipFun, %arrow, %bcol
      %reductionLambda = lambda(%tuple, %acc) -> scalar<f32> {
        %fstFun = rise.fst #scalar<f32> #scalar<f32>
        %first = rise.apply %fstFun, %tuple
        %sndFun = rise.snd #scalar<f32> #scalar<f32>
        %second = rise.apply %sndFun, %tuple
        %result = rise.embed(%first, %second, %acc) {
          %product = mulf %first, %second : f32
          %result = addf %product, %acc : f32
          return %result : f32
        }
        return %result : scalar<f32>
      }
      %init = rise.literal #lit<0.0>
      %reduceFun = rise.reduceSeq #nat<2048>
        #tuple<scalar<f32>, scalar<f32>> #scalar<f32>
      %result = rise.apply %reduceFun, %reductionLambda,
        %init, %zippedArrays
      return %result : scalar<f32>
    }
    %m2 = rise.mapSeq #nat<2048> #array<2048, scalar<f32>>
      #scalar<f32>
    %result = rise.apply %m2, %mfun, %B_t
    return %result : array<2048, scalar<f32>>
  }
  %m1 = rise.mapSeq #nat<2048> #array<2048, scalar<f32>>
    #array<2048, scalar<f32>>
  %result = rise.apply %m1, %mfun, %
  rise.out %outC <- %result
  return
}
`

const figure7b = `func @mm_codegen(%outC, %inA, %inB){
  %A = codegen.cast(%inA)
  %B = codegen.cast(%inB)
  %C = codegen.cast(%outC)
  %B_t = codegen.transpose(%B)
  affine.for %i = 0 to 2048 {
    %A0i = codegen.idx(%A, %i)
    %C0i = codegen.idx(%C, %i)
    affine.for %j = 0 to 2048 {
      %B_t@j = codegen.idx(%B_t, %j)
      %C0j = codegen.idx(%C0i, %j)
      %arrow&bcol = codegen.zip(%A0i,%B_t@j)
      %init = rise.embed() {
        %cst_0 = constant 0.0 : f32
        return(%cst_0) : (f32) -> ()
      }
      codegen.assign(%init, %c)
      affine.for %k = 0 to 2048 {
        %abk = codegen.idx(%arrow&bcol, %k)
        %a = codegen.fst(%abk)
        %b = codegen.snd(%abk)
        %result = rise.embed(%a, %b, %c) {
          %o = mulf %a, %b : f32
          %1 = addf %o, %c : f32
          return(%1) : (f32) -> ()
        }
        codegen.assign(%result, %c)
      }
    }
  }
  return
}
`
