// Package designs has 1,056 small specifications for multipliers of FPGAs: products, alone and with sums before and words behind them, as published
// evaluations of synthesis for such cells have (Lakeroad, ASPLOS 2024: the same forms, widths, signs and stages). They are made here.
package designs

import (
	"fmt"
	"strings"
)

// The parameters. Outputs are as wide as operands, so that only the low part of a product counts.
const (
	least, most = 8, 18 // widths in bits
	stages      = 4     // latencies from 0
)

// A form is a function of a, b, c and d, as a term in which each operand is extended to twice its width.
type form struct {
	name, inputs, term string
}

var forms = []form{
	{"mult", "ab", "(bvmul a b)"},
	{"muladd", "abc", "(bvadd (bvmul a b) c)"},
	{"mulsub", "abc", "(bvsub (bvmul a b) c)"},
	{"addmuladd", "abcd", "(bvadd (bvmul (bvadd d a) b) c)"},
	{"addmulsub", "abcd", "(bvsub (bvmul (bvadd d a) b) c)"},
	{"submuladd", "abcd", "(bvadd (bvmul (bvsub d a) b) c)"},
	{"submulsub", "abcd", "(bvsub (bvmul (bvsub d a) b) c)"},
	{"preaddmul", "abd", "(bvmul (bvadd d a) b)"},
	{"presubmul", "abd", "(bvmul (bvsub d a) b)"},
	{"muland", "abc", "(bvand (bvmul a b) c)"},
	{"mulor", "abc", "(bvor (bvmul a b) c)"},
	{"mulxor", "abc", "(bvxor (bvmul a b) c)"},
}

// A Design is a specification (.bv).
type Design struct {
	Form   string
	Width  int
	Signed bool
	Stages int
	Text   string
}

// Name tells designs apart: form, width in bits, whether operands have signs, latency.
func (d *Design) Name() string {
	sign := "unsigned"
	if d.Signed {
		sign = "signed"
	}
	return fmt.Sprintf("%s-%d-%s-%d", d.Form, d.Width, sign, d.Stages)
}

// All are the designs: by form, width, sign and latency.
func All() (list []Design) {
	for _, f := range forms {
		for width := least; width <= most; width++ {
			for _, signed := range []bool{false, true} {
				for k := range stages {
					d := Design{Form: f.name, Width: width, Signed: signed, Stages: k}
					d.Text = f.text(width, signed, k)
					list = append(list, d)
				}
			}
		}
	}
	return list
}

func (f *form) text(width int, signed bool, latency int) string {
	var out strings.Builder
	out.WriteString("(spec")
	extend := "zero_extend"
	if signed {
		extend = "sign_extend"
	}
	var wide []string
	for _, in := range strings.Split(f.inputs, "") {
		fmt.Fprintf(&out, " (in %s %d)", in, width)
		wide = append(wide, fmt.Sprintf("(%s ((_ %s %d) %s))", in, extend, width, in))
	}
	fmt.Fprintf(&out, "\n  (clock clk) (latency %d)\n  (out y %d\n    (let (%s)\n      ((_ extract %d 0) %s))))\n",
		latency, width, strings.Join(wide, " "), width-1, f.term)
	return out.String()
}
