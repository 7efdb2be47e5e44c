package casefile

import (
	"archive/zip"
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tv/semantics/domain"
)

// What is written is read back; the elements are at the ends and in the middle of each type.
func TestNPYWritten(t *testing.T) {
	var arrays []Array
	for kind, data := range map[string][]string{
		"f2": {"0", "-0", "1", "0x1p-24", "0x1.ff8p-15", "65504", "-inf", "nan"},
		"f4": {"0x1p-149", "-0.5", "0x1.99999ap-04", "inf"},
		"f8": {"0x1p-1074", "-0", "0x1.999999999999ap-04", "1000000"},
		"V2": {"1", "0x1p-133", "-inf", "nan", "0.333984375"},
		"i1": {"-128", "127"}, "i2": {"-32768"}, "i4": {"2147483647"}, "i8": {"-9223372036854775808"},
		"u1": {"255"}, "u2": {"65535"}, "u4": {"4294967295"}, "u8": {"18446744073709551615"}, "b1": {"0", "1"},
	} {
		a := Array{kind, &Tensor{Shape: []int64{int64(len(data)), 1}, Type: npyKinds[kind], Data: data}}
		file, err := a.Tensor.NPY()
		if err != nil {
			t.Fatal(kind, err)
		}
		if at := bytes.IndexByte(file, '\n') + 1; at%64 != 0 {
			t.Errorf("%s: elements at byte %d", kind, at)
		}
		got, err := ReadTensor(kind, file, "")
		if err != nil {
			t.Fatal(kind, err)
		}
		if diff := cmp.Diff(a.Tensor, got); diff != "" {
			t.Errorf("%s (-written +read):\n%s", kind, diff)
		}
		arrays = append(arrays, a)
	}
	for _, shape := range [][]int64{{}, {3}, {0, 2}} {
		n, err := Elements(shape)
		if err != nil {
			t.Fatal(err)
		}
		arrays = append(arrays, Array{"shape " + ShapeString(shape), &Tensor{Shape: shape, Type: domain.Float32,
			Data: strings.Fields(strings.Repeat("7 ", int(n)))}})
	}
	file, err := NPZ(arrays)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range arrays {
		got, err := ReadTensor("all.npz", file, a.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Tensor, got); diff != "" && len(a.Tensor.Data) > 0 {
			t.Errorf("%s (-written +read):\n%s", a.Name, diff)
		}
	}
	again, err := NPZ(arrays)
	if err != nil || !bytes.Equal(file, again) {
		t.Errorf("written twice: %v, equal %t", err, bytes.Equal(file, again))
	}
}

// Every binary16 is written as it was read.
func TestHalves(t *testing.T) {
	for bits := range uint64(1 << 16) {
		x := halfFloat(uint16(bits))
		if got, ok := halfBits(x); !ok || got != bits && !math.IsNaN(x) {
			t.Fatalf("%#x is %g, written as %#x, %t", bits, x, got, ok)
		}
	}
}

func TestNotNPY(t *testing.T) {
	for _, test := range []struct{ elem, data, want string }{
		{"float32", "1/3", "element 0 is 1/3, which float32 has not"},
		{"float32", "0x1p-150", "element 0 is 0x1p-150, which float32 has not"},
		{"float32", "0x1p128", "element 0 is 0x1p128, which float32 has not"},
		{"float64", "0x1.00000000000008p0", "element 0 is 0x1.00000000000008p0, which float64 has not"},
		{"float16", "65520", "element 0 is 65520, which float16 has not"},
		{"float16", "0x1p-25", "element 0 is 0x1p-25, which float16 has not"},
		{"bfloat16", "257", "element 0 is 257, which bfloat16 has not"},
		{"float32", "undefined", "element 0 is undefined, which float32 has not"},
		{"int8", "128", "element 0 is 128, which int8 has not"},
		{"int8", "-129", "element 0 is -129, which int8 has not"},
		{"uint8", "256", "element 0 is 256, which uint8 has not"},
		{"uint8", "-1", "element 0 is -1, which uint8 has not"},
		{"bool", "2", "element 0 is 2, which bool has not"},
		{"int8", "1.5", "element 0 is 1.5, which int8 has not"},
		{"adaptive8.3", "1", "NumPy has no elements of type adaptive8.3"},
	} {
		elem, ok := domain.ParseElem(test.elem)
		if !ok {
			t.Fatal(test.elem)
		}
		_, err := (&Tensor{Shape: []int64{}, Type: elem, Data: []string{test.data}}).NPY()
		if got := errorString(err); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.elem, test.data, got, test.want)
		}
	}
}

func TestBadNPZ(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{"a.npy": "none", "readme.txt": "text"} {
		member, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	for _, test := range []struct {
		data        []byte
		array, want string
	}{
		{whole, "b", `x.npz: not a readable .npz: there is no array "b" in it, only ["a"] [tensor-file]`},
		{whole, "a", `x.npz: not a readable .npz: shorter than a header [tensor-file]`},
		{whole[:20], "a", `x.npz: not a readable .npz: zip: not a valid zip file [tensor-file]`},
	} {
		_, err := ReadTensor("x.npz", test.data, test.array)
		if got := errorString(err); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
