package recexpr_test

import (
	"strings"
	"testing"

	"tv/glenside"
	"tv/glenside/recexpr"
	"tv/internal/source"
)

const shapes = `{"x": [4, 4], "w": [6, 4]}`

func read(dump, companion string) (*recexpr.Program, error) {
	declared, err := glenside.ParseShapes("shapes.json", []byte(shapes))
	if err != nil {
		return nil, err
	}
	var with *source.File
	if companion != "" {
		with = source.NewFile("companion.json", companion)
	}
	return recexpr.Read(source.NewFile("dump.json", dump), declared, with)
}

// What is used twice is defined once; leaves and older spellings become what programs have.
func TestRead(t *testing.T) {
	for _, c := range []struct{ name, dump, has string }{
		{"shared", `[[0, "x", []], [1, "access-tensor", [0]], [2, "0", []], [3, "access", [1, 2]], [4, "relay-tanh", []],
			[5, "relay-operator-call", [4, 3]], [6, "relay-mul", []], [7, "relay-operator-call", [6, 5, 5]]]`,
			"(define %5 (relay-operator-call relay-tanh (access (access-tensor x) 0)))\n(relay-operator-call relay-mul %5 %5)\n"},
		{"decimal", `[[0, "x", []], [1, "access-tensor", [0]], [2, "2", []], [3, "literal", [2]], [4, "access-literal", [3]],
			[5, "relay-add", []], [6, "relay-operator-call", [5, 1, 4]]]`, "(access-literal (literal 2))"},
		{"windows", `[[0, "x", []], [1, "access-tensor", [0]], [2, "0", []], [3, "access", [1, 2]], [4, "2", []], [5, "shape", [4, 4]],
			[6, "access-windows", [3, 5, 4, 4]]]`, "(access-windows (access (access-tensor x) 0) (shape 2 2) (shape 2 2))"},
		{"linear", `[[0, "x", []], [1, "access-tensor", [0]], [2, "w", []], [3, "access-tensor", [2]], [4, "6", []], [5, "shape", [4]],
			[6, "0", []], [7, "relay-zeros", []], [8, "relay-operator-call", [7, 5]], [9, "4", []], [10, "shape", [9, 4]],
			[11, "flex-linear", []], [12, "accelerator-call", [11, 1, 3, 8, 10]]]`, "(accelerator-call flex-linear "},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := read(c.dump, "")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(p.Text, c.has) {
				t.Errorf("the program is\n%s", p.Text)
			}
		})
	}
}

// What is wrong is refused at the node that it is about.
func TestRefusals(t *testing.T) {
	const leaf = `[[0, "x", []], [1, "access-tensor", [0]]`
	for _, c := range []struct{ name, dump, companion, want string }{
		{"form", `{"x": 1}`, "", ":1:2: bad-dump"},
		{"empty", `[]`, "", ":1:3: bad-dump"},
		{"order", `[[1, "x", []]]`, "", ":1:2: bad-dump"},
		{"later", leaf + `, [2, "access", [1, 3]], [3, "0", []]]`, "", ":1:43: bad-dump"},
		{"itself", `[[0, "x", [0]]]`, "", ":1:2: bad-dump"},
		{"behind", leaf + `] 1`, "", ":1:43: bad-dump"},
		{"unknown", `[[0, "y", []], [1, "access-tensor", [0]]]`, "", ":1:2: result-shape"},
		{"operator", leaf + `, [2, "compute", [1, 1]]]`, "", ":1:43: unknown-operator"},
		{"type", leaf + `, [2, "9", []], [3, "access", [1, 2]]]`, "", ":1:43: bad-axis"},
		{"companion", leaf + `, [2, "0", []], [3, "access", [1, 2]]]`, `{"3": {"shape": [4], "item_shape": [4]}}`, ":1:57: companion-mismatch"},
		{"no node", leaf + `]`, `{"7": {"shape": [4]}}`, " bad-dump"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.dump, c.companion)
			if err == nil {
				t.Fatal("is not refused")
			}
			e := source.AsErrors(err)[0]
			got := e.Position().String() + ": " + e.Code
			if !strings.HasSuffix(got, c.want) {
				t.Errorf("%s\n%s", got, e)
			}
		})
	}
}

// No dump makes the reader panic.
func FuzzRead(f *testing.F) {
	f.Add(`[[0, "x", []], [1, "access-tensor", [0]], [2, "2", []], [3, "shape", [2, 2]], [4, "access-windows", [1, 3, 2, 2]]]`, "")
	f.Add(`[[0, "x", []], [1, "access-tensor", [0]]]`, `{"0": {"relay_shape": [4, 4]}}`)
	f.Fuzz(func(t *testing.T, dump, companion string) { read(dump, companion) })
}
