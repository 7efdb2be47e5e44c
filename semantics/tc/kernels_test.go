package tc

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// A kernel is a text, sizes, what inputs hold (an output that is not among them holds 9 everywhere), and outputs worked out
// by hand.
type kernel struct {
	name, text string
	sizes      map[string]int64
	in, want   map[string][]int64
	near       []string // old, new: each change by itself gives other contents, or none
}

var kernels = []kernel{
	{"mv", "def mv(float(M, K) A, float(K) x) -> (c) {\n  c(i) +=! A(i, k) * x(k)\n}",
		map[string]int64{"M": 2, "K": 3},
		map[string][]int64{"A": {1, 2, 3, 4, 5, 6}, "x": {1, 0, 2}},
		map[string][]int64{"c": {7, 16}},
		[]string{"+=!", "+=", "x(k)", "x(k) where k in 0:K - 1", "x(k)", "x(k) where k in 1:K", "A(i, k)", "A(k, i)"}},
	{"sgemm", "def sgemm(float a, float b, float(M, K) A, float(K, N) B) -> (C) {\n  C(i, j) *= b where i in 0:M, j in 0:N\n" +
		"  C(i, j) += a * A(i, k) * B(k, j)\n}",
		map[string]int64{"M": 2, "K": 2, "N": 3},
		map[string][]int64{"a": {2}, "b": {10}, "A": {1, 2, 3, 4}, "B": {1, 0, 2, 0, 1, 3}, "C": {1, 2, 3, 4, 5, 6}},
		// A B = 1 2 8; 3 4 18
		map[string][]int64{"C": {12, 24, 46, 46, 58, 96}},
		[]string{"+= a", "+=! a", "*= b", "*=! b", "0:M", "1:M", "A(i, k)", "A(k, i)"}},
	{"transposed", "def t(int32(K, M) A, int32(N, K) B) -> (C) {\n  C(i, j) +=! A(k, i) * B(j, k)\n}",
		map[string]int64{"M": 2, "K": 2, "N": 2},
		map[string][]int64{"A": {1, 2, 3, 4}, "B": {1, 5, 0, 2}},
		map[string][]int64{"C": {1 + 15, 6, 2 + 20, 8}},
		[]string{"A(k, i)", "A(i, k)", "B(j, k)", "B(k, j)", "C(i, j)", "C(j, i)"}},
	{"batchmatmul", "def bmm(float(B, N, M) X, float(B, M, K) Y) -> (Z) {\n  Z(b, n, k) +=! X(b, n, m) * Y(b, m, k)\n}",
		map[string]int64{"B": 2, "N": 1, "M": 2, "K": 2},
		map[string][]int64{"X": {1, 2, 3, 4}, "Y": {1, 0, 0, 1, 1, 1, 2, 0}},
		map[string][]int64{"Z": {1, 2, 3 + 8, 3}},
		[]string{"+=!", "+=", "Y(b, m, k)", "Y(b, k, m)", "X(b, n, m)", "X(0, n, m)"}},
	{"3mm", "def f(float(M, K) A, float(K, N) B, float(N, L) C, float(L, P) D) -> (E, F, G) {\n  E(i, j) +=! A(i, k) * B(k, j)\n" +
		"  F(i, j) +=! C(i, k) * D(k, j)\n  G(i, j) +=! E(i, k) * F(k, j)\n}",
		map[string]int64{"M": 1, "K": 2, "N": 2, "L": 1, "P": 2},
		map[string][]int64{"A": {1, 2}, "B": {1, 2, 3, 4}, "C": {5, 6}, "D": {1, 2}},
		map[string][]int64{"E": {7, 10}, "F": {5, 10, 6, 12}, "G": {35 + 60, 70 + 120}},
		[]string{"G(i, j) +=!", "G(i, j) +=", "E(i, k) * F", "E(i, 0) * F"}},
	{"4cmm", "def f(float(M, K) A, float(K, N) B, float(N, L) C, float(L, P) D) -> (E, F, G) {\n  E(i, j) +=! A(i, k) * B(k, j)\n" +
		"  F(i, j) +=! E(i, k) * C(k, j)\n  G(i, j) +=! F(i, k) * D(k, j)\n}",
		map[string]int64{"M": 1, "K": 2, "N": 2, "L": 1, "P": 2},
		map[string][]int64{"A": {1, 2}, "B": {1, 2, 3, 4}, "C": {5, 6}, "D": {1, 2}},
		map[string][]int64{"E": {7, 10}, "F": {95}, "G": {95, 190}},
		[]string{"F(i, j) +=!", "F(i, j) +=", "C(k, j)", "C(k, j) where k in 0:1"}},
	{"mlp3", "def mlp3(float(B, M) I, float(O, M) W2, float(O) B2, float(P, O) W3, float(P) B3) -> (O2, O3) {\n" +
		"  O2(b, o) +=! I(b, n) * W2(o, n)\n  O2(b, o) = O2(b, o) + B2(o)\n  O2(b, o) = fmax(O2(b, o), 0)\n" +
		"  O3(b, p) +=! O2(b, o) * W3(p, o)\n  O3(b, p) = O3(b, p) + B3(p)\n  O3(b, p) = fmax(O3(b, p), 0)\n}",
		map[string]int64{"B": 1, "M": 2, "O": 2, "P": 2},
		map[string][]int64{"I": {1, 2}, "W2": {1, 1, -1, -3}, "B2": {4, 1}, "W3": {1, 5, -2, 1}, "B3": {3, 1}},
		map[string][]int64{"O2": {7, 0}, "O3": {10, 0}},
		[]string{"fmax(O2(b, o), 0)", "O2(b, o)", "+ B2(o)", "- B2(o)", "O3(b, p) +=!", "O3(b, p) +="}},
	{"fcrelu", "def fcrelu(float(B, M) in_, float(N, M) weight, float(N) bias) -> (out) {\n  out(i, j) = bias(j) where i in 0:B\n" +
		"  out(b, n) += in_(b, m) * weight(n, m)\n  out(b, n) = fmax(out(b, n), 0)\n}",
		map[string]int64{"B": 1, "M": 2, "N": 2},
		map[string][]int64{"in_": {1, 2}, "weight": {1, 1, -1, -3}, "bias": {4, 1}},
		map[string][]int64{"out": {7, 0}},
		[]string{"+= in_", "+=! in_", "weight(n, m)", "weight(m, n)"}},
	{"kronecker", "def kron(int32(D0, N0) W0, int32(D1, N1) W1, int32(M, N0, N1) X) -> (XW1, XW0) {\n" +
		"  XW1(m, n0, d1) +=! X(m, n0, n1) * W1(d1, n1)\n  XW0(m, d0, d1) +=! XW1(m, n0, d1) * W0(d0, n0)\n}",
		map[string]int64{"D0": 1, "N0": 2, "D1": 2, "N1": 2, "M": 1},
		map[string][]int64{"W0": {1, 10}, "W1": {1, 1, 3, 2}, "X": {1, 2, 3, 4}},
		map[string][]int64{"XW1": {3, 7, 7, 17}, "XW0": {73, 177}},
		[]string{"W0(d0, n0)", "W0(d0, d1)", "W1(d1, n1)", "W1(n1, d1)"}},
	{"conv", "def conv(float(N, C, H, W) I, float(M, C, KH, KW) W1) -> (O) {\n  O(n, m, h, w) +=! I(n, c, h + kh, w + kw) * W1(m, c, kh, kw)\n}",
		map[string]int64{"N": 1, "C": 1, "H": 3, "W": 3, "M": 1, "KH": 2, "KW": 2},
		map[string][]int64{"I": {1, 2, 3, 4, 5, 6, 7, 8, 9}, "W1": {1, 2, 0, 10}},
		map[string][]int64{"O": {55, 68, 94, 107}},
		[]string{"h + kh", "h + kw", "W1(m, c, kh, kw)", "W1(m, c, kw, kh) where h in 1:H - 1"}},
	{"strided conv", "def conv(int32(N) I, int32(K) W) -> (O) {\n  O(i) +=! I(2 * i + k) * W(k)\n}",
		map[string]int64{"N": 6, "K": 3}, // 0 <= i < floor((6 - 3) / 2) + 1
		map[string][]int64{"I": {1, 2, 3, 4, 5, 6}, "W": {1, 10, 100}},
		map[string][]int64{"O": {321, 543}},
		[]string{"2 * i", "i", "W(k)", "W(k) where k in 0:2"}},
	{"group convolution", "def gconv(float(N, G, C, H, W) I, float(G, F, C, KH, KW) W1, float(G, F) B) -> (O) {\n" +
		"  O(n, g, f, h, w) +=! I(n, g, c, h + kh, w + kw) * W1(g, f, c, kh, kw)\n  O(n, g, f, h, w) = O(n, g, f, h, w) + B(g, f)\n}",
		map[string]int64{"N": 1, "G": 2, "C": 1, "H": 1, "W": 3, "F": 1, "KH": 1, "KW": 2},
		map[string][]int64{"I": {1, 2, 3, 4, 5, 6}, "W1": {1, 10, 2, 1}, "B": {100, 200}},
		map[string][]int64{"O": {121, 132, 213, 216}},
		[]string{"I(n, g,", "I(n, 0,", "B(g, f)", "B(0, f)", "+=!", "+="}},
	{"wavenet", "def wavenet(int32 D, float(B, R, T) Data, float(C, R, 2) W, float(C) Bias) -> (F) {\n" +
		"  F(b, c, t) = Bias(c) where b in 0:B, t in 0:T\n" +
		"  F(b, c, t) += Data(b, r, t) * W(c, r, 1) + (t - D >= 0 ? Data(b, r, t - D) * W(c, r, 0) : float(0)) where t in 0:T\n}",
		map[string]int64{"D": 2, "B": 1, "R": 1, "T": 4, "C": 1},
		map[string][]int64{"Data": {1, 2, 3, 4}, "W": {10, 1}, "Bias": {100}},
		map[string][]int64{"F": {101, 102, 113, 124}},
		[]string{"t - D >= 0", "t - D > 0", "+= Data", "+=! Data", "t - D)", "t - 1)"}},
	{"maximum", "def f(int8(N, M) A) -> (m, P) {\n  m(i) max=! A(i, j)\n  P *=! A(i, j) where j in 0:2\n}",
		map[string]int64{"N": 2, "M": 3},
		map[string][]int64{"A": {-1, -2, -3, 4, 50, 6}, "m": {100, 100}},
		map[string][]int64{"m": {-1, 50}, "P": {400 - 512}},
		[]string{"max=!", "max=", "*=!", "*=", "0:2", "0:1"}},
	{"reverted", "def f(int32(I) B) -> (A) {\n  A(i) = B(10 - i)\n}", map[string]int64{"I": 3},
		map[string][]int64{"B": {1, 2, 3}}, map[string][]int64{"A": {9, 9, 9, 9, 9, 9, 9, 9, 3, 2, 1}}, []string{"10", "11"}},
	{"window sum", "def f(int32(N) I) -> (A) {\n  A(i) +=! I(3 * i + x) where x in 0:4\n}", map[string]int64{"N": 9},
		map[string][]int64{"I": {1, 2, 3, 4, 5, 6, 7, 8, 9}}, map[string][]int64{"A": {10, 22}}, []string{"0:4", "0:3", "0:4", "1:4", "3", "2"}},
	{"products of indices", "def f(int32(N) A) -> (B) {\n  B(v) +=! A(v + i * (j - 1)) where i in 0:3, j in 0:3\n}", map[string]int64{"N": 6},
		map[string][]int64{"A": {1, 2, 3, 4, 5, 6}}, map[string][]int64{"B": {9, 9, 6 + 9 + 12, 9 + 12 + 15}}, []string{"j - 1", "j"}},
	{"division and lets", "def f(int32(N) A, float(N) B) -> (C, D, E) {\n  C(i) = A(i) / 2 + A(i) % 2 * 10\n" +
		"  D(i) = y * 2 + B(i) where y = A(i) - x, x = 1\n  E(i) = (i == 1 || i > 2) && !(i == 3) ? i : -N where exists A(i)\n}",
		map[string]int64{"N": 4},
		map[string][]int64{"A": {-3, 3, 4, 5}, "B": {1, 2, 3, 4}},
		map[string][]int64{"C": {-11, 11, 2, 12}, "D": {-7, 6, 9, 12}, "E": {-4, 1, -4, -4}},
		[]string{"x = 1", "x = 2", "i > 2", "i > 1", "% 2", "% 3"}},
	{"narrowing", "def f(uint8(N) A) -> (C, D) {\n  C(i) = A(i)\n  C(i) = int32(A(i)) * 100 + C(i)\n  D(i) = C(i) * 6\n}",
		map[string]int64{"N": 1}, map[string][]int64{"A": {3}}, map[string][]int64{"C": {303 - 256}, "D": {282 - 256}},
		[]string{"+ C(i)", "- C(i)", "* 6", "+ 6"}},
}

