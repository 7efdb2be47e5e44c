package bv

import (
	"testing"

	"tv/internal/source"
)

// The layout keeps comments, and is that of what it prints.
func TestFormat(t *testing.T) {
	const text = `; the file
(spec ; behind the head
  (in a 8) (in b 8) ; inputs
  ; what is assumed
  (assume (distinct b ; inside
     #x00))
  (state s 1 any (bvcomp a b))
  (state q 8 #b00000000 a)
  (out y 8 (bvadd a b)) ; the sum
  ; the end
) ; done
; after
`
	const want = `; the file
(spec ; behind the head
  (in a 8)
  (in b 8) ; inputs
  ; what is assumed
  ; inside
  (assume (distinct b #x00))
  (state s 1 any (bvcomp a b))
  (state q 8 #x00 a)
  (out y 8 (bvadd a b)) ; the sum
  ; the end
) ; done
; after
`
	for _, in := range []string{text, want} {
		got, err := Format(source.NewFile("a.bv", in))
		if err != nil || got != want {
			t.Errorf("%v\n%s", err, got)
		}
	}
	if got, err := Format(source.NewFile("a.bv", "(spec (in a 1) (out y 1 a))")); err != nil || got != "(spec\n  (in a 1)\n  (out y 1 a))\n" {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := Format(source.NewFile("a.bv", "(spec (in a 1)")); err == nil {
		t.Error("a text that ends is laid out")
	}
}
