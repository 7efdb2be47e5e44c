package proofs

import (
	"crypto/sha256"
	"fmt"
)

// Signed adds the digest to the text of a certificate.
func Signed(text []byte) []byte {
	return fmt.Appendf(text[:len(text):len(text)], "sha256 %x\n", sha256.Sum256(text))
}
