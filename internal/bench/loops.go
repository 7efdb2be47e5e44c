package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What questions about loops may cost, in processor time.
const (
	nestMS       = 1000 // the worst of what a compiler made of a kernel
	linesMS      = 500  // 5,000 lines, at 10,000 a second
	wrongNestMS  = 300
	callsMS      = 50
	recurrenceMS = 2000
)

// Pairs of the repository that are decided by recurrences, and wrong ones: a rest, a bound, a base of tiles, a start, a beta, a
// leading dimension.
var (
	recurrences = []string{"c-jacobi-delayed", "c-jacobi-delayed-last", "c-jacobi-tiled", "c-seidel-wavefront", "c-forward-columns",
		"c-lu-left", "c-lu-doolittle", "c-floyd-interchanged", "c-fdtd-tiled", "c-recur-durbin", "c-recur-gramschmidt",
		"c-recur-cholesky-zero"}
	wrongNests = []string{"c-tiled-rest-bad", "c-tiled-bound-bad", "c-tiled-base-bad", "c-tiled-init-bad", "c-unroll-rest-bad",
		"calls-tiles-beta-bad", "calls-mm-leading-bad", "c-jacobi-tile-bad", "c-floyd-inner-bad"}
)

// atSizes are the sizes at which one question is to cost the same.
var atSizes = []int{8, 4096}

// nests lists kernels against what mlir-opt made of them, files of the repository, and texts that are made here.
func (b *bench) nests() {
	files, err := filepath.Glob("testdata/languages/mlir-*-mm-*.txtar")
	check(err)
	more, err := filepath.Glob("testdata/languages/mlir-*-conv-*.txtar")
	check(err)
	for _, f := range append(files, more...) {
		if !strings.HasSuffix(f, "-bad.txtar") {
			b.list = append(b.list, &run{Name: "loops: " + filepath.Base(f), Want: "proved", LimitMS: nestMS, Processor: true,
				args: []string{"check", f, "--format", "json"}})
		}
	}
	for _, name := range []string{"3mm", "mlp3", "batchmatmul", "3mm-operand-bad", "batchmatmul-beta-bad", "conv-group-leading-bad"} {
		want, ms := "proved", float64(callsMS)
		if strings.HasSuffix(name, "-bad") {
			want, ms = "refuted", wrongNestMS
		}
		b.list = append(b.list, &run{Name: "loops: calls " + name, Want: want, LimitMS: ms, Processor: true,
			args: []string{"check", "testdata/languages/calls-" + name + ".txtar", "--format", "json"}})
	}
	for _, name := range recurrences {
		b.litmus("loops: recurrence ", name, "proved", recurrenceMS)
	}
	for _, name := range wrongNests {
		b.litmus("loops: wrong ", name, "refuted", wrongNestMS)
	}
	b.nest("loops: 1,000 loops in a row", "proved", ".c", row(1000), row(1000), 0)
	for _, n := range atSizes {
		b.nest(fmt.Sprintf("loops: matmul in tiles at %d", n), "proved", ".c", products(n), tiles(n, 16), 0)
		b.nest(fmt.Sprintf("loops: matmul unrolled at %d", n), "proved", ".c", products(n), unrolled(n), 0)
		b.nest(fmt.Sprintf("loops: conv in tiles at %d", n), "proved", ".c", windows(n, 0), windows(n, 4), 0)
	}
	for _, n := range []int{64, 256} {
		b.nest(fmt.Sprintf("loops: matmul at %d, transposed", n), "refuted", ".c", products(n),
			strings.Replace(products(n), "B[k][j]", "B[j][k]", 1), wrongNestMS)
	}
	b.nest("loops: tiles of tiles of tiles", "proved", ".c", products(0), tilesOfTiles(), nestMS)
	b.nest("loops: matmul unrolled by 64", "proved", ".mlir", nest(1, 1), nest(1, 64), nestMS)
	b.nest("loops: 9 matmuls unrolled by 64", "proved", ".mlir", nest(9, 1), nest(9, 64), linesMS)
	b.nest("loops: matmul in tiles, a row short", "refuted", ".c", products(0), strings.Replace(tiles(0, 16), "T + 16", "T + 15", 1), wrongNestMS)
}

// nest lists a pair of texts.
func (b *bench) nest(name, want, extension, before, after string, ms float64) {
	args := []string{"check"}
	for _, side := range [][2]string{{"before", before}, {"after", after}} {
		path := strings.TrimSuffix(b.path(name+" "+side[0]), ".sexp") + extension
		if b.write {
			check(os.WriteFile(path, []byte(side[1]), 0o644))
		}
		args = append(args, path)
	}
	b.list = append(b.list, &run{Name: name, Want: want, LimitMS: ms, Processor: true, args: append(args, "--format", "json")})
}

// litmus lists a litmus file.
func (b *bench) litmus(group, name, want string, ms float64) {
	b.list = append(b.list, &run{Name: group + name, Want: want, LimitMS: ms, Processor: true,
		args: []string{"check", "testdata/languages/" + name + ".txtar", "--format", "json"}})
}

// row is so many loops one after the other.
func row(loops int) string {
	var b strings.Builder
	b.WriteString("void row(int N, const float A[N], float C[N]) {\n")
	for k := range loops {
		fmt.Fprintf(&b, "  for (int i = 0; i < N; i++) C[i] = A[i] + %d;\n", k)
	}
	return b.String() + "}\n"
}

