package rules

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"tv/equiv/bits"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/internal/tier"
	proof "tv/proofs/bits/rules"
	"tv/semantics/bits/rule"
)

var token = regexp.MustCompile(`[()]|[^()\s]+|\s+`)

// TestDamage: of texts of rules with words left out, doubled or exchanged neither reader fails, what one reads the other does, and no
// certificate at all widths is accepted of what an instance refutes.
func TestDamage(t *testing.T) {
	var texts []string
	for _, name := range []string{"../../../semantics/bits/rules/bitvectors.rules", "testdata/near.rules"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		forms, bad := sexpr.Read(source.NewFile(name, string(data)))
		if bad != nil {
			t.Fatal(bad)
		}
		for _, x := range forms {
			texts = append(texts, x.Span.Text())
		}
	}
	draw := rand.New(rand.NewPCG(11, 11))
	read, wrong, accepted := 0, 0, 0
	for range tier.Draw(1200, 2000, 6000) {
		words := token.FindAllString(texts[draw.IntN(len(texts))], -1)
		for range 1 + draw.IntN(2) {
			i, j := draw.IntN(len(words)), draw.IntN(len(words))
			switch draw.IntN(4) {
			case 0:
				words[i] = ""
			case 1:
				words[i] = words[j]
			case 2:
				words[i], words[j] = words[j], words[i]
			case 3:
				words[i] += " " + words[j]
			}
		}
		text := strings.Join(words, "")
		forms, bad := sexpr.Read(source.NewFile("rule", text))
		if bad != nil || len(forms) != 1 || !rule.Is(forms[0]) {
			continue
		}
		r, err := rule.Parse(forms[0])
		if err != nil {
			continue
		}
		read++
		_, refused := proof.Check(certificate(r, allWidths, nil))
		if refused == nil {
			accepted++
		} else if strings.Contains(refused.Error(), "nothing is named") || strings.Contains(refused.Error(), "no operation") {
			t.Errorf("the checker reads otherwise: %v\n%s", refused, text)
		}
		out, err := Check(context.Background(), r, Options{Conflicts: 200})
		switch {
		case err != nil: // no instance
		case out.Verdict == bits.Refuted:
			if wrong++; refused == nil {
				t.Errorf("it is wrong, and a certificate is accepted:\n%s", text)
			}
		case out.Verdict == bits.Proved && out.Engine == Instances:
			if _, err := proof.Check(out.Certified); err != nil {
				t.Errorf("its certificate is refused: %v\n%s", err, text)
			}
		}
	}
	if read < 100 || wrong < 30 || accepted < 10 {
		t.Errorf("%d are rules, %d wrong, %d accepted: too few", read, wrong, accepted)
	}
	t.Logf("%d are rules, %d wrong, %d accepted", read, wrong, accepted)
}
