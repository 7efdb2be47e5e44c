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
	if mapped, least := mapsRandom(t, tier.Part{N: 1}, tier.Draw(6, 24, 48)), tier.Draw(1, 12, 25); mapped < least {
		t.Errorf("only %d calls", mapped)
	}
}

func TestStressRandomNetworks(t *testing.T) { mapsRandom(t, tier.Stress(t), 1000) }

// mapsRandom maps a part of the first n networks, in the modes in turn, and returns how many calls that makes.
func mapsRandom(t *testing.T, part tier.Part, n int) (mapped int) {
	for seed := range n {
		if !part.Has(seed) {
			continue
		}
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
	return mapped
}
