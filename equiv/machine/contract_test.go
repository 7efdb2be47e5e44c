package machine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tv/equiv"
	"tv/glenside"
	"tv/hwmodels"
	"tv/ila"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/index"
	"tv/semantics/term"
)

func driverTask(t *testing.T, c *Contract, sizes ...int) *ila.Task {
	t.Helper()
	d, ok := hwmodels.Carrier(c.Call)
	if !ok {
		t.Fatalf("nothing carries out %s", c.Call)
	}
	task, err := d.New(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// The driver of each contract computes it, bit by bit; a contract that says something else is refuted, and
// programs of other layers do not pass for it.
func TestContracts(t *testing.T) {
	for _, test := range []struct {
		call  string
		sizes [][]int
		wrong [][2]string // what stands in the contract, and what would be wrong there
	}{
		{"vta-dense", [][]int{{2, 16, 32}, {1, 16, 16}, {5, 32, 48}, {17, 16, 80}}, [][2]string{
			{") 8)", ") 7)"}, {"-127", "-128"}, {" 127)", " 126)"}, {"$1 int32", "$1 int16"}, {"dot-product", "reduce-max"},
			{"relay-operator-call relay-clip (", "relay-operator-call relay-clip (relay-operator-call relay-relu ("},
		}},
		{"flex-linear", [][]int{{2, 64, 32}, {1, 5, 7}, {3, 70, 40}}, [][2]string{
			{"fix4.28", "fix3.28"},  // another modulus
			{"fix4.28", "fix18.14"}, // products that are rounded
			{"fix18.14", "fix18.13"},
			{"cast $3 fix18.14", "cast (relay-operator-call relay-cast (relay-operator-call relay-cast $3 fix18.14) fix18.12) fix18.14"},
			{"31.99993896484375)", "0.1)"},
			{"fix6.14) adaptive8.3", "fix6.13) adaptive8.3"}, // cut before it is rounded
			{"(relay-operator-call relay-cast $3 fix18.14)", "(compute negative (relay-operator-call relay-cast $3 fix18.14))"},
			{"relay-add", "relay-maximum"},
		}},
		{"flex-maxpool", [][]int{{6, 16}, {2, 48}, {34, 16}}, [][2]string{
			{"(relay-operator-call relay-cast $1 fix6.14)", "$1"}, // -0 stays
			{"(shape 2 1) (shape 2 1)", "(shape 2 1) (shape 2 2)"},
			{"reduce-max", "reduce-sum"},
			{"(shape 2 1) (shape 2 1)", "(shape 2 1) (shape 1 1)"},
			{"$1 fix6.14", "$1 fix6.13"},
		}},
		{"flex-meanpool", [][]int{{4, 16}, {2, 48}}, [][2]string{
			{"fix2.15", "fix2.14"}, // the half is cut before it is rounded
			{"relay-right-shift", "relay-left-shift"},
			{"reduce-sum", "reduce-max"},
			{"(shape 2 1) (shape 2 1)", "(shape 2 1) (shape 1 1)"},
		}},
	} {
		c := contracts[slices.IndexFunc(contracts, func(c Contract) bool { return c.Name() == test.call })]
		for _, sizes := range test.sizes[:tier.Pick(2, len(test.sizes))] {
			r, err := CheckContract(context.Background(), &c, driverTask(t, &c, sizes...), equiv.Options{Timeout: hang})
			if err != nil || r.Verdict != equiv.Proved {
				t.Errorf("%s at %v: %s %s %v", c.Call, sizes, r.Verdict, r.Detail, err)
			}
		}
		right := c.Meaning
		for _, change := range test.wrong {
			c.Meaning = strings.ReplaceAll(right, change[0], change[1])
			if strings.HasSuffix(change[1], "relu (") {
				c.Meaning = strings.Replace(c.Meaning, " -127 127)", ") -127 127)", 1)
			}
			if c.Meaning == right {
				t.Fatalf("%v changes nothing", change)
			}
			r, err := CheckContract(context.Background(), &c, driverTask(t, &c, test.sizes[0]...), equiv.Options{Timeout: hang})
			if err == nil && r.Verdict == equiv.Proved {
				t.Errorf("%s: with %s for %s the contract is proved", c.Call, change[1], change[0])
			}
			t.Logf("%s: %s %s %v", change[1], r.Verdict, r.Detail, err)
		}
		// the terms of the driver's own contract are changed where no sample looks: both are proved or none is
		c.Meaning = right
		task := driverTask(t, &c, test.sizes[0]...)
		task.Contract = func(int) *term.Term { return task.Model.B.Bits(8, 0) }
		if r, err := CheckContract(context.Background(), &c, task, equiv.Options{Timeout: hang}); err != nil || r.Verdict != equiv.Proved {
			t.Errorf("what a driver says of itself is looked at: %s %v", r.Verdict, err)
		}
	}
}

func TestExpand(t *testing.T) {
	fit := map[string]*Contract{"f": {Call: "f", Operands: []string{"x", "y"}, Meaning: "(g $1 (h $2))"}}
	for _, test := range []struct{ text, want string }{
		{"(accelerator-call f a b)", "(g a (h b))"},
		{"(accelerator-call f (p a) b (shape 0))", "(g (p a) (h b))"},
		{"(accelerator-call f (accelerator-call f a b) c)", "(g (g a (h b)) (h c))"},
		{"(accelerator-call e (accelerator-call f a b))", "(accelerator-call e (g a (h b)))"},
		{"(accelerator-call f a)", "(accelerator-call f a)"},
		{"; (accelerator-call f a b)\n(accelerator-call f a b) ; f", "; (accelerator-call f a b)\n(g a (h b)) ; f"},
		{"(accelerator-call f ; one (\n a\n b\n)\nz", "(g \n\na (h \nb\n))\nz"},
		{"(accelerator-call f $2 $1)", "(g $2 (h $1))"},
		{"(a b", "(a b"},
		{"a) (b", "a) (b"},
		{"", ""},
	} {
		got := expand(test.text, fit, false)
		if strings.Count(got, "\n") != strings.Count(test.text, "\n") {
			t.Errorf("expand(%q) = %q has other lines", test.text, got)
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(strings.ReplaceAll(test.want, "\n", " ")), " ") {
			t.Errorf("expand(%q) = %q, want %q", test.text, got, test.want)
		}
	}
	const rule = `(rule r (doc "a ( and accelerator-call f a b)") (rhs (accelerator-call f a b)))`
	if got := expand(rule, fit, true); got != `(rule r (doc "a ( and accelerator-call f a b)") (rhs (g a (h b))))` {
		t.Errorf("expand(%s) = %s", rule, got)
	}
}

// Contracts stand for calls whose operands have their types, and for no others.
func TestApplyContracts(t *testing.T) {
	const call = "(accelerator-call vta-dense %s %s)"
	typed := func(elem, body string) *glenside.Program {
		return parse(t, "(input x (shape 3 16) "+elem+")\n(input w (shape 16 16) "+elem+")\n"+body)
	}
	on := fmt.Sprintf(call, "x", "w")
	for _, test := range []struct {
		before, after *glenside.Program
		want          string
	}{
		{typed("int8", on), typed("int8", on), "vta-dense 3x16x16"},
		{typed("int8", on), typed("int8", fmt.Sprintf(call, "(access-slice x 0 0 2)", "w")),
			"vta-dense 3x16x16, vta-dense 2x16x16"},
		{typed("int16", on), typed("int16", on), ""},
		{typed("float32", on), typed("float32", on), ""},
		{typed("uint8", on), typed("uint8", on), ""},
		// one call of another type keeps all from their contract
		{typed("int8", on), typed("int8", fmt.Sprintf(call, "(relay-operator-call relay-cast x int16)", "w")), ""},
		// a literal has its type from the call, and would have another one in the contract's text
		{typed("int8", fmt.Sprintf(call, "x", "(constant-tensor 3 (shape 16 16))")), typed("int8", on), ""},
		{typed("int8", fmt.Sprintf(call, "(relay-operator-call relay-zeros (shape 3 16))", "w")), typed("int8", on), ""},
		{typed("int8", fmt.Sprintf(call, "x", "(relay-operator-call relay-zeros (shape 16 16))")), typed("int8", on),
			"vta-dense 3x16x16"},
		{typed("int8", fmt.Sprintf(call, "x", "(relay-operator-call relay-cast (constant-tensor 3 (shape 16 16)) int8)")),
			typed("int8", on), "vta-dense 3x16x16"},
		{typed("int8", fmt.Sprintf(call, "x", "(relay-operator-call relay-add w (access (access-literal 1) 0))")),
			typed("int8", on), "vta-dense 3x16x16"},
		{typed("int8", "(access x 1)"), typed("int8", "(access x 1)"), ""},
		{typed("int8", fmt.Sprintf(call, "x", "x")), typed("int8", "(access z 1)"), ""},
	} {
		b, a, uses := ApplyContracts(test.before, test.after, nil)
		var got []string
		for _, u := range uses {
			got = append(got, u.String())
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s, %s: uses %q, want %q", test.before.File.Text, test.after.File.Text, got, test.want)
		}
		if expanded := !strings.Contains(b.File.Text+a.File.Text, "accelerator-call"); expanded != (len(uses) > 0) &&
			strings.Contains(test.before.File.Text, "vta-dense") {
			t.Errorf("%q: %s => %s", test.want, b.File.Text, a.File.Text)
		}
	}
}

// Contracts that hold at all sizes of a driver, and none that says something else.
func TestContractsAll(t *testing.T) {
	tier.Sweep(t)
	for _, test := range []struct {
		call  string
		wrong [][2]string
	}{
		{"vta-dense", [][2]string{{") 8)", ") 7)"}, {"-127", "-128"}, {"dot-product", "reduce-max"}}},
		{"flex-maxpool", [][2]string{
			{"(relay-operator-call relay-cast $1 fix6.14)", "$1"}, {"(shape 2 1) (shape 2 1)", "(shape 2 1) (shape 1 1)"},
		}},
		{"cim-gemm(1, 0)", [][2]string{{"dot-product", "reduce-max"}, {cimProduct, "(relay-operator-call relay-negative " + cimProduct + ")"}}},
		{"cim-gemm(1, 1)", [][2]string{{"relay-add", "relay-multiply"}, {"$3) 2", "(relay-operator-call relay-negative $3)) 2"}}},
	} {
		c := contracts[slices.IndexFunc(contracts, func(c Contract) bool { return c.Name() == test.call })]
		d, _ := hwmodels.Carrier(c.Name())
		r, err := CheckContractAll(context.Background(), &c, d.All())
		if err != nil || r.Verdict != prove.Proved || r.Samples < 10 {
			t.Errorf("%s: %+v %v", c.Call, r, err)
		}
		right := c.Meaning
		for _, change := range test.wrong {
			c.Meaning = strings.ReplaceAll(right, change[0], change[1])
			r, err := CheckContractAll(context.Background(), &c, d.All())
			if err == nil && r.Verdict == prove.Proved {
				t.Errorf("%s: with %s for %s the contract is proved", c.Call, change[1], change[0])
			}
			t.Logf("%s: %v", change[1], err)
			// where no number is looked at it is not proved either
			own := *d.All()
			family := own.New
			own.New = func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
				n, facts, err := family(sizes)
				if err != nil {
					return nil, nil, err
				}
				return n, facts, c.state(n, n.Output.Dims == nil)
			}
			result := prove.NewResult()
			if err := induct.Prove(context.Background(), &own, result); err == nil && result.Verdict == prove.Proved {
				t.Errorf("%s: with %s for %s the contract is proved without runs", c.Call, change[1], change[0])
			}
		}
	}
}

// The crossbar's contract is proved at sizes of one tile and of several; one that says something else is not.
func TestContractsNest(t *testing.T) {
	for _, name := range []string{"cim-gemm(1, 0)", "cim-gemm(1, 1)"} {
		c := contracts[slices.IndexFunc(contracts, func(c Contract) bool { return c.Name() == name })]
		d, ok := hwmodels.Carrier(name)
		if !ok {
			t.Fatalf("no driver for %s", name)
		}
		right := c.Meaning
		for _, sizes := range [][]int{{1, 1, 1}, {2, 2, 2}, {4, 5, 6}, {3, 300, 260}} {
			for wrong, meaning := range map[string]string{"": right, "negated": "(relay-operator-call relay-negative " + right + ")",
				"saturated": "(relay-operator-call relay-cast (relay-operator-call relay-clip (relay-operator-call relay-cast " + right + " int32) -127 127) int8)"} {
				c.Meaning = meaning
				r, err := CheckContractNest(context.Background(), &c, func() (*ila.Nest, error) { return d.Nest(sizes, nil) })
				if err != nil || (r.Verdict == prove.Proved) != (wrong == "") {
					t.Errorf("%s at %v, %s: %v %v", name, sizes, wrong, r, err)
				}
			}
		}
	}
}

// What a call is replaced by has its dims, its split and its element type.
func TestContractTypes(t *testing.T) {
	for _, body := range []string{
		"(accelerator-call vta-dense x w)",
		"(accelerator-call flex-linear a b (access c 0) (shape 0))",
		"(accelerator-call flex-linear (access a 0) (access b 1) (relay-operator-call relay-zeros (shape 1 16)))",
		"(accelerator-call flex-maxpool (access a 0))",
		"(accelerator-call cim-gemm (access x 0) v u 1 0)",
		"(accelerator-call cim-gemm x (access v 1) u 1.0 1 (shape 0))",
	} {
		p := parse(t, "(input x (shape 4 16) int8) (input w (shape 32 16) int8) (input a (shape 4 32) adaptive8.3)\n"+
			"(input b (shape 16 32) adaptive8.3) (input c (shape 16) adaptive8.3)\n(input v (shape 16 8) int8) (input u (shape 4 8) int8)\n"+body)
		q, _, uses := ApplyContracts(p, p, nil)
		if len(uses) != 1 {
			t.Errorf("%s: %d contracts are used", body, len(uses))
		}
		var types [2]string
		for i, p := range []*glenside.Program{p, q} {
			types[i] = typed(t, p).Root().String()
		}
		if types[0] != types[1] {
			t.Errorf("%s is %s, its contract %s", body, types[0], types[1])
		}
	}
}
