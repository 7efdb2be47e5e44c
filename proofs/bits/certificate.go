package bits

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"tv/proofs/bits/bv"
	"tv/proofs/bits/calyx"
	"tv/proofs/bits/circuit"
	"tv/proofs/bits/comb"
	"tv/proofs/bits/gates"
	"tv/proofs/bits/reticle"
	"tv/proofs/bits/verilog"
)

// A Text is a text that a certificate includes.
type Text struct {
	Language string // bv, verilog, yosys, comb, calyx or reticle
	Name     string // of the file that it was read from
	SHA256   string
	Data     string
	Top      string // the module; empty of a specification
	Arch     string // of its cells; empty: it has none
}

// A Claim is what a certificate shows: for all inputs that satisfy Assume in every cycle, and each
// cycle from Latency on, the outputs of After are those that Before has of the inputs Latency
// cycles ago. After may have more outputs.
type Claim struct {
	Before, After Text
	Clock         string
	Latency       int
	Assume        []string
	Trusts        []string
	Kind          string // exhaustive, gates, algebra, machine or cycles
}

const firstLine = "tv bits certificate 1"

// Is tells whether data is a certificate of this package.
func Is(data []byte) bool { return strings.HasPrefix(string(data), firstLine+"\n") }

// Check reads certificates, one behind the other, and returns what each shows, or why one shows
// nothing. Nothing that is not in data is read.
func Check(data []byte) ([]*Claim, error) {
	return each(data, (*file).certificate)
}

// each reads what stands one behind the other in data, at least one; a refusal is its error.
func each[T any](data []byte, next func(*file) T) (list []T, err error) {
	// Nets are asked for one by another, as deep as the longest way through a netlist.
	defer debug.SetMaxStack(debug.SetMaxStack(2 << 30))
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(gates.Refusal)
			if !ok {
				panic(r)
			}
			list, err = nil, errors.New(why.Text)
		}
	}()
	for f := (&file{gates.Lines{Rest: string(data)}}); len(list) == 0 || f.Rest != ""; {
		list = append(list, next(f))
	}
	return list, nil
}

// A file is what is left of one.
type file struct{ gates.Lines }

// certificate checks the next one.
func (f *file) certificate() *Claim {
	gates.Need(f.Next() == firstLine, "its first line is not %q", firstLine)
	c := &Claim{}
	c.Before, c.After = f.text("before"), f.text("after")
	c.Before.Top, c.After.Top = f.field("top-before"), f.field("top-after")
	c.Before.Arch, c.After.Arch = f.field("arch-before"), f.field("arch-after")
	c.Clock = f.field("clock")
	latency := f.field("latency")
	var err error
	c.Latency, err = strconv.Atoi(latency)
	gates.Need(err == nil && c.Latency >= 0 && c.Latency <= 4096, "no latency")
	gates.Need(strconv.Itoa(c.Latency) == latency, "no latency")
	c.Kind = f.field("kind")
	switch c.Kind {
	case "machine":
		c.machines(&f.Lines)
	case "cycles":
		c.cycles(&f.Lines)
	default:
		c.pipelines(c.Latency).shown(&f.Lines, c.Kind)
	}
	gates.Need(f.Next() == "end", "something stands where the end should be")
	return c
}

// field is what follows a name on a line; - is nothing.
func (f *file) field(name string) string {
	v, ok := strings.CutPrefix(f.Next(), name+" ")
	gates.Need(ok && v != "", "no line %s", name)
	if v == "-" {
		return ""
	}
	return v
}

// text reads a text with its digest.
func (f *file) text(role string) Text {
	h := strings.SplitN(f.Next(), " ", 5)
	gates.Need(len(h) == 5 && h[0] == role, "no text %s", role)
	n, err := strconv.Atoi(h[3])
	isText := err == nil && n >= 0 && n < len(f.Rest) && f.Rest[n] == '\n' &&
		h[3] == strconv.Itoa(n)
	gates.Need(isText, "no %s bytes of text", h[3])
	t := Text{Language: h[1], SHA256: h[2], Name: h[4], Data: f.Rest[:n]}
	gates.Need(digest(t.Data) == t.SHA256, "the digest of %s is another", role)
	f.Rest = f.Rest[n+1:]
	return t
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// read is what a text says of the cycles of a view. It is no table: that would be made when a
// program starts, and have readings in it also where no certificate is ever checked, as in a page.
func (t *Text) read(v *circuit.View) *circuit.Circuit {
	switch t.Language {
	case "bv":
		gates.Need(t.Top == "" && t.Arch == "", "a specification has no module and no cells")
		return bv.Read(v, t.Data)
	case "verilog", "yosys":
		return verilog.Read(v, t.Language, t.Data, t.Top, t.Arch)
	case "comb":
		return t.withoutCells(v, comb.Read)
	case "calyx":
		return t.withoutCells(v, calyx.Read)
	case "reticle":
		return t.withoutCells(v, reticle.Read)
	}
	gates.Need(false, "the language %q", t.Language)
	return nil
}

// withoutCells reads a text of a language that has modules and no cells of vendors.
func (t *Text) withoutCells(
	v *circuit.View, read func(v *circuit.View, text, top string) *circuit.Circuit,
) *circuit.Circuit {
	gates.Need(t.Arch == "", "%s has no cells", t.Language)
	return read(v, t.Data, t.Top)
}