// contents runs a kernel and returns what outputs hold; none where the call ends.
func (k *kernel) contents(t *testing.T, text string) (map[string][]int64, error) {
	t.Helper()
	p, err := Parse(textFile(text), "")
	if err != nil {
		return nil, err
	}
	r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: k.sizes, Input: func(b *loops.Buffer, offset int64) value.Value {
		n := int64(9)
		if list := k.in[b.Name]; list != nil {
			n = list[offset]
		}
		return value.IntValue(n, value.Exact, b.Elem)
	}})
	if err == nil {
		err = r.Do(context.Background())
	}
	if err != nil {
		return nil, err
	}
	out := map[string][]int64{}
	for _, b := range p.Buffers {
		if b.Kind != loops.InOut {
			continue
		}
		cells := int64(1)
		for _, d := range r.Dims(b) {
			cells *= d
		}
		for offset := range cells {
			n, ok := r.Value(b, offset).Rat()
			if !ok || !n.IsInt() {
				n = big.NewRat(-1<<40, 1)
			}
			out[b.Name] = append(out[b.Name], n.Num().Int64())
		}
	}
	return out, nil
}

// TestKernels: what kernels leave was worked out by hand; what is nearly the same leaves something else.
func TestKernels(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			got, err := k.contents(t, k.text)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(k.want) {
				t.Fatalf("%v: %v, want %v", err, got, k.want)
			}
			for _, c := range slices.Collect(slices.Chunk(k.near, 2)) {
				text := strings.Replace(k.text, c[0], c[1], 1)
				if text == k.text {
					t.Fatalf("%q does not occur", c[0])
				}
				if got, err := k.contents(t, text); err == nil && fmt.Sprint(got) == fmt.Sprint(k.want) {
					t.Errorf("%q for %q leaves the same", c[1], c[0])
				}
			}
		})
	}
}
