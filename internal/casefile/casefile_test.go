package casefile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/internal/source"
	"tv/semantics/domain"
)

const litmus = `# Guards the numbers of lines.
want: refuted
args: --arith exact --input A=2:int8
-- before.sexp --
(access A 1)
-- after.sexp --

(access A
`

func TestLitmus(t *testing.T) {
	l, err := ReadLitmus(source.NewFile("case.txtar", litmus))
	if err != nil {
		t.Fatal(err)
	}
	if l.Want != equiv.Refuted {
		t.Errorf("Want = %s, want refuted", l.Want)
	}
	if got, want := strings.Join(l.Args, "|"), "--arith|exact|--input|A=2:int8"; got != want {
		t.Errorf("Args = %s, want %s", got, want)
	}
	if got, want := l.ArgsSpan.Position().String(), "case.txtar:3:1"; got != want {
		t.Errorf("args: is at %s, want %s", got, want)
	}
	at := strings.Index(l.After.Text, "(access")
	if got, want := l.After.Position(at).String(), "case.txtar:8:1"; got != want {
		t.Errorf("the expression of after.sexp is at %s, want %s", got, want)
	}
}

func TestLitmusErrors(t *testing.T) {
	const both = "-- before.sexp --\na\n-- after.sexp --\na\n"
	for _, test := range []struct{ text, want string }{
		{"want: maybe\n" + both, `c:1:1: want: takes proved, refuted or unknown, not "maybe" [litmus-file]`},
		{"\nwnat: proved\n" + both, `c:2:1: unknown key "wnat": want: and args: are known, and prose starts with # [litmus-file]`},
		{"want: proved\nwant: proved\n" + both, "c:2:1: want: occurs twice [litmus-file]"},
		{"-- before.sexp --\na\n", "c: has no section -- after.sexp -- [litmus-file]"},
		{both + "-- before.sexp --\n", "c:5:1: section before.sexp occurs twice [litmus-file]"},
		{"", "c: has no section -- before.sexp -- [litmus-file]"},
		{"prose without a key, or # with: one\n" + both, ""},
	} {
		_, err := ReadLitmus(source.NewFile("c", test.text))
		if got := errorString(err); got != test.want {
			t.Errorf("ReadLitmus(%q): %s, want %s", test.text, got, test.want)
		}
	}
}

