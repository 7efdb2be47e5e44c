package comb

import (
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits/flow"
)

// shapes are operations by how they are written.
var shapes = map[string]func(*reader, *op) error{
	"hw.constant": (*reader).constant, "hw.wire": (*reader).unary, "comb.reverse": (*reader).unary,
	"comb.add": (*reader).variadic, "comb.mul": (*reader).variadic, "comb.and": (*reader).variadic, "comb.or": (*reader).variadic,
	"comb.xor": (*reader).variadic,
	"comb.sub": (*reader).pair, "comb.divu": (*reader).pair, "comb.divs": (*reader).pair, "comb.modu": (*reader).pair, "comb.mods": (*reader).pair,
	"comb.shl": (*reader).pair, "comb.shru": (*reader).pair, "comb.shrs": (*reader).pair,
	"comb.icmp": (*reader).compare, "comb.extract": (*reader).extract, "comb.concat": (*reader).concat, "comb.replicate": (*reader).replicate,
	"comb.parity": (*reader).parity, "comb.mux": (*reader).mux, "comb.truth_table": (*reader).table,
	"seq.compreg": (*reader).compreg, "seq.compreg.ce": (*reader).compreg, "seq.firreg": (*reader).firreg,
}

// op is an operation that is read.
type op struct {
	flow.Op
	result string
	at     source.Span // of the result
}

// operation reads %r = OP ...
func (r *reader) operation() (err error) {
	o := &op{}
	if r.Tok.Kind == flow.Word && strings.Contains(r.Tok.Text, ".") {
		return r.Errorf("unsupported", "%s", r.Tok.Text)
	}
	if o.result, o.at, err = r.operand(); err != nil {
		return err
	}
	if r.Is(":") || r.Is(",") {
		return r.Errorf("unsupported", "an operation of several results")
	}
	if err := r.Expect("="); err != nil {
		return err
	}
	name, at, err := r.Name("an operation")
	if err != nil {
		return err
	}
	shape := shapes[name]
	if shape == nil {
		return source.Errorf(at, "unsupported", "%s", name)
	}
	o.Kind, o.Span = name, source.Span{File: r.File, Start: o.at.Start, End: at.End}
	if name == "hw.wire" {
		o.Kind = "comb.wire"
	}
	if _, err := r.Accept("bin"); err != nil {
		return err
	}
	if err := shape(r, o); err != nil {
		return err
	}
	if r.Is("loc") { // a place of another text
		if err := r.Next(); err != nil {
			return err
		}
		return r.dictionary()
	}
	return nil
}

// operands reads names with commas between.
func (r *reader) operands() (names []string, spans []source.Span, err error) {
	for {
		name, at, err := r.operand()
		if err != nil {
			return nil, nil, err
		}
		names, spans = append(names, name), append(spans, at)
		if !r.Is(",") {
			return names, spans, nil
		}
		if err := r.Next(); err != nil {
			return nil, nil, err
		}
	}
}

// attributes passes {..}, if it is next.
func (r *reader) attributes() error {
	if r.Is("{") {
		return r.dictionary()
	}
	return nil
}

// typed reads : TYPE behind what attributes there are.
func (r *reader) typed() (string, source.Span, error) {
	if err := r.attributes(); err != nil {
		return "", source.Span{}, err
	}
	if err := r.Expect(":"); err != nil {
		return "", source.Span{}, err
	}
	typ, at, err := r.typ()
	if err == nil && typ == clockType {
		err = source.Errorf(at, "ill-typed", "a clock is no word")
	}
	return typ, at, err
}

// add makes the operation, and its result of a type. Words without bits are not computed: they have one value.
func (r *reader) add(o *op, typ string, names []string, spans []source.Span, types []string) error {
	v, err := r.define(o.result, o.at, typ)
	if err != nil {
		return err
	}
	o.Result = v
	o.Args = make([]int, len(names))
	for i := range names {
		r.use(types[i], names[i], spans[i], &o.Args[i])
	}
	if typ != "i0" {
		r.p.Ops = append(r.p.Ops, o.Op)
	}
	return nil
}

