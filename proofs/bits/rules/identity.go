package rules

import (
	"math/big"
	"slices"
	"strings"
)

// A comparison shows that terms are equal at every width, by the laws of doc/semantics.md, section 10. A place of a bit sees of n
// words one of 2^n minterms. The words that say where each minterm is, as numbers, add up to 2^w-1, which is -1; a bitwise term is
// the sum of its minterms' words; sums and products are those of whole numbers. So terms are equal if, for each choice of
// what conditions are, they are one polynomial in the numbers of minterms: all but that of no word at all, which the others give.
type comparison struct {
	*frame
	words  []*term  // what is taken for a word of which nothing is known but, of a number, its value
	bools  []*term  // what is taken for a condition of which nothing is known
	chosen int      // what each condition is, a bit each
	value  []number // of each minterm but the first, by the words that are 1 in it
}

// A number is a polynomial with whole coefficients: by the variables of its products, sorted, a character each.
type number map[string]*big.Int

const (
	mostWords    = 5
	mostBools    = 6
	mostProducts = 4096
)

// same tells whether terms of one kind, and words of one width, are seen to be equal.
func (c *comparison) same(a, b *term) bool {
	if a.truth != b.truth || !a.truth && !a.width.is(b.width) {
		return false
	}
	d := &comparison{frame: c.frame}
	d.collect(a, false)
	d.collect(b, false)
	return d.everyChoice(func() bool {
		if a.truth {
			return d.holds(a) == d.holds(b)
		}
		return d.number(a).is(d.number(b))
	})
}

// everyChoice asks for each choice of conditions.
func (c *comparison) everyChoice(ask func() bool) bool {
	need(len(c.words) <= mostWords && len(c.bools) <= mostBools, "too many words")
	for c.chosen = range 1 << len(c.bools) {
		c.minterms()
		if !ask() {
			return false
		}
	}
	return true
}

// minterms gives each minterm a variable, but that of no word, and those of a single word that is a number: they are what is left of
// their sums.
func (c *comparison) minterms() {
	n := 1 << len(c.words)
	c.value = make([]number, n)
	for m := 1; m < n; m++ {
		c.value[m] = number{string(rune(m)): big.NewInt(1)}
	}
	for i, w := range c.words { // what a number is made of comes before it
		if !c.arithmetic(w) {
			continue
		}
		rest := c.number(w)
		for m := 1; m < n; m++ {
			if m>>i&1 == 1 && m != 1<<i {
				rest = rest.plus(-1, c.value[m])
			}
		}
		c.value[1<<i] = rest
	}
}

func whole(n int64) number {
	p := number{}
	p.put("", big.NewInt(n))
	return p
}

func (p number) put(product string, n *big.Int) {
	total := new(big.Int)
	if old := p[product]; old != nil {
		total.Set(old)
	}
	if total.Add(total, n); total.Sign() == 0 {
		delete(p, product)
	} else {
		p[product] = total
	}
	need(len(p) <= mostProducts, "a polynomial is too long")
}

func (p number) plus(k int64, q number) number {
	out := number{}
	for product, n := range p {
		out[product] = n
	}
	for product, n := range q {
		out.put(product, new(big.Int).Mul(big.NewInt(k), n))
	}
	return out
}

func (p number) times(q number) number {
	out := number{}
	for a, n := range p {
		for b, m := range q {
			letters := []rune(a + b)
			slices.Sort(letters)
			out.put(string(letters), new(big.Int).Mul(n, m))
		}
	}
	return out
}

func (p number) is(q number) bool {
	if len(p) != len(q) {
		return false
	}
	for product, n := range p {
		if q[product] == nil || q[product].Cmp(n) != 0 {
			return false
		}
	}
	return true
}

// bitwise tells whether a term is a function of its words at each place.
func bitwise(t *term) bool {
	switch t.op {
	case "var", "bvnot", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bool->bitvector", "bvcomp", "ite":
		return true
	}
	return false
}