func errorString(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCounterexampleRoundTrip(t *testing.T) {
	int8Type, _ := domain.ParseElem("int8")
	before := source.NewFile("case.txtar", "\n\n\n(input A (shape K 2) int8)\n-- after.sexp --\n(access A 1)")
	after := source.NewFile("b.sexp", "(compute relu (access A 1))\n")
	r := &equiv.Result{
		Before: "case.txtar/before.sexp", After: "b.sexp", Verdict: equiv.Refuted, Arith: equiv.Exact, Equal: equiv.Access,
		Counterexample: &sample.Counterexample{
			Point: domain.Point{"K": 1}, Path: []int{1}, Index: []int64{0, 1}, Before: "-3", After: "0", Seed: 7,
			Inputs: []sample.InputValue{
				{Name: "A", Dims: []int64{1, 2}, Elem: int8Type, Sparse: map[int64]string{1: "-3"}},
				{Name: `odd "name`, Dims: nil, Elem: domain.Float32, Sparse: map[int64]string{0: "0x1p-3"}},
				{Name: "large", Dims: []int64{1 << 20, 1 << 20}, Elem: int8Type, Sparse: map[int64]string{1 << 30: "1"}},
				{Name: "zeros", Dims: []int64{denseElements + 1}, Elem: int8Type},
			},
		},
	}
	c, ok := NewCounterexample(before, after, r, "two\nlines")
	if !ok {
		t.Fatal("no counterexample")
	}
	data, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadCounterexample(source.NewFile("x.txtar", string(data)))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	want := map[string]Tensor{
		"A":         {Shape: []int64{1, 2}, Type: int8Type, Data: []string{"0", "-3"}},
		`odd "name`: {Shape: []int64{}, Type: domain.Float32, Data: []string{"0x1p-3"}},
		"large":     {Shape: []int64{1 << 20, 1 << 20}, Type: int8Type, Sparse: map[int64]string{1 << 30: "1"}},
		"zeros":     {Shape: []int64{denseElements + 1}, Type: int8Type, Sparse: map[int64]string{}},
	}
	if diff := cmp.Diff(want, got.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	wantExpect := Expect{
		Arith: "exact", Equal: "access", Sizes: map[string]int64{"K": 1}, Component: []int{1},
		Element: []int64{0, 1}, Before: "-3", After: "0",
	}
	if diff := cmp.Diff(wantExpect, got.Expect); diff != "" {
		t.Errorf("expect (-want +got):\n%s", diff)
	}
	// The line that looks like a marker is still in the program.
	if text := strings.TrimSpace(got.Before.Text); text != "(input A (shape K 2) int8)\n -- after.sexp --\n(access A 1)" {
		t.Errorf("before.sexp = %q", text)
	}
	if text := strings.TrimLeft(got.After.Text, "\n"); text != after.Text {
		t.Errorf("after.sexp = %q, want %q", text, after.Text)
	}
	again, err := (&Counterexample{
		Before: got.Before, After: got.After, Inputs: got.Inputs, Expect: got.Expect, Notes: got.Notes,
	}).Bytes()
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("written again: %v\n%s\nwant\n%s", err, again, data)
	}
}

func TestCounterexampleErrors(t *testing.T) {
	file := func(inputs, expect string) string {
		return "-- before.sexp --\na\n-- after.sexp --\na\n-- inputs.json --\n" + inputs +
			"\n-- expect.json --\n" + expect + "\n"
	}
	for _, test := range []struct{ text, want string }{
		{"", "has no section -- before.sexp --"},
		{file("{", "{}"), "x:7:1: invalid JSON: ends in the middle [counterexample-file]"},
		{file(`{"A": }`, "{}"), "x:6:7: invalid JSON: invalid character '}' looking for beginning of value"},
		{file(`{"A": {"shape": [2], "data": [1]}}`, "{}"), "shape 2 has 2 elements, data has 1"},
		{file("{}", `{"element": 3}`), `x:8:13: "element" cannot be a number`},
		{file("{}", `{} {}`), "x:8:4: text after the JSON value"},
		{file("{}", `{"elemnet": []}`), `unknown field "elemnet"`},
	} {
		_, err := ReadCounterexample(source.NewFile("x", test.text))
		if got := errorString(err); !strings.Contains(got, test.want) {
			t.Errorf("ReadCounterexample(%q): %q, want %q", test.text, got, test.want)
		}
	}
}

func TestTensorJSON(t *testing.T) {
	for _, test := range []struct{ json, want string }{
		{`{"shape":[2,2],"type":"int8","data":["1","2","3","4"]}`, "2x2 int8 [[1 2] [3 4]]"},
		{`{"shape":[2],"data":[1.5,-2e3]}`, "2 float32 [1.5 -2e3]"},
		{`{"shape":[],"type":"bool","data":[true]}`, "scalar bool 1"},
		{`{"shape":[0,3],"data":[]}`, "0x3 float32 []"},
		{`{"shape":[3],"sparse":{"1":"7"}}`, "3 float32 [0 7 0]"},
		{`{"shape":[3],"data":["1"]}`, "t:1:1: shape 3 has 3 elements, data has 1 [tensor-file]"},
		{`{"shape":[3],"sparse":{"3":"7"}}`, "t:1:1: shape 3 has no element at offset 3 [tensor-file]"},
		{`{"shape":[-1],"data":[]}`, "t:1:1: a dim is negative: -1 [tensor-file]"},
		{`{"shape":[4611686018427387904,4],"data":[]}`, "t:1:1: shape 4611686018427387904x4 has too many elements [tensor-file]"},
		{`{"shape":[1],"type":"int7","data":[1]}`, `t:1:1: unknown element type "int7" [tensor-file]`},
		{`{"shape":[1],"data":[null]}`, "t:1:1: an element is a number or a string, not null [tensor-file]"},
		{`{"shape":"1","data":[1]}`, `t:1:1: "shape" cannot be a string [tensor-file]`},
		{`[1]`, "t:1:1: an object is wanted, found array [tensor-file]"},
		{`{"shape":[1]}`, `t:1:1: a tensor is {"shape":[...],"type":"...","data":[...]} [tensor-file]`},
	} {
		got, err := ReadTensor("t", []byte(test.json), "")
		text := errorString(err)
		if err == nil {
			text = fmt.Sprintf("%s %s %s", ShapeString(got.Shape), got.Type, got)
		}
		if text != test.want {
			t.Errorf("ReadTensor(%s) = %s, want %s", test.json, text, test.want)
		}
	}
}

func TestRows(t *testing.T) {
	v := Tensor{Shape: []int64{2, 2, 2}, Data: []string{"1", "2", "3", "4", "5", "6", "7", "8"}}
	if got, want := v.Rows(), "[[[1 2]\n  [3 4]]\n [[5 6]\n  [7 8]]]"; got != want {
		t.Errorf("Rows() =\n%s\nwant\n%s", got, want)
	}
}

// npy makes a file of format version 1.0.
func npy(t *testing.T, header string, body any) []byte {
	t.Helper()
	b := bytes.NewBufferString(npyMagic + "\x01\x00")
	if err := binary.Write(b, binary.LittleEndian, uint16(len(header))); err != nil {
		t.Fatal(err)
	}
	b.WriteString(header)
	if err := binary.Write(b, binary.LittleEndian, body); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestNPY(t *testing.T) {
	header := func(descr, shape string) string {
		return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	}
	for _, test := range []struct {
		name, header string
		body         any
		want         string
	}{
		{"f4", header("<f4", "(2, 2)"), []float32{1, -0.5, 0.1, float32(math.Inf(-1))},
			"2x2 float32 [[1 -0.5] [0x1.99999ap-04 -inf]]"},
		{"f8", header("<f8", "(3,)"), []float64{math.Copysign(0, -1), math.NaN(), 1e300}, "3 float64 [-0 nan 0x1.7e43c8800759cp+996]"},
		{"f2", header("<f2", "(4,)"), []uint16{0x3c00, 0x0001, 0xfc00, 0x3555}, "4 float16 [1 0x1p-24 -inf 0.333251953125]"},
		{"V2", header("|V2", "(4,)"), []uint16{0x3f80, 0x0001, 0xff80, 0x3eab}, "4 bfloat16 [1 0x1p-133 -inf 0.333984375]"},
		{"V4", header("|V4", "(1,)"), []uint32{0}, "elements of type |V4 are not supported"},
		{"i1", header("|i1", "(2,)"), []int8{-128, 127}, "2 int8 [-128 127]"},
		{"i2", header("<i2", "(1, 1)"), []int16{-2}, "1x1 int16 [[-2]]"},
		{"i8", header("<i8", "()"), []int64{math.MinInt64}, "scalar int64 -9223372036854775808"},
		{"u8", header("<u8", "(1,)"), []uint64{math.MaxUint64}, "1 uint64 [18446744073709551615]"},
		{"b1", header("|b1", "(2,)"), []uint8{0, 1}, "2 bool [0 1]"},
		{"empty", header("<f4", "(0, 2)"), []byte{}, "0x2 float32 []"},
		{"bool 2", header("|b1", "(1,)"), []uint8{2}, "a truth value is 2"},
		{"big endian", header(">f4", "(1,)"), []byte{0xbf, 0, 0, 0}, "1 float32 [-0.5]"},
		{"complex", header("<c8", "(1,)"), make([]byte, 8), "elements of type <c8 are not supported"},
		{"short", header("<f4", "(2,)"), []float32{1}, "2 of float32 wants 2 elements of 4 bytes, the file has 4 bytes"},
		{"long", header("<i2", "(1,)"), []byte{0, 0, 0}, "1 of int16 wants 1 elements of 2 bytes, the file has 3 bytes"},
		{"huge", header("<i1", "(9999999999999999999,)"), []byte{}, "dim 9999999999999999999 is too large"},
		{"Fortran", "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", []int8{1, 4, 2, 5, 3, 6}, "2x3 int8 [[1 2 3] [4 5 6]]"},
		{"record", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", []float32{1},
			"the header does not give descr, fortran_order and shape of a plain array"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadTensor("t.npy", npy(t, test.header, test.body), "")
			text := errorString(err)
			if err == nil {
				text = fmt.Sprintf("%s %s %s", ShapeString(got.Shape), got.Type, got)
			}
			if text != test.want && text != "t.npy: not a readable .npy: "+test.want+" [tensor-file]" {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
	for _, data := range []string{npyMagic, npyMagic + "\x01\x00\xff\xff{", npyMagic + "\x09\x00\x00\x00\x00\x00"} {
		if _, err := ReadTensor("t.npy", []byte(data), ""); err == nil {
			t.Errorf("ReadTensor(%q) succeeded", data)
		}
	}
}

// Every tensor that is written is read back.
func TestTensorMarshal(t *testing.T) {
	want := Tensor{Shape: []int64{2}, Type: domain.Float32, Data: []string{"-0", "nan"}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), `{"shape":[2],"type":"float32","data":["-0","nan"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got, err := ReadTensor("t", data, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
