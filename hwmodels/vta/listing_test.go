package vta

import (
	"strings"
	"testing"

	"tv/internal/source"
)

// A driver's program survives printing and reading.
func TestListing(t *testing.T) {
	task, err := Dense(Configs[0], 5, 32, 32, DenseOptions{Bias: true, Shift: 3})
	if err != nil {
		t.Fatal(err)
	}
	text := Listing(task, false)
	back, err := ParseListing(source.NewFile("x.vta", ".output out dram=0 shape=1 type=int8\n"+text), Configs[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := Listing(back, false); got != text {
		t.Errorf("read back:\n%s\nwant:\n%s", got, text)
	}
	for i, s := range task.Steps {
		for n, v := range s.Values {
			want, _ := v.ConstBits()
			if got, _ := back.Steps[i].Values[n].ConstBits(); got != want {
				t.Errorf("instruction %d: %016x, want %016x", i, got, want)
			}
		}
	}
}

func TestListingErrors(t *testing.T) {
	const output = ".output out dram=0 shape=1x16 type=int8\n"
	for _, test := range []struct{ text, want string }{
		{"finish\n", "a listing wants an .output"},
		{output, "a listing wants an instruction"},
		{output + "jump\n", `x.vta:2:1: "jump" is not one of`},
		{output + "finish\nfinish\n", "x.vta:3:1: an instruction after finish"},
		{output + "word 3 0\nfinish\n", "x.vta:3:1: an instruction after finish"},
		{output + "word 3\n", "x.vta:2:1: word wants the low and the high"},
		{output + "word 3 0x10000000000000000\n", `x.vta:2:8: "0x10000000000000000" is no number of 64 bits`},
		{output + "load xyz\n", "x.vta:2:6: load wants one of uop"},
		{output + "load inp q=1\n", `x.vta:2:10: "q=1" is no field of load`},
		{output + "load inp x=65536\n", `x.vta:2:10: "65536" is no number below 65536`},
		{output + "load inp x=1 x=1\n", "x.vta:2:14: x is given twice"},
		{output + "alu max imm=40000\n", `x.vta:2:9: "40000" is no number from -32768 to 32767`},
		{output + "gemm end\n", `"end" is no field of gemm`},
		{output + ".what\n", `x.vta:2:1: ".what" is not`},
		{output + ".input a dram=0 shape=4\n", "x.vta:2:1: .input wants type="},
		{output + ".input a dram=0 shape=4x0 type=int8\n", "dims are at least 1"},
		{output + ".input a dram=0xffffffff shape=4 type=int8\n", "ends beyond the 4294967296 bytes"},
		{output + ".input a dram=0 shape=4 type=int16\n", "type is int8 or int32"},
		{output + ".input a dram=0 shape=4 type=int8\n.input a dram=9 shape=4 type=int8\n", "a is there twice"},
		{output + ".input a dram=0 shape=4 type=int8\n.uop dram=3\n", "a micro-operation lies over a"},
		{output + output, "out is there twice"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0\n", "x.vta:2:39: axis 1 is not there once"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0,1/8\n", "1/8 wants 1%8 beside it"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0,1/8,1%4\n", "1/8 wants 1%8 beside it"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0,1/5,1%5\n", "5 does not divide dim 1, which is 16"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0,1/0,1%0\n", "0 does not divide dim 1"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=1,1\n", "1 is there twice"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0,1,0/2,0%2\n", "axis 0 is not there once"},
		{output + ".input a dram=64 shape=4x16 type=int8 layout=0,2\n", `"2" is no number below 2`},
	} {
		_, err := ParseListing(source.NewFile("x.vta", test.text), Configs[0])
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), CodeListing) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

// A layout places each element once, in the order that it says.
func TestLayout(t *testing.T) {
	for _, test := range []struct {
		layout string
		want   []int // places of the elements of a 2x4 tensor
	}{
		{"", []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"0,1", []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"1,0", []int{0, 2, 4, 6, 1, 3, 5, 7}},
		{"1/2,0,1%2", []int{0, 1, 4, 5, 2, 3, 6, 7}},
		{"1%2,0,1/2", []int{0, 4, 1, 5, 2, 6, 3, 7}},
		{"0/2,1/2,0%2,1%2", []int{0, 1, 4, 5, 2, 3, 6, 7}},
	} {
		p := &parser{}
		place := p.layout(word{text: test.layout}, []int{2, 4})
		if len(p.errs) > 0 {
			t.Errorf("layout=%s: %v", test.layout, p.errs)
			continue
		}
		for flat, want := range test.want {
			if got := place(flat); got != want {
				t.Errorf("layout=%s puts element %d at %d, want %d", test.layout, flat, got, want)
			}
		}
	}
}
