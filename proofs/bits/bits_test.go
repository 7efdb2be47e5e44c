package bits

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/tier"
)

func certificates(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.cert")
	if err != nil || len(names) == 0 {
		t.Fatal("no certificates", err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !Is(data) {
			t.Errorf("%s is none", name)
		}
		claims, err := Check(data)
		if err != nil || len(claims) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		out[filepath.Base(name)] = data
	}
	return out
}

// stated is what a claim says, without the names of files.
func stated(c *Claim) string {
	return fmt.Sprint(c.Before.Data, c.After.Data, c.Before.Top, c.After.Top, c.Before.Arch, c.After.Arch, c.Clock, c.Latency, c.Assume)
}

// Bytes that are changed are refused, or state what was stated before: digests hold texts, gates hold latency and clock. Nothing
// but a refusal comes of them.
func TestDamage(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 5))
	for name, data := range certificates(t) {
		claims, _ := Check(data)
		want := stated(claims[0])
		accepted := 0
		for range tier.Pick(150, 3000) {
			damaged := bytes.Clone(data)
			for range 1 + draw.IntN(2) {
				at := draw.IntN(len(damaged))
				switch draw.IntN(3) {
				case 0:
					damaged[at] = byte(draw.IntN(256))
				case 1:
					damaged[at] = "0123456789 \n"[draw.IntN(12)]
				case 2:
					damaged = append(damaged[:at], damaged[at+1:]...)
				}
			}
			got, err := Check(damaged)
			if err != nil {
				continue
			}
			if accepted++; stated(got[0]) != want && got[0].Kind != "exhaustive" {
				t.Fatalf("%s: a damaged certificate states\n%s", name, stated(got[0]))
			}
		}
		t.Logf("%s: %d damaged ones are accepted", name, accepted)
	}
}

// No line of a proof may be missing; a text that is cut is none.
func TestLines(t *testing.T) {
	for name, data := range certificates(t) {
		lines := strings.SplitAfter(string(data), "\n")
		for i := range lines {
			cut := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
			if _, err := Check([]byte(cut)); err == nil && i < len(lines)-1 {
				t.Errorf("%s without line %d is accepted: %s", name, i+1, lines[i])
			}
			if _, err := Check([]byte(strings.Join(lines[:i], ""))); err == nil && i < len(lines)-1 {
				t.Errorf("%s, %d lines of it, is accepted", name, i)
			}
		}
	}
}

// forged is a certificate that says to try all inputs.
func forged(before, after, arch, clock string, latency int) []byte {
	var b strings.Builder
	fmt.Fprintln(&b, firstLine)
	for _, t := range [][3]string{{"before", "bv", before}, {"after", "verilog", after}} {
		fmt.Fprintf(&b, "%s %s %s %d x\n%s\n", t[0], t[1], digest(t[2]), len(t[2]), t[2])
	}
	fmt.Fprintf(&b, "top-before -\ntop-after m\narch-before -\narch-after %s\nclock %s\nlatency %d\nkind exhaustive\nend\n", arch, clock, latency)
	return []byte(b.String())
}

// Steps of kind algebra that are none: each is a right certificate with one line changed.
func TestSteps(t *testing.T) {
	right := string(certificates(t)["algebra.cert"])
	lines := strings.Split(right, "\n")
	steps := 0
	for i, line := range lines {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] != "s" {
			continue
		}
		steps++
		wrong := map[string]string{
			"no carry":         strings.Join(append([]string{f[0], f[1], "0"}, f[3:]...), " "),
			"a leaf less":      strings.Join(f[:len(f)-1], " "),
			"a negated sum":    strings.Join(append([]string{f[0], f[1] + "1"}, f[2:]...), " "),
			"a constant":       strings.Join(append(f[:len(f)-1:len(f)-1], "1"), " "),
			"a node of no one": strings.Join(append(f[:len(f)-1:len(f)-1], "100000"), " "),
			"two steps":        line + "\n" + line,
		}
		for name, changed := range wrong {
			if name == "no carry" && f[2] == "0" || name == "a leaf less" && len(f) == 4 {
				continue
			}
			text := strings.Join(lines[:i], "\n") + "\n" + changed + "\n" + strings.Join(lines[i+1:], "\n")
			if _, err := Check([]byte(text)); err == nil {
				t.Errorf("%s in line %d is accepted: %s", name, i+1, changed)
			}
		}
	}
	if steps < 10 {
		t.Errorf("%d steps", steps)
	}
}