// arithmetic tells whether a term is a polynomial in its words.
func (c *comparison) arithmetic(t *term) bool {
	switch t.op {
	case "bvadd", "bvsub", "bvneg", "bvmul":
		return true
	case "literal":
		return !t.truth
	case "number":
		_, ok := t.at[0].number()
		return ok
	case "bvshl":
		return c.power(t) != nil
	case "extract":
		return len(t.at[1]) == 0
	}
	return false
}

// collect finds the words and conditions of a term, those of its parts first. At places, where a bitwise operation is applied, a
// number is a word of its own unless it is one at each place.
func (c *comparison) collect(t *term, places bool) {
	switch {
	case t.truth:
		c.collectTruth(t)
	case t.op == "var":
		c.addWord(t)
	case t.op == "ite":
		c.collectTruth(t.args[0])
		c.collect(t.args[1], places)
		c.collect(t.args[2], places)
	case t.op == "bool->bitvector":
		c.collectTruth(t.args[0])
	case t.op == "bvcomp":
		c.addBool(t)
	case bitwise(t):
		for _, a := range t.args {
			c.collect(a, true)
		}
	case c.arithmetic(t):
		for _, a := range c.operands(t) {
			c.collect(a, false)
		}
		if places && !c.atPlaces(t) {
			c.addWord(t)
		}
	default:
		c.addWord(t)
	}
}

// operands are the parts that the polynomial of an arithmetic term is made of.
func (c *comparison) operands(t *term) []*term {
	switch t.op {
	case "bvshl":
		return t.args[:1]
	case "extract":
		return []*term{c.lowest(t)}
	}
	return t.args
}

// atPlaces tells whether a number is a combination of minterms that is 0 or 1 at each.
func (c *comparison) atPlaces(t *term) bool {
	d := &comparison{frame: c.frame}
	d.collect(t, false)
	return d.everyChoice(func() bool { return d.tableOf(d.number(t)) != nil })
}

// tableOf finds which minterms add up to a number, nil if none do. Of words that are numbers none is asked.
func (c *comparison) tableOf(p number) []bool {
	for _, w := range c.words {
		if c.arithmetic(w) {
			return nil
		}
	}
	table := make([]bool, len(c.value))
	coefficient := func(product string) int64 {
		if n := p[product]; n != nil && n.IsInt64() {
			return n.Int64()
		}
		return 0
	}
	first := -coefficient("") // the sum of all but the first is -1 less the first
	if first != 0 && first != 1 {
		return nil
	}
	table[0] = first == 1
	check := whole(-first)
	for m := 1; m < len(table); m++ {
		v := coefficient(string(rune(m))) + first
		if v != 0 && v != 1 {
			return nil
		}
		table[m] = v == 1
		check = check.plus(v-first, number{string(rune(m)): big.NewInt(1)})
	}
	if !check.is(p) {
		return nil
	}
	return table
}

func (c *comparison) addWord(t *term) {
	if c.word(t) < 0 {
		c.words = append(c.words, t)
		need(len(c.words) <= mostWords, "too many words")
	}
}

// word is which of the words a term is, -1 of none.
func (c *comparison) word(t *term) int {
	return slices.IndexFunc(c.words, func(w *term) bool { return c.alike(w, t) })
}

// alike tells whether terms are one variable, equal numbers, or one operation of equal arguments.
func (c *comparison) alike(a, b *term) bool {
	switch {
	case a == b:
		return true
	case a.op == "var" || b.op == "var":
		return a.op == b.op && a.signal == b.signal
	case a.truth != b.truth || !a.truth && !a.width.is(b.width):
		return false
	case !a.truth && c.arithmetic(a) && c.arithmetic(b):
		return c.same(a, b)
	case a.op != b.op || a.text != b.text || len(a.args) != len(b.args) || !slices.EqualFunc(a.at, b.at, sum.is):
		return false
	}
	for i := range a.args {
		if !c.same(a.args[i], b.args[i]) {
			return false
		}
	}
	return true
}

