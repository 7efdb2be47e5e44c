package comb

import (
	"strings"
	"testing"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/circuittest"
)

func run(text, inputs string) ([]string, error) {
	var stream []map[string]string
	for _, row := range strings.Split(inputs, ", ") {
		f := strings.Fields(row)
		stream = append(stream, map[string]string{"a": f[0], "b": f[1]})
	}
	return circuittest.Run(func(v *circuit.View) *circuit.Circuit { return Read(v, text, "") }, "clk", "y", stream)
}

// What operations mean, by hand: a and b of four bits in each cycle, and the output y of each.
func TestMeaning(t *testing.T) {
	for _, c := range []struct{ name, width, body, inputs, want string }{
		{"add wraps", "4", "%y = comb.add %a, %b : i4", "1111 0011, 0001 0010", "0010 0011"},
		{"add of three", "4", "%y = comb.add bin %a, %b, %b : i4", "0001 0011", "0111"},
		{"sub", "4", "%y = comb.sub %a, %b : i4", "0001 0010", "1111"},
		{"mul", "4", "%y = comb.mul %a, %b : i4", "0101 0101", "1001"},
		{"and, or, xor", "4", "%p = comb.and %a, %b : i4 %q = comb.or %a, %b : i4 %y = comb.xor %p, %q : i4", "1100 1010", "0110"},
		{"divu, open by 0", "4", "%y = comb.divu %a, %b : i4", "1101 0011, 1101 0000", "0100 ????"},
		{"modu", "4", "%y = comb.modu %a, %b : i4", "1101 0011, 1101 0000", "0001 ????"},
		{"divs rounds to 0", "4", "%y = comb.divs %a, %b : i4", "1001 0010, 1000 1111", "1101 1000"},
		{"mods has the sign of the dividend", "4", "%y = comb.mods %a, %b : i4", "1001 0010, 0111 1110", "1111 0001"},
		{"one division has one value", "4", "%q = comb.divu %a, %b : i4 %y = comb.xor %q, %q : i4", "1101 0000", "0000"},
		{"shl by all there is", "4", "%y = comb.shl %a, %b : i4", "0011 0001, 0011 0100, 0011 1111", "0110 0000 0000"},
		{"shru", "4", "%y = comb.shru %a, %b : i4", "1100 0010, 1100 1000", "0011 0000"},
		{"shrs", "4", "%y = comb.shrs %a, %b : i4", "1100 0001, 1100 1000, 0100 1000", "1110 1111 0000"},
		{"ult", "1", "%y = comb.icmp ult %a, %b : i4", "1000 0001, 0001 1000", "0 1"},
		{"slt", "1", "%y = comb.icmp slt %a, %b : i4", "1000 0001, 0001 1000", "1 0"},
		{"sge", "1", "%y = comb.icmp bin sge %a, %b : i4", "1000 0001, 0001 0001", "0 1"},
		{"ugt, ule", "1", "%p = comb.icmp ugt %a, %b : i4 %q = comb.icmp ule %a, %b : i4 %y = comb.xor %p, %q : i1", "1000 0001", "1"},
		{"ne", "1", "%y = comb.icmp ne %a, %b : i4", "1000 1000, 1000 0000", "0 1"},
		{"extract", "2", "%y = comb.extract %a from 1 : (i4) -> i2", "1100 0000", "10"},
		{"the first of concat is highest", "8", "%y = comb.concat %a, %b : i4, i4", "1100 0011", "11000011"},
		{"replicate", "8", "%y = comb.replicate %a : (i4) -> i8", "1100 0011", "11001100"},
		{"parity", "1", "%y = comb.parity %a : i4", "1110 0000, 0110 0000", "1 0"},
		{"mux", "4", "%c = comb.extract %a from 0 : (i4) -> i1 %y = comb.mux %c, %a, %b : i4", "0001 1000, 0010 1000", "0001 1000"},
		{"a table: the first input is highest", "1", "%p = comb.extract %a from 0 : (i4) -> i1 %q = comb.extract %b from 0 : (i4) -> i1 %y = comb.truth_table %p, %q -> [false, true, false, false]",
			"0000 0001, 0001 0000, 0001 0001", "1 0 0"},
		{"reverse", "4", "%y = comb.reverse %a : i4", "1000 0000", "0001"},
		{"constants", "4", "%k = hw.constant -3 : i4 %y = comb.add %a, %k {sv.namehint = \"z\"} : i4", "0001 0000", "1110"},
		{"true", "1", "%y = hw.constant true", "0000 0000", "1"},
		{"nothing has one value", "1", "%e = comb.extract %a from 1 : (i4) -> i0 %y = comb.icmp eq %e, %e : i0", "0000 0000", "1"},
		{"used before it is defined", "4", "%y = comb.add %p, %b : i4 %p = comb.xor %a, %b : i4", "0001 0010", "0101"},
		{"compreg", "4", "%y = seq.compreg %a, %clk : i4", "0001 0000, 0010 0000, 0011 0000", "???? 0001 0010"},
		{"compreg with reset", "4", "%c = comb.extract %b from 0 : (i4) -> i1 %k = hw.constant 5 : i4 %y = seq.compreg %a, %clk reset %c, %k : i4",
			"0001 0001, 0010 0000, 0011 0000", "???? 0101 0010"},
		{"an enable", "4", "%c = comb.extract %b from 0 : (i4) -> i1 %y = seq.compreg.ce %a, %clk, %c : i4", "0001 0001, 0010 0000, 0011 0000", "???? 0001 0001"},
		{"a counter", "4", "%c = comb.extract %b from 0 : (i4) -> i1 %k = hw.constant 0 : i4 %y = seq.firreg %n clock %clk reset sync %c, %k : i4 %n = comb.add %y, %a : i4",
			"0001 0001, 0010 0000, 0011 0000", "???? 0000 0010"},
		{"a loop of words that is none of bits", "4", "%l = comb.extract %y from 0 : (i4) -> i1 %h = comb.extract %a from 1 : (i4) -> i3 %m = comb.replicate %l : (i1) -> i3 %n = comb.and %m, %h : i3 %z = comb.extract %b from 0 : (i4) -> i1 %y = comb.concat %n, %z : i3, i1",
			"1110 0001, 1110 0000", "1111 0000"},
	} {
		text := "hw.module @m(in %a: i4, in %b: i4, in %clk: !seq.clock, out y: i" + c.width + ") {\n" + c.body + "\nhw.output %y : i" + c.width + "\n}\n"
		got, err := run(text, c.inputs)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ body, why string }{
		{"%y = comb.icmp ceq %a, %b : i4 %z = comb.replicate %y : (i1) -> i4", "the comparison ceq"},
		{"%y = comb.add %a, %b : i5", "%a has 4 bits"},
		{"%y = comb.add %a, %c : i4", "nothing is named %c"},
		{"%y = comb.add %y, %b : i4", "a loop"},
		{"%y = comb.add %a, %b : i4 %y = comb.add %a, %b : i4", "twice"},
		{"%y = comb.sub %a, %b, %a : i4", "3 operands"},
		{"%y = comb.extract %a from 2 : (i4) -> i4", "not there"},
		{"%y = hw.constant 16 : i4", "16 in 4 bits"},
		{"%y = hw.constant -9 : i4", "-9 in 4 bits"},
		{"%y = hw.instance \"u\" @n() -> ()", "the operation hw.instance"},
		{"%y = seq.compreg %a, %b : i4", "no clock"},
		{"%y = comb.add %a, %clk : i4", "the clock is read"},
		{"%p = comb.parity %a : i4 %c = hw.constant 1 : i4 %y = seq.firreg %a clock %clk reset async %p, %c : i4", "is no input"},
		{"%y = seq.firreg %a clock %clk preset 16 : i4", "16 in 4 bits"},
		{"%y = comb.truth_table %a -> [true]", "1 entries"},
		{"%y = comb.shl %a, %b : !hw.array<4xi1>", "the type"},
	} {
		text := "hw.module @m(in %a: i4, in %b: i4, in %clk: !seq.clock, out y: i4) {\n" + c.body + "\nhw.output %y : i4\n}\n"
		_, err := run(text, "0000 0000, 0000 0000")
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "%%", "%"), c.why) {
			t.Errorf("%s: %v, not %s", c.body, err, c.why)
		}
	}
}
