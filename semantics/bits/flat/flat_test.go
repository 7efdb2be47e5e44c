package flat

import (
	"math/big"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/yosys"
)

// odd has what is particular: names that are no identifiers, constants and selects in a concatenation, an open pin, parameters of each kind.
func odd() *Module {
	number := func(v uint64, n int) (out []Bit) {
		for i := range n {
			out = append(out, Bit{Constant, int(v >> i & 1)})
		}
		return out
	}
	return &Module{Name: "module", Signals: []Signal{{"a", 4, Input}, {"b.c", 1, Input}, {"y", 3, Output}, {"w", 2, Wire}, {"reg", 1, Wire}},
		Cells: []Cell{
			{"CELL", "u0", []Param{{Name: "T", Text: "NO"}, {Name: "ONE", Text: "1"}, {Name: "N", Value: big.NewInt(2)}, {Name: "INIT", Width: 6, Value: big.NewInt(0x2a)}},
				[]Pin{{"I", false, append([]Bit{{0, 1}, {0, 2}, {1, 0}, {0, 3}}, number(5, 3)...)}, {"Z", false, number(0, 20)}, {"O", true, []Bit{{3, 0}, {3, 1}}},
					{"X", true, []Bit{{Open, 0}}}}},
			{"$_DFF_P_", "end", nil, []Pin{{"C", false, []Bit{{1, 0}}}, {"D", false, []Bit{{3, 1}}}, {"Q", true, []Bit{{4, 0}}}}},
		},
		Drivers: []Driver{{2, []Bit{{4, 0}, {3, 0}, {Constant, 1}}}},
	}
}

// The texts are those of the file, and both are read.
func TestTexts(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "odd.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	m := odd()
	for i, got := range []string{m.Verilog(), m.JSON()} {
		if want := string(a.Files[i].Data); got != want {
			t.Errorf("%s is now\n%s", a.Files[i].Name, got)
		}
	}
	v, err := verilog.Parse(source.NewFile("odd.v", m.Verilog()))
	if err != nil || len(v.Modules) != 1 || len(v.Modules[0].Instances) != 2 {
		t.Errorf("Verilog: %v", err)
	}
	y, err := yosys.Parse(source.NewFile("odd.json", m.JSON()))
	if err != nil || len(y.Modules) != 1 || !y.Modules[0].Top {
		t.Errorf("JSON: %v", err)
	}
}
