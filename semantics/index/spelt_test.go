package index

import (
	"strconv"
	"testing"
)

// Names that could be something else are quoted: products, variables, sizes that the prover makes up.
func TestSpelt(t *testing.T) {
	for _, plain := range []string{"", "N", "_", "out-channels", "N.2", "i", "k", "ix1", "i1x", "j12", "N_0"} {
		if got := Spelt(plain); got != plain {
			t.Errorf("%s is spelt %s", plain, got)
		}
	}
	for _, other := range []string{"i0", "k12", "N'", "N/16", "lo#0", "2N", "-N", ".N", "N M", "N*M", "N\n", "é"} {
		if got := Spelt(other); got != strconv.Quote(other) {
			t.Errorf("%s is spelt %s, want it quoted", other, got)
		}
	}
}