// heading is that of a product in C, with named sizes, or all of them n.
func heading(n int) string {
	const text = "void mm(int M, int K, int N, const float A[M][K], const float B[K][N], float C[M][N]) {\n"
	if n == 0 {
		return text
	}
	return strings.NewReplacer("int M, int K, int N, ", "", "M", fmt.Sprint(n), "K", fmt.Sprint(n), "N", fmt.Sprint(n)).Replace(text)
}

// sized puts n for the names of sizes, if it is not 0.
func sized(n int, text string) string {
	if n == 0 {
		return heading(n) + text
	}
	return heading(n) + strings.NewReplacer("< M", fmt.Sprint("< ", n), "< K", fmt.Sprint("< ", n), "< N", fmt.Sprint("< ", n)).Replace(text)
}

func products(n int) string {
	return sized(n, "  for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) {\n"+
		"    C[i][j] = 0;\n    for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j];\n  }\n}\n")
}

// tiles is the same with rows of i in tiles.
func tiles(n, tile int) string {
	return sized(n, fmt.Sprintf("  for (int T = 0; T < M; T += %d) for (int i = T; i < T + %d && i < M; i++) for (int j = 0; j < N; j++) {\n"+
		"    C[i][j] = 0;\n    for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j];\n  }\n}\n", tile, tile))
}

// unrolled is the same with steps of k two at a time.
func unrolled(n int) string {
	return sized(n, "  for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) {\n"+
		"    C[i][j] = 0;\n    int k;\n    for (k = 0; k + 1 < K; k += 2) {\n      C[i][j] += A[i][k] * B[k][j];\n"+
		"      C[i][j] += A[i][k + 1] * B[k + 1][j];\n    }\n    for (; k < K; k++) C[i][j] += A[i][k] * B[k][j];\n  }\n}\n")
}

// tilesOfTiles is the same with rows of i in tiles of 4 in tiles of 16 in tiles of 64.
func tilesOfTiles() string {
	return sized(0, "  for (int T = 0; T < M; T += 64) for (int U = T; U < T + 64 && U < M; U += 16)\n"+
		"    for (int V = U; V < U + 16 && V < M; V += 4) for (int i = V; i < V + 4 && i < M; i++) for (int j = 0; j < N; j++) {\n"+
		"    C[i][j] = 0;\n    for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j];\n  }\n}\n")
}

// windows is a convolution of n elements by 3, with its places in tiles of a size that is not 0.
func windows(n, tile int) string {
	loop := fmt.Sprintf("for (int i = 0; i < %d; i++)", n)
	if tile > 0 {
		loop = fmt.Sprintf("for (int T = 0; T < %d; T += %d) for (int i = T; i < T + %[2]d && i < %[1]d; i++)", n, tile)
	}
	return fmt.Sprintf("void conv(const float X[%d], const float W[3], float Y[%d]) {\n  %s {\n    Y[i] = 0;\n"+
		"    for (int k = 0; k < 3; k++) Y[i] += X[i + k] * W[k];\n  }\n}\n", n+2, n, loop)
}

// nest is so many products one after the other, the innermost loop unrolled by a factor as a compiler does.
func nest(products, factor int) string {
	var b strings.Builder
	b.WriteString("func.func @mm(")
	for p := range products {
		fmt.Fprintf(&b, "%s%%A%d: memref<?x?xf32>, %%B%[2]d: memref<?x?xf32>, %%C%[2]d: memref<?x?xf32>", []string{"", ", "}[min(p, 1)], p)
	}
	b.WriteString(") {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n")
	for p := range products {
		for _, d := range []struct{ name, of, axis string }{{"M", "A", "0"}, {"K", "A", "1"}, {"N", "B", "1"}} {
			fmt.Fprintf(&b, "  %%%s%d = memref.dim %%%s%d, %%c%s : memref<?x?xf32>\n", d.name, p, d.of, p, d.axis)
		}
		fmt.Fprintf(&b, "  affine.for %%i = 0 to %%M%d {\n    affine.for %%j = 0 to %%N%d {\n", p, p)
		whole := fmt.Sprintf("affine_map<()[s] -> ((s floordiv %d) * %d)>()[%%K%d]", factor, factor, p)
		if factor > 1 {
			fmt.Fprintf(&b, "      affine.for %%k = 0 to %s step %d {\n", whole, factor)
			for u := range factor {
				step(&b, p, u)
			}
			fmt.Fprintf(&b, "      }\n      affine.for %%k = %s to %%K%d {\n", whole, p)
		} else {
			fmt.Fprintf(&b, "      affine.for %%k = 0 to %%K%d {\n", p)
		}
		step(&b, p, 0)
		b.WriteString("      }\n    }\n  }\n")
	}
	b.WriteString("  return\n}\n")
	return b.String()
}

// step is one update of C.
func step(b *strings.Builder, p, u int) {
	fmt.Fprintf(b, "        %%k%d = affine.apply affine_map<(d) -> (d + %d)>(%%k)\n", u, u)
	fmt.Fprintf(b, "        %%a%d = affine.load %%A%d[%%i, %%k%d] : memref<?x?xf32>\n", u, p, u)
	fmt.Fprintf(b, "        %%b%d = affine.load %%B%d[%%k%d, %%j] : memref<?x?xf32>\n", u, p, u)
	fmt.Fprintf(b, "        %%r%d = affine.load %%C%d[%%i, %%j] : memref<?x?xf32>\n", u, p)
	fmt.Fprintf(b, "        %%p%d = arith.mulf %%a%d, %%b%d : f32\n", u, u, u)
	fmt.Fprintf(b, "        %%s%d = arith.addf %%r%d, %%p%d : f32\n", u, u, u)
	fmt.Fprintf(b, "        affine.store %%s%d, %%C%d[%%i, %%j] : memref<?x?xf32>\n", u, p)
}
