package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tv/internal/networks"
	"tv/internal/tier"
)

// mapModes are the ways that random networks are mapped.
var mapModes = []string{"vta", "vta --pad", "vta --ideal", "vta --split", "vta --mode exact", "flexasr", "flexasr --pad", "flexasr --ideal --split",
	"flexasr --mode exact", "hlscnn", "hlscnn --ideal", "vta,flexasr,hlscnn --pad", "systolic=16x16", "systolic-blocking=16x16",
	"systolic-blocking=16x16 --pad", "vta --extract optimum"}

// Random networks are mapped: each explanation is accepted, and both programs are proved equal. The sums of a convolution that an array
// cuts where no digit ends have no certificate yet: there the check may be unknown.
func TestRandomNetworks(t *testing.T) {
	mapped := 0
	for seed := range tier.Pick(6, 320) {
		dir, mode := t.TempDir(), mapModes[seed*7%len(mapModes)]
		if err := os.WriteFile(dir+"/net.relay", []byte(networks.Random(uint64(seed), 3+seed%6)), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, log bytes.Buffer
		args := append([]string{"map", dir + "/net.relay", "--target"}, strings.Fields(mode)...)
		exit := Main(append(args, "--format", "json", "-o", dir+"/mapped.sexp"), nil, &out, &log)
		var r struct {
			Verdict     string
			Calls       map[string]int
			Explanation struct{ Accepted bool }
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%d on %s: exit %d: %v\n%s", seed, mode, exit, err, log.Bytes())
		}
		unknown := r.Verdict == "unknown" && strings.HasPrefix(mode, "systolic=")
		if !r.Explanation.Accepted || r.Verdict != "proved" && !unknown {
			t.Errorf("%d on %s: %s, explanation accepted: %t\n%s", seed, mode, r.Verdict, r.Explanation.Accepted,
				networks.Random(uint64(seed), 3+seed%6))
		}
		for _, n := range r.Calls {
			mapped += n
		}
	}
	if least := tier.Pick(1, 250); mapped < least {
		t.Errorf("only %d calls", mapped)
	}
}