// same are types that are all one.
func same(typ string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = typ
	}
	return out
}

// fixed makes an operation whose operands have no bits the constant that it is.
func (o *op) fixed(v int64) {
	o.Kind, o.Consts = "comb.constant", []*big.Int{big.NewInt(v)}
}

func (r *reader) constant(o *op) error {
	var v *big.Int
	switch {
	case r.Is("true"), r.Is("false"):
		v = big.NewInt(0)
		if r.Is("true") {
			v.SetInt64(1)
		}
		if err := r.Next(); err != nil {
			return err
		}
		o.Kind, o.Consts = "comb.constant", []*big.Int{v}
		if r.Is(":") {
			if typ, at, err := r.typed(); err != nil {
				return err
			} else if typ != "i1" {
				return source.Errorf(at, "ill-typed", "true and false are i1")
			}
		} else if err := r.attributes(); err != nil {
			return err
		}
		return r.add(o, "i1", nil, nil, nil)
	}
	at := r.Span()
	v, err := r.Big("a constant")
	if err != nil {
		return err
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	if n := widthOf(typ); v.Sign() >= 0 && v.BitLen() > n || v.Sign() < 0 && new(big.Int).Not(v).BitLen() >= max(n, 1) {
		return source.Errorf(at, "literal-width", "%s does not fit into %s", v, typ)
	}
	o.Kind, o.Consts = "comb.constant", []*big.Int{v}
	return r.add(o, typ, nil, nil, nil)
}

func (r *reader) unary(o *op) error {
	name, at, err := r.operand()
	if err != nil {
		return err
	}
	if o.Kind == "comb.wire" {
		if err := r.symbol(); err != nil {
			return err
		}
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	return r.add(o, typ, []string{name}, []source.Span{at}, same(typ, 1))
}

func (r *reader) variadic(o *op) error {
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	return r.add(o, typ, names, spans, same(typ, len(names)))
}

func (r *reader) pair(o *op) error {
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	if len(names) != 2 {
		return source.Errorf(o.Span, "ill-typed", "%s of %d operands", o.Kind, len(names))
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	return r.add(o, typ, names, spans, same(typ, 2))
}

// predicates are those of icmp; others are four-valued.
var predicates = map[string]bool{"eq": true, "ne": true, "slt": true, "sle": true, "sgt": true, "sge": true, "ult": true, "ule": true,
	"ugt": true, "uge": true}

func (r *reader) compare(o *op) error {
	predicate, at, err := r.Name("a predicate")
	if err != nil {
		return err
	}
	switch predicate {
	case "ceq", "cne", "weq", "wne":
		return source.Errorf(at, "unsupported", "icmp %s compares four-valued bits", predicate)
	}
	if !predicates[predicate] {
		return source.Errorf(at, "syntax", "%s is no predicate", predicate)
	}
	o.Kind = "comb.icmp." + predicate
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	if len(names) != 2 {
		return source.Errorf(o.Span, "ill-typed", "comb.icmp of %d operands", len(names))
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	types := same(typ, 2)
	if typ == "i0" { // there is one such word, which is equal to itself
		value := int64(0)
		if predicate == "eq" || predicate[1:] == "le" || predicate[1:] == "ge" {
			value = 1
		}
		o.fixed(value)
		names, spans = nil, nil
	}
	return r.add(o, "i1", names, spans, types)
}

// arrow reads : (TYPE) -> TYPE.
func (r *reader) arrow() (from, to string, where source.Span, err error) {
	if err := r.attributes(); err != nil {
		return "", "", where, err
	}
	if err := r.Expect(":", "("); err != nil {
		return "", "", where, err
	}
	if from, _, err = r.typ(); err != nil {
		return "", "", where, err
	}
	if err := r.Expect(")", "->"); err != nil {
		return "", "", where, err
	}
	to, where, err = r.typ()
	if err == nil && (from == clockType || to == clockType) {
		err = source.Errorf(where, "ill-typed", "a clock is no word")
	}
	return from, to, where, err
}

func (r *reader) extract(o *op) error {
	name, at, err := r.operand()
	if err != nil {
		return err
	}
	if err := r.Expect("from"); err != nil {
		return err
	}
	low, err := r.Int("the lowest bit")
	if err != nil {
		return err
	}
	from, to, where, err := r.arrow()
	if err != nil {
		return err
	}
	if low < 0 || low+widthOf(to) > widthOf(from) {
		return source.Errorf(where, "ill-typed", "%s from bit %d of %s", to, low, from)
	}
	o.Numbers = []int{low}
	return r.add(o, to, []string{name}, []source.Span{at}, []string{from})
}

func (r *reader) concat(o *op) error {
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	var types []string
	width := 0
	for i := range names {
		if i == 0 {
			typ, _, err := r.typed()
			if err != nil {
				return err
			}
			types = append(types, typ)
		} else {
			if err := r.Expect(","); err != nil {
				return err
			}
			typ, at, err := r.typ()
			if err != nil {
				return err
			}
			if typ == clockType {
				return source.Errorf(at, "ill-typed", "a clock is no word")
			}
			types = append(types, typ)
		}
		width += widthOf(types[i])
	}
	if width > flow.MaxWidth {
		return source.Errorf(o.Span, "unsupported", "a word of %d bits", width)
	}
	var operands, of []string
	var places []source.Span
	for i, t := range types {
		if t != "i0" {
			operands, of, places = append(operands, names[i]), append(of, t), append(places, spans[i])
		}
	}
	return r.add(o, typeOf(width), operands, places, of)
}

func typeOf(width int) string { return "i" + big.NewInt(int64(width)).String() }

func (r *reader) replicate(o *op) error {
	name, at, err := r.operand()
	if err != nil {
		return err
	}
	from, to, where, err := r.arrow()
	if err != nil {
		return err
	}
	if n := widthOf(from); n == 0 && to != "i0" || n > 0 && widthOf(to)%n != 0 {
		return source.Errorf(where, "ill-typed", "%s is no repetition of %s", to, from)
	}
	return r.add(o, to, []string{name}, []source.Span{at}, []string{from})
}

func (r *reader) parity(o *op) error {
	name, at, err := r.operand()
	if err != nil {
		return err
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	if typ == "i0" {
		o.fixed(0)
		return r.add(o, "i1", nil, nil, nil)
	}
	return r.add(o, "i1", []string{name}, []source.Span{at}, []string{typ})
}

func (r *reader) mux(o *op) error {
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	if len(names) != 3 {
		return source.Errorf(o.Span, "ill-typed", "comb.mux of %d operands", len(names))
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	return r.add(o, typ, names, spans, []string{"i1", typ, typ})
}

// table reads %a, %b -> [false, true, ..].
func (r *reader) table(o *op) error {
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	if len(names) > 16 {
		return source.Errorf(o.Span, "unsupported", "a table of %d inputs", len(names))
	}
	if err := r.Expect("->", "["); err != nil {
		return err
	}
	for !r.Is("]") {
		if len(o.Consts) > 0 {
			if err := r.Expect(","); err != nil {
				return err
			}
		}
		one := int64(0)
		switch {
		case r.Is("true"):
			one = 1
		case r.Tok.Kind == flow.Number && (r.Tok.Text == "0" || r.Tok.Text == "1"):
			one = int64(r.Tok.Text[0] - '0')
		case !r.Is("false"):
			return r.Refused("true or false")
		}
		o.Consts = append(o.Consts, big.NewInt(one))
		if err := r.Next(); err != nil {
			return err
		}
	}
	if err := r.Next(); err != nil {
		return err
	}
	if len(o.Consts) != 1<<len(names) {
		return source.Errorf(o.Span, "ill-typed", "a table of %d inputs has %d entries, and this %d", len(names), 1<<len(names), len(o.Consts))
	}
	if r.Is(":") {
		if typ, at, err := r.typed(); err != nil {
			return err
		} else if typ != "i1" {
			return source.Errorf(at, "ill-typed", "a table has i1")
		}
	} else if err := r.attributes(); err != nil {
		return err
	}
	return r.add(o, "i1", names, spans, same("i1", len(names)))
}

// symbol passes sym @name and name "text".
func (r *reader) symbol() error {
	for r.Is("sym") || r.Is("name") {
		if err := r.Next(); err != nil {
			return err
		}
		if err := r.Next(); err != nil {
			return err
		}
	}
	return nil
}

// compreg reads %in, %clk [, %enable] [reset %r, %v] : TYPE.
func (r *reader) compreg(o *op) error {
	if err := r.symbol(); err != nil {
		return err
	}
	names, spans, err := r.operands()
	if err != nil {
		return err
	}
	want := 2
	if o.Kind == "seq.compreg.ce" {
		want = 3
	}
	if len(names) != want {
		return source.Errorf(o.Span, "ill-typed", "%s of %d operands", o.Kind, len(names))
	}
	var reset []string
	var where []source.Span
	if ok, err := r.Accept("reset"); err != nil {
		return err
	} else if ok {
		if reset, where, err = r.operands(); err != nil {
			return err
		}
	}
	for _, word := range []string{"powerOn", "initial"} {
		if r.Is(word) {
			return r.Errorf("unsupported", "%s", word)
		}
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	enable, at := "", source.Span{}
	if want == 3 {
		enable, at = names[2], spans[2]
	}
	return r.register(o, typ, names[0], spans[0], names[1], spans[1], enable, at, reset, where, nil)
}

// firreg reads %in clock %clk [reset sync|async %r, %v] [preset N] : TYPE.
func (r *reader) firreg(o *op) error {
	name, at, err := r.operand()
	if err != nil {
		return err
	}
	if err := r.Expect("clock"); err != nil {
		return err
	}
	clock, clockAt, err := r.operand()
	if err != nil {
		return err
	}
	if err := r.symbol(); err != nil {
		return err
	}
	var reset []string
	var where []source.Span
	async := false
	if ok, err := r.Accept("reset"); err != nil {
		return err
	} else if ok {
		if async, err = r.Accept("async"); err != nil {
			return err
		}
		if !async {
			if err := r.Expect("sync"); err != nil {
				return err
			}
		}
		if reset, where, err = r.operands(); err != nil {
			return err
		}
	}
	var preset *big.Int
	presetAt := source.Span{}
	if ok, err := r.Accept("preset"); err != nil {
		return err
	} else if ok {
		presetAt = r.Span()
		if preset, err = r.Big("an initial value"); err != nil {
			return err
		}
	}
	typ, _, err := r.typed()
	if err != nil {
		return err
	}
	if preset != nil && (preset.Sign() < 0 || preset.BitLen() > widthOf(typ)) {
		return source.Errorf(presetAt, "literal-width", "%s does not fit into %s", preset, typ)
	}
	if err := r.register(o, typ, name, at, clock, clockAt, "", source.Span{}, reset, where, preset); err != nil {
		return err
	}
	if async && typ != "i0" {
		r.async[r.values[o.result]] = where[0]
	}
	return nil
}

// register makes a register, of which each use may be defined further down.
func (r *reader) register(o *op, typ, in string, inAt source.Span, clock string, clockAt source.Span, enable string, enableAt source.Span,
	reset []string, resetAt []source.Span, initial *big.Int,
) error {
	v, err := r.define(o.result, o.at, typ)
	if err != nil {
		return err
	}
	if reset != nil && len(reset) != 2 {
		return source.Errorf(o.Span, "ill-typed", "a reset is a condition and a value")
	}
	if _, ok := r.clocks[clock]; !ok {
		r.clocks[clock] = clockAt
	}
	if typ == "i0" {
		return nil
	}
	reg := &flow.Register{Value: v, Input: -1, Enable: -1, Reset: -1, ResetTo: -1, Initial: initial}
	r.use(typ, in, inAt, &reg.Input)
	if enable != "" {
		r.use("i1", enable, enableAt, &reg.Enable)
	}
	if reset != nil {
		r.use("i1", reset[0], resetAt[0], &reg.Reset)
		r.use(typ, reset[1], resetAt[1], &reg.ResetTo)
	}
	r.registers = append(r.registers, reg)
	return nil
}
