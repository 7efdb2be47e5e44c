package mlir_test

import (
	"strings"
	"testing"

	"tv/internal/mliropt"
	"tv/semantics/loops"
	"tv/semantics/mlir"
)

// texts are kernels and random programs.
func texts(t *testing.T, random uint64) (out []string) {
	for _, k := range kernels(t) {
		out = append(out, k.text)
	}
	for seed := range random {
		out = append(out, string(mlir.Generate(seed)))
	}
	return out
}

// shapeless leaves out the texts that messages quote.
func shapeless(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		line, _, _ = strings.Cut(line, ` "`)
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// TestFormatKeepsMeaning: a text in canonical layout means the same, and is laid out the same again.
func TestFormatKeepsMeaning(t *testing.T) {
	for _, text := range texts(t, 100) {
		once := mlir.Format(text)
		if again := mlir.Format(once); again != once {
			t.Errorf("laid out twice:\n%s\nonce:\n%s", again, once)
		}
		if want, got := shapeless(loops.Format(parsed(t, "", text))), shapeless(loops.Format(parsed(t, "", once))); got != want {
			t.Errorf("%s\nmeans\n%s\nand not\n%s", once, got, want)
		}
	}
}

// TestFormatOfRagged: words with other blanks between them.
func TestFormatOfRagged(t *testing.T) {
	for _, text := range texts(t, 100) {
		want := mlir.Format(text)
		for _, blank := range []string{" ", "\n"} {
			if got := mlir.Format(strings.Join(strings.Fields(text), blank)); got != want {
				t.Fatalf("%s\nwant\n%s", got, want)
			}
		}
	}
}

// TestFormatOfPrinted: what mlir-opt prints is in canonical layout, but for blanks at a few places.
func TestFormatOfPrinted(t *testing.T) {
	if !installed(t) {
		return
	}
	for _, flags := range [][]string{nil, {"--mlir-print-op-generic"}} {
		out, errs := mliropt.Each("16", texts(t, 10), flags...)
		for k, printed := range out {
			if errs[k] != nil {
				t.Fatal(errs[k])
			}
			printed = strings.ReplaceAll(strings.TrimSpace(printed), "\n\n", "\n")
			for k, line := range strings.Split(mlir.Format(printed), "\n") {
				if k >= len(strings.Split(printed, "\n")) {
					break
				}
				if want := strings.Split(printed, "\n")[k]; strings.TrimSpace(line) != strings.TrimSpace(want) {
					t.Fatalf("line %d is\n%s\nwant\n%s", k+1, line, want)
				}
			}
		}
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"// only\n\n\n\n// comments", "// only\n\n// comments\n"},
		{"func.func @f(%A:memref<4 xf32>){return}", "func.func @f(%A:memref<4 xf32>){return}"},
		{"#m=affine_map<(d0)->(d0-1)>func.func @f(%A:memref<4x?xf32>,%x:f32){// one\naffine.for %i=-1 to 3{ // two\n// three\n" +
			"affine.store %x,%A[%i+1,symbol(%c)-1]:memref<4x?xf32>}%c=arith.constant // four\n-1:index\n\n\nreturn}",
			"#m = affine_map<(d0) -> (d0 - 1)>\nfunc.func @f(%A: memref<4x?xf32>, %x: f32) { // one\n  affine.for %i = -1 to 3 { // two\n" +
				"    // three\n    affine.store %x, %A[%i + 1, symbol(%c) - 1] : memref<4x?xf32>\n  }\n  %c = arith.constant // four\n" +
				"      -1 : index\n\n  return\n}\n"},
		{"func.func @f() { @ }", "func.func @f() { @ }"},
	} {
		got := mlir.Format(test.text)
		if got != test.want {
			t.Errorf("%s\nis laid out as\n%s\nwant\n%s", test.text, got, test.want)
		}
		if again := mlir.Format(got); again != got {
			t.Errorf("%s\nis laid out as\n%s", got, again)
		}
	}
}
