package proofs_test

import (
	"strings"
	"testing"

	"tv/internal/languages"
	"tv/proofs"
)

// A program that nests too deep for the stack is refused; one that nests as deep as may be is not.
func TestDepth(t *testing.T) {
	for depth, refused := range map[int]bool{proofs.MaxDepth: false, proofs.MaxDepth + 1: true, 500_000: true} {
		text := "(input A (shape 2))\n" + strings.Repeat("(compute negative ", depth-1) +
			"A" + strings.Repeat(")", depth-1) // A stands for (access-tensor A)
		s := proofs.Statement{Before: text, After: text}
		_, err := languages.Checker.Check("deep", proofs.Format([]proofs.Pair{{Statement: s}}))
		if got := err != nil && strings.Contains(err.Error(), "[certificate-limit]"); got != refused {
			t.Errorf("%d calls: %v, want refused %t", depth, err, refused)
		}
	}
}
