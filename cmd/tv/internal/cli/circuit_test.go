package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/internal/source"
	"tv/internal/tier"
	proof "tv/proofs/bits"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/verilog"
)

// circuitCases are the litmus files of netlists that are netlists.
func circuitCases(t *testing.T, each func(t *testing.T, before, after, lang string)) {
	t.Helper()
	var names []string
	for _, dir := range []string{"netlists", "machines"} {
		list, err := filepath.Glob("../../../../equiv/bits/testdata/" + dir + "/*.txtar")
		if err != nil || len(list) == 0 {
			t.Fatal("no cases", err)
		}
		names = append(names, list...)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			each(t, string(a.Files[0].Data), string(a.Files[1].Data), languages.Of(filepath.Ext(a.Files[1].Name)).Name)
		})
	}
}

// asked is the answer to a question about two texts; nil where these are refused.
func asked(t *testing.T, before, after, lang string) *circuitAnswer {
	t.Helper()
	spec, err := parseCircuit(source.NewFile("before.bv", before), languages.Named("bv"))
	if err == nil {
		err = spec.elaborate(circuitOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	net, err := parseCircuit(source.NewFile("after", after), languages.Named(lang))
	if err == nil {
		err = net.elaborate(circuitOptions{Clock: spec.parsed.Clock()})
	}
	if err != nil {
		return nil
	}
	ans, err := askCircuit(t.Context(), spec, net, spec.program.Latency(), 0)
	var ports *source.Error
	if errors.As(err, &ports) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

// Each proof about a netlist of the litmus files has a certificate. A netlist that is refuted has none that says to try all inputs; nor
// does a certificate hold of a netlist with a change, unless that is right as well.
func TestCircuitCertificates(t *testing.T) {
	accepted, refused := 0, 0
	circuitCases(t, func(t *testing.T, before, after, lang string) {
		ans := asked(t, before, after, lang)
		switch {
		case ans == nil:
		case ans.result.Verdict == equiv.Proved:
			if ans.certificate == nil {
				if !slices.Contains(ans.result.Trusts, startsAs) {
					t.Error("no certificate")
				}
				return
			}
			accepted++
			n, wrong := mutants(t, before, after, lang, ans.certificate)
			refused += n
			for _, text := range wrong {
				t.Errorf("a certificate holds of what is not proved:\n%s", text)
			}
		case ans.result.Verdict == equiv.Refuted:
			o := ans.after.program.Options()
			forged := fmt.Sprintf("tv bits certificate 1\n%s%stop-before -\ntop-after %s\narch-before -\narch-after %s\nclock %s\nlatency %d\n"+
				"kind exhaustive\nend\n", included("before", "bv", before), included("after", lang, after), o.Top, cmp.Or(o.Arch, "-"), cmp.Or(o.Clock, "-"), ans.latency)
			if _, err := proof.Check([]byte(forged)); err == nil {
				t.Error("a certificate that says to try all inputs holds of what is refuted")
			}
			refused++
		default:
			if strings.HasPrefix(ans.result.Reason, "certificate") {
				t.Error(ans.result.Detail)
			}
		}
	})
	if accepted < 60 || refused < 100 {
		t.Errorf("%d certificates, %d refusals", accepted, refused)
	}
}

func included(role, lang, text string) string {
	return fmt.Sprintf("%s %s %x %d file\n%s\n", role, lang, sha256.Sum256([]byte(text)), len(text), text)
}

var literal = regexp.MustCompile(`(\d+)'h([0-9a-f]+)`)

// mutants changes one bit of one literal of a netlist, some times, and holds the certificate of the netlist against each. It returns how
// many were refused, and the texts of those of which it holds and which are not proved.
func mutants(t *testing.T, before, after, lang string, certificate []byte) (refused int, wrong []string) {
	draw := rand.New(rand.NewPCG(3, uint64(len(after))))
	places := literal.FindAllStringSubmatchIndex(after, -1)
	if len(places) == 0 {
		return 0, nil
	}
	for range tier.Pick(2, 8) {
		at := places[draw.IntN(len(places))]
		width, _ := strconv.Atoi(after[at[2]:at[3]])
		digits := []byte(strings.Repeat("0", (width+3)/4))
		copy(digits[len(digits)-(at[5]-at[4]):], after[at[4]:at[5]])
		bit := draw.IntN(width)
		d := len(digits) - 1 - bit/4
		v, _ := strconv.ParseUint(string(digits[d]), 16, 8)
		digits[d] = fmt.Sprintf("%x", v^1<<(bit%4))[0]
		text := after[:at[4]] + string(digits) + after[at[5]:]
		head, rest, ok := strings.Cut(string(certificate), "\nafter "+lang+" ")
		if !ok {
			t.Fatal("no second text")
		}
		_, rest, _ = strings.Cut(rest, after+"\n")
		changed := head + "\n" + included("after", lang, text) + rest
		if _, err := proof.Check([]byte(changed)); err != nil {
			refused++
			continue
		}
		if ans := asked(t, before, text, lang); ans == nil || ans.result.Verdict != equiv.Proved {
			wrong = append(wrong, text)
		}
	}
	return refused, wrong
}

// languageCases are the litmus files of all languages.
func languageCases(t *testing.T, each func(t *testing.T, before, after *circuitText, err error)) {
	t.Helper()
	names, err := filepath.Glob("../../../../equiv/bits/testdata/languages/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var texts [2]*circuitText
		var wrong error
		for i := range texts {
			f := a.Files[i]
			c, err := parseCircuit(source.NewFile(f.Name, string(f.Data)), languages.Of(filepath.Ext(f.Name)))
			if err == nil {
				err = c.elaborate(circuitOptions{})
			}
			if texts[i] = c; err != nil {
				wrong = err
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { each(t, texts[0], texts[1], wrong) })
	}
}

// Each proof about texts of all languages has a certificate, or says that the checker does not read one of them.
func TestLanguageCertificates(t *testing.T) {
	proved, unread := 0, 0
	languageCases(t, func(t *testing.T, before, after *circuitText, err error) {
		if err != nil {
			return
		}
		ans, err := askCircuit(t.Context(), before, after, before.program.Latency(), 0)
		var ports *source.Error
		if errors.As(err, &ports) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		r := ans.result
		switch {
		case r.Verdict == equiv.Unknown:
			t.Errorf("%s: %s", r.Reason, r.Detail)
		case r.Verdict == equiv.Proved && ans.certificate == nil:
			if unread++; !strings.Contains(strings.Join(r.Trusts, "\n"), "which the checker does not read") {
				t.Errorf("no certificate: %s", r.Trusts)
			}
		case r.Verdict == equiv.Proved:
			proved++
		}
	})
	if proved < 25 || unread > 8 {
		t.Errorf("%d certificates, %d proofs without", proved, unread)
	}
}

// What is shown of a text is what it denotes, whatever its language; the file of a counterexample with a vendor's models is replayed with these.
func TestModels(t *testing.T) {
	const models = "module NAND(input A, input B, output Z);\n  assign #0.1 Z = ~(A & B);\n  specify (A => Z) = 1; endspecify\nendmodule\n" +
		"module OTHER(input A); task t; endtask endmodule\n"
	const net = "module m(input a, input b, output y);\n  NAND u (.A(a), .B(b), .Z(y));\nendmodule\n"
	for spec, want := range map[string]equiv.Verdict{"bvnand": equiv.Proved, "bvnor": equiv.Refuted} {
		dir := t.TempDir()
		o := circuitOptions{Models: filepath.Join(dir, "models.v")}
		a := &app{}
		for name, text := range map[string]string{"models.v": models, "net.v": net, "spec.bv": "(spec (in a 1) (in b 1) (out y 1 (" + spec + " a b)))"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		texts, err := a.readCircuits([]string{filepath.Join(dir, "spec.bv"), filepath.Join(dir, "net.v")},
			[]*languages.Language{languages.Named("bv"), languages.Named("verilog")}, o)
		if err != nil {
			t.Fatal(err)
		}
		ans, err := askCircuit(t.Context(), texts[0], texts[1], 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if ans.result.Verdict != want || !strings.HasPrefix(ans.result.Trusts[0], "NAND as ") || ans.certificate != nil {
			t.Errorf("%s: %s, trusting %s", spec, ans.result.Verdict, ans.result.Trusts)
		}
		if want == equiv.Proved {
			continue
		}
		data, err := ans.file("c.txtar")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a.stdout = &out
		if err := a.replayCircuit(source.NewFile("c.txtar", string(data))); err != nil || a.exit != exitRefuted || !strings.Contains(out.String(), "y at cycle 0") {
			t.Errorf("%v, exit %d: %s", err, a.exit, out.String())
		}
	}
	if _, err := verilog.ReadModels(source.NewFile("m.v", "`else\n")); err == nil {
		t.Error("`else alone is taken")
	}
}

// Where before leaves more open than can be tried, and its output never has one value whatever was chosen, a run that differs under one
// choice is no refutation.
func TestUntried(t *testing.T) {
	const before = "module m(input clk, input [7:0] a, output reg [15:0] y);\n  reg [15:0] s;\n" +
		"  always @(posedge clk) begin s <= s + a; y <= s; end\nendmodule\n"
	after := strings.Replace(before, "s <= s + a;", "s <= s + a + 1;", 1)
	after = strings.Replace(after, "  always", "  initial begin s = 0; y = 0; end\n  always", 1)
	var texts [2]*circuitText
	for i, text := range []string{before, after} {
		c, err := parseCircuit(source.NewFile("m.v", text), languages.Named("verilog"))
		if err == nil {
			err = c.elaborate(circuitOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = c
	}
	ans, err := askCircuit(t.Context(), texts[0], texts[1], 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r := ans.result; r.Verdict != equiv.Unknown || r.Reason != "incomplete" || ans.counterexample != nil {
		t.Errorf("%v %s %s", r.Verdict, r.Reason, r.Detail)
	}
}
