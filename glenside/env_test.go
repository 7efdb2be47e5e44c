package glenside

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
)

// envText prints the tensors and the least values of an environment.
func envText(env *domain.Env) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(env.Tensors)) {
		t := env.Tensors[name]
		parts = append(parts, name+" "+(&Type{Kind: TypeTensor, Dims: t.Dims, Elem: t.Elem}).String())
	}
	for _, name := range slices.Sorted(maps.Keys(env.Mins)) {
		parts = append(parts, fmt.Sprintf("%s>=%d", name, env.Mins[name]))
	}
	return strings.Join(parts, ", ")
}

func TestMergeEnv(t *testing.T) {
	for _, test := range []struct {
		before, after, shapes, input, want string
	}{
		{"A", "A", "", "", ""},
		{"(input A (shape 2 N)) A", "A", "", "", "A (tensor 2 N) float32, N>=1"},
		{"(input A (shape 2 N)) A", "(input A (shape 2 N) float) A", "", "", "A (tensor 2 N) float32, N>=1"},
		{"(input A (shape 2 (N 0))) (input B (shape N)) A", "(input B (shape N)) A", "", "",
			"A (tensor 2 N) float32, B (tensor N) float32, N>=0"},
		{"A", "A", `{"A":[2,"N"],"Q":[1]}`, "B=3x4:int8",
			"A (tensor 2 N) float32, B (tensor 3 4) int8, Q (tensor 1) float32, N>=1"},
		{"(input A (shape)) A", "A", `{"A":[]}`, "A=:float", "A (tensor) float32"},
		{"(input A (shape 2)) A", "(input A (shape 3)) A", "", "",
			"after:1:1: A is declared as (3) float32, but as (2) float32 at before:1:1 [input-conflict]"},
		{"(input A (shape 2)) A", "(input A (shape 2) int8) A", "", "",
			"after:1:1: A is declared as (2) int8, but as (2) float32 at before:1:1 [input-conflict]"},
		{"(input A (shape 2)) A", "A", `{"A":[3]}`, "",
			"before:1:1: A is declared as (2) float32, but as (3) float32 at shapes:1:2 [input-conflict]"},
		{"(input A (shape 2)) A", "A", "", "A=2:int8",
			"before:1:1: A is declared as (2) float32, but as (2) int8 at --input:1:1 [input-conflict]"},
		{"(input A (shape 2)) A", "(input B (shape 3)) A", "", "",
			"after:1:1: B is declared here and not in the program before, which sets the domain " +
				"[input-conflict]"},
		{"(input A (shape N)) A", "(input A (shape (N 0))) A", "", "",
			"after:1:1: N may be 0 here, but is at least 1 in the program before [input-conflict]"},
		{"(input A (shape N)) A", "(assume (<= 2 N)) A", "", "",
			"after:1:1: only the program before may assume; nothing that the one after needs is assumed " +
				"[assume-in-after]"},
		{"(input A (shape 4)) (access-slice A 0 0 K)", "(access-slice A 0 0 (+ K M))", "", "",
			"after:1:21: the size M occurs neither in the program before nor in a declaration " +
				"[unknown-size]"},
		{"(input A (shape 4)) (access-slice A 0 0 (- (div 1 K) (div 1 K)))",
			"(access-slice A 0 0 (- (div 1 M) (div 1 M)))", "", "",
			"after:1:21: the size M occurs neither in the program before nor in a declaration " +
				"[unknown-size]"},
	} {
		outside, err := ParseShapes("shapes", []byte(test.shapes))
		if err != nil && test.shapes != "" {
			t.Errorf("ParseShapes(%s): %v", test.shapes, err)
		}
		if test.input != "" {
			in, err := ParseInputFlag(test.input)
			if err != nil {
				t.Errorf("ParseInputFlag(%s): %v", test.input, err)
			}
			outside = append(outside, in)
		}
		before, err := Parse(source.NewFile("before", test.before))
		if err != nil {
			t.Fatal(err)
		}
		after, err := Parse(source.NewFile("after", test.after))
		if err != nil {
			t.Fatal(err)
		}
		env, err := MergeEnv([]*Program{before, after}, outside...)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = envText(env)
		}
		if got != test.want {
			t.Errorf("MergeEnv(%q, %q, %s, %s)\n got %s\n"+
				"want %s", test.before, test.after, test.shapes, test.input, got, test.want)
		}
	}
}

func inputsText(list []domain.Input) string {
	var parts []string
	for i := range list {
		parts = append(parts, FormatInput(&list[i]))
	}
	return strings.Join(parts, " ")
}