// What a certificate may not be about, or is not true.
func TestRefusals(t *testing.T) {
	one := "(spec (in a 1) (in b 1) (out y 1 (bvand a b)))"
	late := "(spec (in a 1) (out y 1 a))"
	constant := "(spec (in a 1) (out y 1 #b1))"
	for _, c := range []struct {
		name, before, after, clock string
		latency                    int
		right                      bool
	}{
		{"right", one, "module m(input a, b, output y); LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(b), .O(y)); endmodule", "-", 0, true},
		{"a table", one, "module m(input a, b, output y); LUT2 #(.INIT(4'h9)) u (.I0(a), .I1(b), .O(y)); endmodule", "-", 0, false},
		{"two drivers", one, "module m(input a, b, output y); assign y = a & b; assign y = a & b; endmodule", "-", 0, false},
		{"a loop", one, "module m(input a, b, output y); wire t; assign t = t; assign y = a & b & t; endmodule", "-", 0, false},
		{"an input more", one, "module m(input a, b, c, output y); assign y = a & b; endmodule", "-", 0, false},
		{"x", one, "module m(input a, b, output y); assign y = a & b & 1'bx; endmodule", "-", 0, false},
		{"a width", one, "module m(input a, b, output y); LUT2 #(.INIT(4'h8)) u (.I0({a, a}), .I1(b), .O(y)); endmodule", "-", 0, false},
		{"a parameter", one, "module m(input a, b, output y); LUT2 #(.INIT(8'h88)) u (.I0(a), .I1(b), .O(y)); endmodule", "-", 0, false},
		{"a pin", one, "module m(input a, b, output y); LUT2 #(.INIT(4'h8)) u (.I0(a), .I1(b), .I2(a), .O(y)); endmodule", "-", 0, false},
		{"an open pin", one, "module m(input a, b, output y); LUT2 #(.INIT(4'h8)) u (.I0(a), .O(y)); endmodule", "-", 0, false},
		{"late", late, "module m(input c, a, output y); FDRE r (.C(c), .D(a), .Q(y)); endmodule", "c", 1, true},
		{"too early", late, "module m(input c, a, output y); FDRE r (.C(c), .D(a), .Q(y)); endmodule", "c", 0, false},
		{"another clock", late, "module m(input c, a, output y); FDRE r (.C(a), .D(a), .Q(y)); endmodule", "c", 1, false},
		{"no clock", late, "module m(input c, a, output y); FDRE r (.C(c), .D(a), .Q(y)); endmodule", "-", 1, false},
		{"the clock as data", late, "module m(input c, a, output y); FDRE r (.C(c), .D(a & (c | ~c)), .Q(y)); endmodule", "c", 1, false},
		{"an enable", late, "module m(input c, a, output y); FDRE r (.C(c), .CE(a), .D(a), .Q(y)); endmodule", "c", 1, false},
		{"a constant in a register", constant, "module m(input c, a, output y); FDRE r (.C(c), .D(1'b1), .Q(y)); endmodule", "c", 1, true},
		{"its first cycle", constant, "module m(input c, a, output y); FDRE r (.C(c), .D(1'b1), .Q(y)); endmodule", "c", 0, false},
		{"a clock that is nowhere", one, "module m(input a, b, output y); assign y = a & b; endmodule", "c", 0, false},
		{"a clear", late, "module m(input c, a, output y); FDCE r (.C(c), .CLR(a), .D(a), .Q(y)); endmodule", "c", 1, false},
		{"a falling edge", late, "module m(input c, a, output y); FDRE #(.IS_C_INVERTED(1)) r (.C(c), .D(a), .Q(y)); endmodule", "c", 1, true},
		{"both edges", late, "module m(input c, a, output y); wire t; FDRE #(.IS_C_INVERTED(1)) r (.C(c), .D(a), .Q(y)); FDRE q (.C(c), .D(a), .Q(t)); endmodule", "c", 1, false},
	} {
		claims, err := Check(forged(c.before, c.after, "xilinx", c.clock, c.latency))
		if (err == nil) != c.right {
			t.Errorf("%s: %v, %v", c.name, claims, err)
		}
	}
}
