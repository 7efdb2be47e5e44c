package cli

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"tv/equiv"
	"tv/internal/designs"
	"tv/internal/tier"
	"tv/semantics/bits/flat"
)

// fitted is what is known of a design: the configuration of one slice, which has been proved; or that there is none, which the checker has
// enumerated, and those of two slices, of which the second has what the first computes, or that none were found.
func fitted(ctx context.Context, d *designs.Design) (string, error) {
	one, err := slicesOf(ctx, d, 1)
	if err != nil || one != "none" {
		return one, err
	}
	two, err := slicesOf(ctx, d, 2)
	return one + "; " + two, err
}

func slicesOf(ctx context.Context, d *designs.Design, n int) (string, error) {
	spec, err := readSpec(d.Name()+".bv", d.Text)
	if err != nil {
		return "", err
	}
	f := newSynthFlags()
	f.arch.value, f.template.value, f.slices = "xilinx", "dsp", n
	ans, err := new(app).synthAnswer(ctx, spec, f)
	if err != nil {
		return "", err
	}
	switch r := &ans.item.Result; {
	case r.Verdict == equiv.Proved && r.Certificate != nil:
		out := map[int]string{1: "fits", 2: "two"}[n]
		cells := ans.item.Synth.Module.Cells
		if len(cells) != n {
			return "", fmt.Errorf("%s: %d cells", d.Name(), len(cells))
		}
		for i := range cells {
			if cells[i].Type != "DSP48E2" {
				return "", fmt.Errorf("%s: another cell", d.Name())
			}
			if i > 0 {
				out += " +"
			}
			out += " " + configuration(&cells[i])
		}
		return out, nil
	case n == 1 && r.Verdict == equiv.Unknown && r.Reason == "no-mapping" && ans.absence != nil:
		return "none", nil
	default:
		return fmt.Sprintf("unknown %s %s", r.Reason, r.Detail), nil
	}
}

// configuration is that of a slice on a line.
func configuration(c *flat.Cell) string {
	var out []string
	for _, p := range c.Pins {
		if slices.Contains([]string{"OPMODE", "ALUMODE", "INMODE", "CARRYIN"}, p.Name) {
			v := new(big.Int)
			for i, b := range p.Bits {
				v.SetBit(v, i, uint(b.Index))
			}
			out = append(out, fmt.Sprintf("%s=%0*b", p.Name, len(p.Bits), v))
		}
	}
	for _, p := range c.Params {
		if name, ok := strings.CutSuffix(p.Name, "REG"); ok && p.Value.Sign() > 0 && !strings.HasSuffix(name, "CASC") {
			out = append(out, fmt.Sprintf("%s=%d", p.Name, p.Value))
		}
	}
	return strings.Join(out, " ")
}

// Which designs fit one slice, with a proof either way, in samples that meet each form at each latency. go test -update asks of all, and
// writes what they are and the table of doc/found-fpga.md.
func TestDesigns(t *testing.T) { fitsAsWritten(t, tier.Part{N: tier.Draw(89, 16, 8)}) }

func TestStressDesigns(t *testing.T) { fitsAsWritten(t, tier.Stress(t)) }

// fitsAsWritten asks which designs of a part fit a slice.
func fitsAsWritten(t *testing.T, part tier.Part) {
	const golden = "testdata/designs.txt"
	list := designs.All()
	if len(list) != 1056 {
		t.Fatalf("%d designs", len(list))
	}
	data, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(data)), "\n")
	if *update {
		part = tier.Part{N: 1}
	}
	got := make([]string, len(list))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := part.I; i < len(list); i += part.N {
		group.Go(func() error {
			line, err := fitted(t.Context(), &list[i])
			got[i] = list[i].Name() + " " + line
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "doc", "found-fpga.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		want = got
		if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, []byte(withTable(string(text), want)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(want) != len(list) {
		t.Fatalf("%s has %d designs", golden, len(want))
	}
	for i := part.I; i < len(list); i += part.N {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
	if diff := cmp.Diff(string(text), withTable(string(text), want)); diff != "" {
		t.Errorf("%s (-file +table; go test -update writes it):\n%s", page, diff)
	}
}

// The table stands between these lines.
const tableFrom, tableTo = "| design |", "\n\n"

// withTable is a page with the table of what fits, by form and latency, of 22 designs each: "two" are those that do not, and fit two.
func withTable(page string, lines []string) string {
	at := strings.Index(page, tableFrom)
	if at < 0 {
		return page + "\nno table"
	}
	end := at + strings.Index(page[at:], tableTo)
	fits := map[string]int{}
	var forms []string
	for i, d := range designs.All() {
		if len(forms) == 0 || forms[len(forms)-1] != d.Form {
			forms = append(forms, d.Form)
		}
		words := strings.Fields(lines[i])
		verdict := words[1]
		if verdict == "none;" {
			verdict = words[2]
		}
		fits[fmt.Sprint(d.Form, d.Stages, verdict)]++
	}
	var out strings.Builder
	out.WriteString(tableFrom + " 0 stages | 1 stage | 2 stages | 3 stages |\n|---|---|---|---|---|")
	for _, f := range forms {
		fmt.Fprintf(&out, "\n| `%s` |", f)
		for k := range 4 {
			var parts []string
			for _, verdict := range []string{"fits", "two", "unknown"} {
				if n := fits[fmt.Sprint(f, k, verdict)]; n > 0 {
					parts = append(parts, fmt.Sprintf("%s %d", verdict, n))
				}
			}
			fmt.Fprintf(&out, " %s |", strings.Join(parts, ", "))
		}
	}
	return page[:at] + out.String() + page[end:]
}