// A relation is what a comparison asks: op is "zero" of one word, "ult" or "slt" of two. negated says that it asks for the opposite.
func (c *comparison) relation(t *term) (op string, args []*term, negated bool) {
	order := map[string]struct {
		op              string
		turned, negated bool
	}{"bvult": {"ult", false, false}, "bvugt": {"ult", true, false}, "bvule": {"ult", true, true}, "bvuge": {"ult", false, true},
		"bvslt": {"slt", false, false}, "bvsgt": {"slt", true, false}, "bvsle": {"slt", true, true}, "bvsge": {"slt", false, true}}
	if o, ok := order[t.op]; ok {
		args = slices.Clone(t.args)
		if o.turned {
			args[0], args[1] = args[1], args[0]
		}
		return o.op, args, o.negated
	}
	switch t.op {
	case "=", "bveq", "bvcomp":
		for i, a := range t.args { // words are equal just where their exclusive or is 0
			if x := t.args[1-i]; x.op == "bvxor" && len(x.args) == 2 && c.isWhole(a, 0) {
				return c.relation(&term{op: "=", args: x.args, truth: true})
			}
		}
		return "zero", []*term{c.made("bvsub", t.args[0], t.args[1])}, false
	case "bitvector->bool":
		return "zero", t.args, true
	}
	return "", nil, false
}

// made is a term of words of one width.
func (c *comparison) made(op string, args ...*term) *term {
	return &term{op: op, args: args, width: args[0].width}
}

// decided tells what a relation is where that is the same at all instances: 0, 1, or -1.
func (c *comparison) decided(op string, args []*term) int {
	switch {
	case op == "zero":
		d := &comparison{frame: c.frame}
		d.collect(args[0], false)
		if d.everyChoice(func() bool { return len(d.number(args[0])) == 0 }) {
			return 1
		}
		odd := d.everyChoice(func() bool {
			p := d.number(args[0])
			return len(p) == 1 && p[""] != nil && p[""].Bit(0) == 1
		})
		if odd { // and so not 0 modulo a power of 2 from 2 on
			return 0
		}
	case c.same(args[0], args[1]) || op == "ult" && (c.isWhole(args[1], 0) || c.isWhole(args[0], -1)):
		return 0
	}
	return -1
}

func (c *comparison) isWhole(t *term, n int64) bool {
	d := &comparison{frame: c.frame}
	d.collect(t, false)
	return d.everyChoice(func() bool { return d.number(t).is(whole(n)) })
}

func (c *comparison) collectTruth(t *term) {
	switch t.op {
	case "literal":
	case "not", "and", "or", "xor", "=>":
		for _, a := range t.args {
			c.collectTruth(a)
		}
	case "ite":
		for _, a := range t.args {
			c.collectTruth(a)
		}
	case "=", "distinct", "bveq":
		for _, pair := range pairs(t) {
			if pair[0].truth {
				c.collectTruth(pair[0])
				c.collectTruth(pair[1])
			} else {
				c.addBool(&term{op: "=", args: pair[:], truth: true})
			}
		}
	default:
		c.addBool(t)
	}
}

// pairs are those that = and distinct compare.
func pairs(t *term) (out [][2]*term) {
	for i, a := range t.args {
		for j := i + 1; j < len(t.args) && (t.op == "distinct" || j == i+1); j++ {
			out = append(out, [2]*term{a, t.args[j]})
		}
	}
	return out
}

func (c *comparison) addBool(t *term) {
	op, args, _ := c.relation(t)
	if op != "" && c.decided(op, args) >= 0 || c.condition(t) >= 0 {
		return
	}
	c.bools = append(c.bools, t)
	need(len(c.bools) <= mostBools, "too many conditions")
}