func TestParseShapes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{}`, ""},
		{`{"A":[32,32],"B":[3]}`, "(input A (shape 32 32)) (input B (shape 3))"},
		{`{"A":{"shape":[32,"K"],"type":"int8"}}`, "(input A (shape 32 K) int8)"},
		{`{"A":{"type":"int8","shape":[]}}`, "(input A (shape) int8)"},
		{`{"A":[99999999999999999999]}`, "(input A (shape 99999999999999999999))"},
		{``, "s:1:1: a shapes file is an object of shapes by tensor name [bad-shapes]"},
		{`[1]`, "s:1:1: a shapes file is an object of shapes by tensor name [bad-shapes]"},
		{"{\"A\":[1],\n \"A\":[1]}", "s:2:2: A is declared twice [duplicate-input]"},
		{`{"A":[-1]}`, "s:1:7: a dim is a natural number or the name of a size, got -1 [bad-shapes]"},
		{`{"A":[1.5]}`, "s:1:7: a dim is a natural number or the name of a size, got 1.5 [bad-shapes]"},
		{`{"A":[1,"int8"]}`, `s:1:9: "int8" cannot be the name of a size [bad-shapes]`},
		{`{"A":[[1]]}`, "s:1:7: a dim is a natural number or the name of a size [bad-shapes]"},
		{`{"A":3}`, `s:1:6: a declaration is [32,"N"] or {"shape":[32,"N"],"type":"int8"} [bad-shapes]`},
		{`{"A":{"type":"int8"}}`, `s:1:14: a declaration is [32,"N"] or {"shape":[32,"N"],"type":"int8"} [bad-shapes]`},
		{`{"A":{"shape":[1],"type":"int7"}}`, "s:1:26: int7 is not an element type; did you mean int8? [bad-shapes]"},
		{`{"A":{"shape":[1],"shape":[2]}}`, "s:1:19: shape is there twice [bad-shapes]"},
		{`{"A":{"size":[1]}}`, `s:1:7: a declaration is [32,"N"] or {"shape":[32,"N"],"type":"int8"} [bad-shapes]`},
		{`{"A":[1]} x`, "s:1:11: text after the end of the object [bad-shapes]"},
		{`{"A":[1`, "s:1:8: a dim is a natural number or the name of a size [bad-shapes]"},
		{`{"A":[1,]}`, "s:1:9: invalid character ']' looking for beginning of value [bad-shapes]"},
		{`{"A"`, "s:1:5: a declaration is [32,\"N\"] or {\"shape\":[32,\"N\"],\"type\":\"int8\"} [bad-shapes]"},
	} {
		list, err := ParseShapes("s", []byte(test.text))
		got := inputsText(list)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("ParseShapes(%s)\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestParseInputFlag(t *testing.T) {
	for _, test := range []struct{ flag, want string }{
		{"A=32x32:int8", "(input A (shape 32 32) int8)"},
		{"A=0", "(input A (shape 0))"},
		{"A=:int8", "(input A (shape) int8)"},
		{"a b=2", `(input "a b" (shape 2))`},
		{"A", `--input:1:1: an input is NAME=32x32:int8, got "A" [bad-input]`},
		{"=2", `--input:1:1: an input is NAME=32x32:int8, got "=2" [bad-input]`},
		{"A=", "--input:1:2: A has no dims; a scalar is A=:float32 [bad-input]"},
		{"A=N*K:int8", "(input A (shape (* K N)) int8)"},
		{"A=2*(N+1)xK", `--input:1:10: a dim is a number, or made of names of sizes by + - *, got "xK" [bad-input]`},
		{"A=nx*ny-1,3xny", "(input A (shape (- (* nx ny) 1) 3 ny))"},
		{"A=2x", `--input:1:5: a dim is a number, or made of names of sizes by + - *, got "" [bad-input]`},
		{"A=2xN", "(input A (shape 2 N))"},
		{"A=-2", `--input:1:3: a dim is a number, or made of names of sizes by + - *, got "-2" [bad-input]`},
		{"A=(N", `--input:1:5: a dim is a number, or made of names of sizes by + - *, got "" [bad-input]`},
		{"A=2:int7", `--input:1:5: int7 is not an element type; did you mean int8? [bad-input]`},
		{"relu=2", "--input:1:1: relu cannot be the name of a tensor [bad-input]"},
	} {
		in, err := ParseInputFlag(test.flag)
		got := FormatInput(&in)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("ParseInputFlag(%s)\n got %s\nwant %s", test.flag, got, test.want)
		}
	}
}

func TestInfer(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(access-transpose A (list 1 0))", "A (tensor A_0 A_1) float32: ((A_1 A_0) ()) float32"},
		{"(relay-operator-call relay-bias-add (relay-operator-call relay-dense A W) b 1)",
			"A (tensor A_0 A_1) float32, W (tensor W_0 W_1) float32, b (tensor b_0) float32: " +
				"((A_0 W_0) ()) float32 if (= A_1 W_1) if (= W_0 b_0)"},
		{"(compute dot-product (access-cartesian-product (access A 1) (access (access-transpose B (list " +
			"1 0)) 1)))",
			"A (tensor A_0 A_1) float32, B (tensor B_0 B_1) float32: ((A_0 B_1) ()) float32 if (= A_1 B_0)"},
		{"(access-windows (access A 1) (shape 3 3) (shape 1 1))",
			"A (tensor A_0 A_1 A_2) float32: ((A_0 (- A_1 2) (- A_2 2)) (3 3)) float32 if (<= 3 A_1) if " +
				"(<= 3 A_2)"},
		{"(access-pair (access A 1) (compute softmax (access-squeeze (access-insert-axis (access B 1) " +
			"0) 0)))",
			"A (tensor A_0 A_1) float32, B (tensor B_0 B_1) float32: ((A_0) (2 A_1)) float32 if (= A_0 " +
				"B_0) if (= A_1 B_1)"},
		{"(compute relu (access-pair (access A 1) (access-transpose A (list 0 2 1))))",
			"A (tensor A_0 A_1 A_2) float32: error"},
		{"(compute relu (access-reshape A (access-shape (shape 2) (shape 3))))",
			"p:1:31: the program does not fix the rank of A; add --input A=DIMxDIM... [rank-unknown]"},
		{"(access-broadcast A (access-shape (shape A_0) (shape 3)))",
			"A (tensor A_0_ A_1) float32: ((A_0 3) ()) float32 if (or (= A_0_ A_0) (= A_0_ 1)) if (or " +
				"(= A_1 3) (= A_1 1))"},
		{"(tuple-get-item (construct-tuple A (tuple-get-item (relay-operator-call relay-split " +
			"(relay-operator-call " +
			"relay-transpose B (list 1 0)) 2 0) 1)) 1)",
			"p:1:34: the program does not fix the rank of A; add --input A=DIMxDIM... [rank-unknown]"},
		{"(relay-operator-call relay-concatenate 0 (construct-tuple A (access-transpose B (list 1 0))))",
			"A (tensor A_0 A_1) float32, B (tensor B_0 B_1) float32: (((+ A_0 B_1) A_1) ()) float32 if " +
				"(= A_1 B_0)"},
		{"(relay-operator-call relay-concatenate 0 (relay-operator-call relay-split (access-transpose B " +
			"(list 1 0)) 2 0))",
			"B (tensor B_0 B_1) float32: (((* 2 (div B_1 2)) B_0) ()) float32 if (divides 2 B_1)"},
		{"(relay-operator-call relay-pad A (shape 1 1 0 0))",
			"A (tensor A_0 A_1) float32: (((+ A_0 2) A_1) ()) float32"},
		{"(relay-operator-call relay-squeeze A (list 0 2))",
			"p:1:36: the program does not fix the rank of A; add --input A=DIMxDIM... [rank-unknown]"},
		{"(access-shape (shape 2) (slice-shape (shape-of A) 3))",
			"p:1:48: the program does not fix the rank of A; add --input A=DIMxDIM... [rank-unknown]"},
		{"(relay-operator-call relay-pad A (shape 1 1 0))",
			"p:1:32: the program does not fix the rank of A; add --input A=DIMxDIM... [rank-unknown]"},
		{"(systolic-array 2 3 (access A 1) (access B 0))",
			"A (tensor A_0 A_1) float32, B (tensor B_0 B_1) float32: " +
				"((A_0 B_1) ()) float32 if (= A_1 B_0) if (= 2 B_0) if (= 3 B_1)"},
		{"(access-literal 1)", ": (() ()) float32"},
	} {
		p := mustParse(t, test.text)
		env, err := Infer(p)
		got := ""
		if err == nil {
			env.Mins = nil // all 1
		}
		if err != nil {
			got = err.Error()
		} else if ty, err := Check(p, env); err != nil {
			got = envText(env) + ": error"
		} else {
			got = envText(env) + ": " + ty.Root().String() + condText(ty.Conds)
		}
		if got != test.want {
			t.Errorf("Infer(%s)\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// Each operator says what it fixes of the ranks of its operands: with the right shape for each tensor, what
// is inferred must have the rank that the example declares, or be left open.
func TestInferAgreesWithExamples(t *testing.T) {
	found := 0
	for _, op := range Ops() {
		declared := mustParse(t, op.Example)
		ranks := map[string]int{}
		for _, in := range declared.Inputs {
			ranks[in.Name] = len(in.Dims)
		}
		p := *declared
		p.Inputs = nil
		env, err := Infer(&p)
		if err != nil {
			continue
		}
		for name, tensor := range env.Tensors {
			found++
			if len(tensor.Dims) != ranks[name] {
				t.Errorf("%s: %s is inferred to have rank %d, not %d", op.Name, name, len(tensor.Dims),
					ranks[name])
			}
		}
	}
	if found < 30 {
		t.Errorf("the ranks of only %d tensors are inferred", found)
	}
}
