package reticle

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
		stream = append(stream, map[string]string{"a": f[0], "b": f[1], "e": f[1][len(f[1])-1:]})
	}
	return circuittest.Run(func(v *circuit.View) *circuit.Circuit { return Read(v, text, "main") }, "clk", "y", stream)
}

// What instructions mean, by hand: a and b of four bits and of a type, e the lowest bit of b, and the output y of each cycle.
func TestMeaning(t *testing.T) {
	for _, c := range []struct{ name, kind, result, body, inputs, want string }{
		{"add wraps", "i4", "i4", "y:i4 = add(a, b) @??;", "1111 0011", "0010"},
		{"sub", "u4", "u4", "y:u4 = sub(a, b) @lut;", "0001 0010", "1111"},
		{"mul", "i4", "i4", "y:i4 = mul(a, b) @dsp;", "0101 0101", "1001"},
		{"not", "i4", "i4", "y:i4 = not(a) @??;", "1100 0000", "0011"},
		{"and", "i4", "i4", "y:i4 = and(a, b) @??;", "1100 1010", "1000"},
		{"or", "i4", "i4", "y:i4 = or(a, b) @??;", "1100 1010", "1110"},
		{"xor", "i4", "i4", "y:i4 = xor(a, b) @??;", "1100 1010", "0110"},
		{"mux: the second where it holds", "i4", "i4", "y:i4 = mux(e, a, b) @??;", "1000 0001, 1000 0010", "1000 0010"},
		{"eq", "i4", "bool", "y:bool = eq(a, b) @??;", "1000 1000, 1000 0000", "1 0"},
		{"eq of bools is no conjunction", "i4", "bool", "p:bool = ext[0](a); y:bool = eq(p, e) @??;", "0000 0000, 0001 0000", "1 0"},
		{"neq", "i4", "bool", "y:bool = neq(a, b) @??;", "1000 1000, 1000 0000", "0 1"},
		{"lt signed", "i4", "bool", "y:bool = lt(a, b) @??;", "1000 0001, 0001 0001", "1 0"},
		{"lt unsigned", "u4", "bool", "y:bool = lt(a, b) @??;", "1000 0001, 0001 0010", "0 1"},
		{"gt", "i4", "bool", "y:bool = gt(a, b) @??;", "1000 0001, 0010 0001", "0 1"},
		{"le", "u4", "bool", "y:bool = le(a, b) @??;", "0001 0001, 1000 0001", "1 0"},
		{"ge", "i4", "bool", "y:bool = ge(a, b) @??;", "0001 0001, 1000 0001", "1 0"},
		{"id", "i4", "i4", "y:i4 = id(a);", "1010 0000", "1010"},
		{"const", "i4", "i4", "y:i4 = const[-3];", "0000 0000", "1101"},
		{"sll", "i4", "i4", "y:i4 = sll[1](a);", "1011 0000", "0110"},
		{"srl", "i4", "i4", "y:i4 = srl[1](a);", "1011 0000", "0101"},
		{"sra", "i4", "i4", "y:i4 = sra[1](a);", "1011 0000", "1101"},
		{"sra by more", "i4", "i4", "y:i4 = sra[9](a);", "1011 0000", "1111"},
		{"ext of a bit", "i4", "bool", "y:bool = ext[2](a);", "0100 0000", "1"},
		{"ext", "i4", "i2", "y:i2 = ext[1, 2](a);", "0100 0000", "10"},
		{"cat: the first is low", "i4", "i8", "y:i8 = cat(a, b);", "1100 0011", "00111100"},
		{"lanes do not carry", "i2<2>", "i2<2>", "y:i2<2> = add(a, b) @??;", "0111 0001", "0100"},
		{"reg holds", "i4", "i4", "y:i4 = reg[5](a, e) @??;", "0011 0001, 0100 0000, 0110 0001, 0000 0000", "0101 0011 0011 0110"},
		{"a counter, which reads what follows", "i4", "i4", "y:i4 = reg[0](t, e) @??; t:i4 = add(y, a) @??;", "0001 0001, 0010 0001, 0000 0000", "0000 0001 0011"},
		{"words that wait for themselves, bits that do not", "i4", "i4", "p:i2 = ext[0, 1](y); q:i2 = ext[0, 1](a); y:i4 = cat(q, p);", "0010 0000", "1010"},
	} {
		text := "def main(a:" + c.kind + ", b:" + c.kind + ", e:bool)->(y:" + c.result + ") { " + c.body + " }"
		got, err := run(text, c.inputs)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ body, why string }{
		{"y:i4 = add(a, e) @??;", "another type"},
		{"y:i4 = add(a, c) @??;", "nothing is named c"},
		{"y:i4 = add(a) @??;", "add of 1 arguments"},
		{"y:i4 = add(y, a) @??;", "a loop"},
		{"y:i4 = id(a); y:i4 = id(b);", "defined twice"},
		{"y:i5 = id(a);", "output y"},
		{"y:i4 = load(a) @??;", "the instruction load"},
		{"y:i4 = const[8];", "none of its type"},
		{"y:i4 = mux(a, a, b) @??;", "no bool"},
		{"t:u4 = cat(e, e, e, e); s:u4 = sra[1](t); y:i4 = cat(s, s);", "cat of 8 bits for 4"},
		{"t:u4 = cat(e, e, e, e); s:u4 = sra[1](t); u:u2 = ext[0, 1](s); y:i4 = cat(u, u);", "without a sign"},
		{"t:i2<2> = cat(e, e, e, e); u:i2 = ext[0](t); y:i4 = cat(u, u);", "ext of a vector"},
		{"y:i4 = reg[0](a, b) @??;", "reg of such types"},
		{"y:i4 = add(a, b) @bram;", "the resource"},
		{"t:i2 = ext[3, 4](a); y:i4 = cat(t, t);", "are not there"},
		{"t:bool = lt(e, e) @??; y:i4 = cat(t, t, t, t);", "lt of bools"},
	} {
		_, err := run("def main(a:i4, b:i4, e:bool)->(y:i4) { "+c.body+" }", "0000 0000, 0000 0000")
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, not %s", c.body, err, c.why)
		}
	}
}
