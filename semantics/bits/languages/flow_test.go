package languages

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/tier"
)

// A vocabulary says how a language writes operations of a width over names, and what text they stand in.
type vocabulary struct {
	binary, compare []string
	text            func(r *rand.Rand, v vocabulary) string
}

var vocabularies = map[string]vocabulary{
	"comb": {binary: []string{"add", "sub", "mul", "and", "or", "xor", "divu", "divs", "modu", "mods", "shl", "shru", "shrs"},
		compare: []string{"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}, text: combText},
	"calyx": {binary: []string{"add", "sub", "and", "or", "xor", "lsh", "rsh", "sadd", "ssub", "slsh", "srsh"},
		compare: []string{"gt", "lt", "eq", "neq", "ge", "le", "sgt", "slt", "seq", "sneq", "sge", "sle"}, text: calyxText},
	"reticle": {binary: []string{"add", "sub", "mul", "and", "or", "xor"}, compare: []string{"eq", "neq", "gt", "lt", "ge", "le"}, text: reticleText},
}

func combText(r *rand.Rand, v vocabulary) string {
	w := 1 + r.IntN(6)
	words, bools := []string{"%a", "%b", "%q", "%s"}, []string{"%c"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var b strings.Builder
	fmt.Fprintf(&b, "hw.module @m(in %%a: i%d, in %%b: i%d, in %%c: i1, in %%r: i1, in %%clk: !seq.clock, out y: i%d, out z: i1) {\n", w, w, w)
	for i := range 8 {
		n := fmt.Sprintf("%%%d", i)
		switch r.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "  %s = comb.icmp %s %s, %s : i%d\n", n, pick(v.compare), pick(words), pick(words), w)
			bools = append(bools, n)
			continue
		case 1:
			fmt.Fprintf(&b, "  %s = comb.mux %s, %s, %s : i%d\n", n, pick(bools), pick(words), pick(words), w)
		case 2:
			fmt.Fprintf(&b, "  %s = hw.constant %d : i%d\n", n, r.IntN(1<<w), w)
		case 3:
			at, wide := r.IntN(w), fmt.Sprintf("%se", n)
			fmt.Fprintf(&b, "  %s = comb.concat %s, %s : i%d, i%d\n  %s = comb.extract %s from %d : (i%d) -> i%d\n", wide, pick(words), pick(words), w, w,
				n, wide, at, 2*w, w)
		case 4:
			fmt.Fprintf(&b, "  %s = comb.truth_table %s, %s, %s -> [", n, pick(bools), pick(bools), pick(bools))
			for k := range 8 {
				b.WriteString([]string{"", ", "}[min(k, 1)] + []string{"true", "false"}[r.IntN(2)])
			}
			b.WriteString("]\n")
			bools = append(bools, n)
			continue
		case 5:
			fmt.Fprintf(&b, "  %s = comb.parity %s : i%d\n", n, pick(words), w)
			bools = append(bools, n)
			continue
		case 6:
			fmt.Fprintf(&b, "  %s = comb.reverse %s : i%d\n", n, pick(words), w)
		case 7:
			fmt.Fprintf(&b, "  %s = comb.replicate %s : (i1) -> i%d\n", n, pick(bools), w)
		default:
			fmt.Fprintf(&b, "  %s = comb.%s %s, %s : i%d\n", n, pick(v.binary), pick(words), pick(words), w)
		}
		words = append(words, n)
	}
	fmt.Fprintf(&b, "  %%q = seq.compreg.ce %s, %%clk, %s reset %s, %s : i%d\n", pick(words), pick(bools), pick(bools), pick(words), w)
	fmt.Fprintf(&b, "  %%true = hw.constant true\n  %%n-1 = comb.xor %%r, %%true : i1\n  %%k = hw.constant %d : i%d\n", r.IntN(1<<w), w)
	preset := ""
	if r.IntN(2) == 0 {
		preset = fmt.Sprintf(" preset %d", r.IntN(1<<w))
	}
	fmt.Fprintf(&b, "  %%s = seq.firreg %s clock %%clk reset %s, %%k%s : i%d\n", pick(words),
		pick([]string{"async %r", "async %n-1", "sync %r"}), preset, w)
	fmt.Fprintf(&b, "  hw.output %s, %s : i%d, i1\n}\n", words[len(words)-1], bools[len(bools)-1], w)
	return b.String()
}

func calyxText(r *rand.Rand, v vocabulary) string {
	w := 1 + r.IntN(6)
	words, bools := []string{"a", "b", "q.out"}, []string{"c", "q.done"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var cells, wires strings.Builder
	fmt.Fprintf(&cells, "q = std_reg(%d); ", w)
	for i := range 8 {
		n := fmt.Sprint("x", i)
		cell := func(format string, args ...any) {
			fmt.Fprintf(&cells, "%s = "+format+"; ", append([]any{n}, args...)...)
		}
		wire := func(pin, from string) { fmt.Fprintf(&wires, "    %s.%s = %s;\n", n, pin, from) }
		switch r.IntN(8) {
		case 0:
			cell("std_%s(%d)", pick(v.compare), w)
			wire("left", pick(words))
			wire("right", pick(words))
			bools = append(bools, n+".out")
			continue
		case 1:
			cell("std_mux(%d)", w)
			wire("cond", pick(bools))
			wire("tru", pick(words))
			wire("fal", pick(words))
		case 2:
			cell("std_const(%d, %d)", w, r.IntN(1<<w))
		case 3:
			at := r.IntN(w + 1)
			fmt.Fprintf(&cells, "%sc = std_cat(%d, %d, %d); ", n, w, w, 2*w)
			fmt.Fprintf(&wires, "    %sc.left = %s;\n    %sc.right = %s;\n", n, pick(words), n, pick(words))
			cell("std_bit_slice(%d, %d, %d, %d)", 2*w, at, at+w-1, w)
			wire("in", n+"c.out")
		case 4:
			cell("std_%s(1, %d)", []string{"pad", "signext"}[r.IntN(2)], w)
			wire("in", pick(bools))
		case 5:
			cell("std_const_mult(%d, %d)", w, r.IntN(1<<w))
			wire("in", pick(words))
		case 6:
			cell("std_mult_pipe(%d)", w)
			wire("left", pick(words))
			wire("right", pick(words))
			wire("go", pick(bools))
			bools = append(bools, n+".done")
		default:
			cell("std_%s(%d)", pick(v.binary), w)
			wire("left", pick(words))
			wire("right", pick(words))
		}
		words = append(words, n+".out")
	}
	return fmt.Sprintf("component main(a: %d, b: %d, c: 1, @reset r: 1) -> (y: %d, z: 1) {\n  cells { %s}\n  wires {\n%s    q.in = %s;\n    q.write_en = %s;\n"+
		"    y = %s;\n    z = %s;\n  }\n  control {}\n}\n", w, w, w, cells.String(), wires.String(), pick(words), pick(bools), words[len(words)-1], bools[len(bools)-1])
}

func reticleText(r *rand.Rand, v vocabulary) string {
	w, lanes := 1+r.IntN(6), 1+r.IntN(2)*2
	typ := fmt.Sprintf("%s%d", []string{"i", "u"}[r.IntN(2)], w)
	vector := typ
	if lanes > 1 {
		vector = fmt.Sprintf("%s<%d>", typ, lanes)
	}
	words, bools, vectors := []string{"a", "b", "q"}, []string{"c"}, []string{"v"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	if lanes == 1 {
		vectors = words
	}
	var b strings.Builder
	for i := range 9 {
		n := fmt.Sprint("t", i)
		switch r.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "  %s:bool = %s(%s, %s) @??;\n", n, pick(v.compare), pick(words), pick(words))
			bools = append(bools, n)
			continue
		case 1:
			fmt.Fprintf(&b, "  %s:%s = mux(%s, %s, %s) @lut(??, ??);\n", n, typ, pick(bools), pick(words), pick(words))
		case 2:
			fmt.Fprintf(&b, "  %s:%s = const[%d];\n", n, typ, r.IntN(1<<(w-1)))
		case 3:
			at := r.IntN(w + 1)
			fmt.Fprintf(&b, "  %sc:%c%d = cat(%s, %s);\n  %s:%s = ext[%d, %d](%sc);\n", n, typ[0], 2*w, pick(words), pick(words), n, typ, at, at+w-1, n)
		case 4:
			fmt.Fprintf(&b, "  %s:%s = %s[%d](%s);\n", n, typ, pick([]string{"sll", "srl", "sra"}), r.IntN(w+2), pick(words))
		case 5:
			fmt.Fprintf(&b, "  %s:%s = not(%s) @??;\n", n, typ, pick(words))
		case 6:
			fmt.Fprintf(&b, "  %s:%s = %s(%s, %s) @??;\n", n, vector, pick(v.binary), pick(vectors), pick(vectors))
			vectors = append(vectors, n)
			if lanes > 1 {
				continue
			}
		default:
			fmt.Fprintf(&b, "  %s:%s = %s(%s, %s) @??;\n", n, typ, pick(v.binary), pick(words), pick(words))
		}
		words = append(words, n)
	}
	return fmt.Sprintf("def m(a:%s, b:%s, c:bool, v:%s)->(y:%s, z:bool, u:%s) {\n%s  q:%s = reg[%d](%s, %s) @??;\n  y:%s = id(%s);\n  z:bool = id(%s);\n  u:%s = id(%s);\n}\n",
		typ, typ, vector, typ, vector, b.String(), typ, r.IntN(1<<(w-1)), pick(words), pick(bools), typ, words[len(words)-1], bools[len(bools)-1],
		vector, vectors[len(vectors)-1])
}

// Evaluator and words of texts of operations agree, whatever is chosen for what they leave open.
func TestOperations(t *testing.T) {
	for name, v := range vocabularies {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(tier.Pick(200, 5000)) {
				r := rand.New(rand.NewPCG(seed, 17))
				text := v.text(r, v)
				p, err := program(t, name, "m", text)
				if err != nil {
					t.Fatal(err, text)
				}
				agree(t, r, p, text)
			}
		})
	}
}
