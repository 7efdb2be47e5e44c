package rules

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"tv/semantics/bits/rule"
)

// allWidths stands for a bound where there is none.
const allWidths = -1

// certificate is the text of a certificate, which proofs/bits/rules reads: the rule, and for which widths it is right. Where that is not all
// of them the certificates of its instances follow, in the order of assignments. doc/certificates.md, section 7, has the form.
func certificate(r *rule.Rule, bound int, instances []byte) []byte {
	var out bytes.Buffer
	text := r.Span.Text()
	fmt.Fprintf(&out, "tv bits rule certificate 1\nrule %x %d\n%s\n", sha256.Sum256([]byte(text)), len(text), text)
	if bound == allWidths {
		fmt.Fprintln(&out, "widths all")
	} else {
		fmt.Fprintf(&out, "widths %d\n", bound)
	}
	out.Write(instances)
	fmt.Fprintln(&out, "end")
	return out.Bytes()
}