// condition is which of the conditions asks what a term does, or the opposite; -1: none.
func (c *comparison) condition(t *term) int {
	op, args, _ := c.relation(t)
	return slices.IndexFunc(c.bools, func(b *term) bool {
		of, with, _ := c.relation(b)
		switch {
		case op != of:
			return false
		case op == "":
			return c.alike(b, t)
		case !args[0].width.is(with[0].width):
			return false
		case op == "zero":
			return c.same(args[0], with[0]) || c.same(args[0], c.made("bvneg", with[0]))
		}
		if c.same(args[0], with[0]) && c.same(args[1], with[1]) {
			return true
		}
		// a < b just where the complement of b is below that of a
		return c.same(args[0], c.made("bvnot", with[1])) && c.same(args[1], c.made("bvnot", with[0]))
	})
}

// asked is what a condition is.
func (c *comparison) asked(t *term) bool {
	op, args, negated := c.relation(t)
	if op != "" {
		if v := c.decided(op, args); v >= 0 {
			return (v == 1) != negated
		}
	}
	i := c.condition(t)
	need(i >= 0, "a condition that was not collected")
	_, _, other := c.relation(c.bools[i])
	return (c.chosen>>i&1 == 1) != (negated != other)
}

// holds is a Bool under the conditions that are chosen.
func (c *comparison) holds(t *term) bool {
	switch t.op {
	case "literal":
		return t.text == "true"
	case "not":
		return !c.holds(t.args[0])
	case "and", "or", "xor":
		v := c.holds(t.args[0])
		for _, a := range t.args[1:] {
			w := c.holds(a)
			v = t.op == "and" && v && w || t.op == "or" && (v || w) || t.op == "xor" && v != w
		}
		return v
	case "=>":
		for _, a := range t.args[:len(t.args)-1] {
			if !c.holds(a) {
				return true
			}
		}
		return c.holds(t.args[len(t.args)-1])
	case "ite":
		if c.holds(t.args[0]) {
			return c.holds(t.args[1])
		}
		return c.holds(t.args[2])
	case "=", "distinct", "bveq":
		for _, pair := range pairs(t) {
			var equal bool
			if pair[0].truth {
				equal = c.holds(pair[0]) == c.holds(pair[1])
			} else {
				equal = c.asked(&term{op: "=", args: pair[:], truth: true})
			}
			if equal == (t.op == "distinct") {
				return false
			}
		}
		return true
	}
	return c.asked(t)
}

// table says of each minterm whether a word is 1 there, nil of a number that is no word.
func (c *comparison) table(t *term) []bool {
	out := make([]bool, len(c.value))
	fill := func(f func(m int) bool) []bool {
		for m := range out {
			out[m] = f(m)
		}
		return out
	}
	if t.op == "ite" {
		if c.holds(t.args[0]) {
			return c.table(t.args[1])
		}
		return c.table(t.args[2])
	}
	if t.op == "bool->bitvector" {
		v := c.holds(t.args[0])
		return fill(func(int) bool { return v })
	}
	if t.op == "bvcomp" {
		v := c.asked(t)
		return fill(func(int) bool { return v })
	}
	if !bitwise(t) || t.op == "var" {
		if i := c.word(t); i >= 0 {
			return fill(func(m int) bool { return m>>i&1 == 1 })
		}
		return c.tableIn(t)
	}
	var args [][]bool
	for _, a := range t.args {
		args = append(args, c.table(a))
	}
	return fill(func(m int) bool {
		v := args[0][m]
		for _, a := range args[1:] {
			switch strings.TrimPrefix(t.op, "bv") {
			case "and", "nand":
				v = v && a[m]
			case "or", "nor":
				v = v || a[m]
			case "xor", "xnor":
				v = v != a[m]
			}
		}
		return v != (t.op == "bvnot" || t.op == "bvnand" || t.op == "bvnor" || t.op == "bvxnor")
	})
}

// tableIn is the table of a number that is one at each place, in words of its own that are some of c's.
func (c *comparison) tableIn(t *term) []bool {
	d := &comparison{frame: c.frame}
	d.collect(t, false)
	for i, b := range d.bools {
		if c.asked(b) {
			d.chosen |= 1 << i
		}
	}
	d.minterms()
	small := d.tableOf(d.number(t))
	need(small != nil, "a number that is no word")
	out := make([]bool, len(c.value))
	for m := range out {
		at := 0
		for i, w := range d.words {
			k := c.word(w)
			need(k >= 0, "a word that was not collected")
			at |= m >> k & 1 << i
		}
		out[m] = small[at]
	}
	return out
}

