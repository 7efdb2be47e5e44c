package proofs

// Signed adds the digest to the text of a certificate.
func Signed(text []byte) []byte { return signed(text[:len(text):len(text)]) }

// MaxDepth is how deep calls may nest.
const MaxDepth = maxDepth