// number is a word modulo 2 to the power of its width.
func (c *comparison) number(t *term) number {
	switch t.op {
	case "bvadd", "bvsub", "bvmul":
		p := c.number(t.args[0])
		for _, a := range t.args[1:] {
			switch q := c.number(a); t.op {
			case "bvadd":
				p = p.plus(1, q)
			case "bvsub":
				p = p.plus(-1, q)
			default:
				p = p.times(q)
			}
		}
		return p
	case "bvneg":
		return number{}.plus(-1, c.number(t.args[0]))
	case "ite":
		if c.holds(t.args[0]) {
			return c.number(t.args[1])
		}
		return c.number(t.args[2])
	case "bvshl":
		if p := c.power(t); p != nil {
			return c.number(t.args[0]).times(p)
		}
	case "extract": // what a number is modulo a power of 2 says what it is modulo a smaller one
		if len(t.at[1]) == 0 {
			return c.number(c.lowest(t))
		}
	case "literal", "number":
		if c.arithmetic(t) {
			return constantOf(t)
		}
	}
	// The minterm of no word is what the others leave of -1. Values of later words' minterms are none of a table that is 0 there.
	table := c.table(t)
	p := number{}
	for m := 1; m < len(table); m++ {
		if table[m] != table[0] {
			p = p.plus(1, c.value[m])
		}
	}
	if table[0] {
		return whole(-1).plus(-1, p)
	}
	return p
}

// lowest is what the lowest bits of a term are those of: of one that is extended what is extended, where that has them all.
func (c *comparison) lowest(t *term) *term {
	in := t.args[0]
	if in.op == "zero_extend" || in.op == "sign_extend" {
		if from := in.args[0]; c.shown(from.width.minus(1, t.at[0]).minus(1, plain(1))) {
			return from
		}
	}
	return in
}

// constantOf is the number that a constant is. All ones of a width that is a number are -1.
func constantOf(t *term) number {
	v, w := new(big.Int), int64(0)
	if t.op == "number" {
		n, _ := t.at[0].number()
		v.SetInt64(n)
		var fixed bool
		if w, fixed = t.at[1].number(); !fixed {
			w = 0
		}
	} else {
		base := map[byte]int{'b': 2, 'x': 16}[t.text[1]]
		v.SetString(t.text[2:], base)
		w, _ = t.width.number()
	}
	if w > 0 && v.BitLen() == int(w) && new(big.Int).Add(v, big.NewInt(1)).TrailingZeroBits() == uint(w) {
		return whole(-1)
	}
	p := number{}
	p.put("", v)
	return p
}

// power is 2 to the power of the amount that a shift has, where that is written as a number or a sum of names. It is below 2^w, so
// that it is the amount; from w on the shift is 0, and so is the product.
func (c *comparison) power(t *term) number {
	amount := t.args[1]
	var s sum
	switch {
	case amount.op == "number":
		s = amount.at[0]
	case amount.op == "literal" && !amount.truth:
		v := constantOf(amount)
		if n := v[""]; len(v) == 0 {
			s = sum{}
		} else if n.Sign() > 0 && n.IsInt64() && n.Int64() < 1<<20 {
			s = plain(n.Int64())
		} else {
			return nil
		}
	default:
		return nil
	}
	p := whole(1)
	names := make([]string, 0, len(s))
	for product := range s {
		names = append(names, product)
	}
	slices.Sort(names)
	for _, product := range names {
		n := s[product]
		switch {
		case n < 0 || n > 256 || strings.Contains(product, " "):
			return nil
		case product == "":
			p = p.times(number{"": new(big.Int).Lsh(big.NewInt(1), uint(n))})
		default:
			for range n {
				p = p.times(number{string(rune(0x10000 + c.index(product))): big.NewInt(1)})
			}
		}
	}
	return p
}
