package mlir

import (
	"math/big"
	"slices"
)

// customs read the forms that operations have of their own into the generic one, behind the name.
var customs map[string]func(p *parser, o *oper)

func init() { // it refers to itself: bodies hold operations
	customs = map[string]func(p *parser, o *oper){
		"arith.constant": (*parser).constantOp, "arith.cmpi": (*parser).compareOp, "arith.cmpf": (*parser).compareOp,
		"arith.select": (*parser).selectOp, "math.fma": (*parser).arithOp,
		"memref.load": (*parser).loadOp, "memref.store": (*parser).storeOp, "memref.alloc": (*parser).allocOp,
		"memref.alloca": (*parser).allocOp, "memref.dealloc": (*parser).deallocOp, "memref.dim": (*parser).dimOp,
		"memref.copy": (*parser).copyOp, "memref.cast": (*parser).castOp, "memref.subview": (*parser).subviewOp,
		"affine.load": (*parser).loadOp, "affine.store": (*parser).storeOp, "affine.vector_load": (*parser).loadOp,
		"affine.vector_store": (*parser).storeOp, "vector.load": (*parser).loadOp, "vector.store": (*parser).storeOp,
		"affine.apply": (*parser).applyOp, "affine.min": (*parser).applyOp, "affine.max": (*parser).applyOp,
		"affine.for": (*parser).affineFor, "affine.if": (*parser).affineIf, "affine.parallel": (*parser).affineParallel,
		"affine.yield": (*parser).yieldOp, "scf.yield": (*parser).yieldOp, "linalg.yield": (*parser).yieldOp,
		"scf.reduce.return": (*parser).yieldOp, "func.return": (*parser).yieldOp, "func.call": (*parser).callOp,
		"scf.for": (*parser).scfFor, "scf.if": (*parser).scfIf, "scf.parallel": (*parser).scfParallel,
		"scf.reduce": (*parser).scfReduce, "vector.transfer_read": (*parser).transferRead,
		"vector.transfer_write": (*parser).transferWrite, "vector.broadcast": (*parser).castOp,
		"vector.splat": (*parser).splatOp, "linalg.generic": (*parser).linalgOp, "linalg.index": (*parser).linalgIndex,
		"linalg.copy": (*parser).linalgOp, "linalg.fill": (*parser).linalgOp,
	}
	for _, name := range slices.Concat(binaries, unaries) {
		customs[name] = (*parser).arithOp
	}
	for _, name := range conversions {
		customs[name] = (*parser).castOp
	}
	for name := range contractions {
		customs[name] = (*parser).linalgOp
	}
}

// typed reads : TYPE.
func (p *parser) typed() *typ {
	p.expect(":", "stands before a type")
	return p.typeOf()
}

// flags reads fastmath<..> and overflow<..> behind the operands.
func (p *parser) flags(o *oper) {
	for p.peek().is("fastmath", "overflow") {
		t := p.next()
		name := map[string]string{"fastmath": "fastmath", "overflow": "overflowFlags"}[t.text]
		if !p.peek().is("<") {
			fail(p.peek().span, "bad-syntax", "< follows %s", t.text)
		}
		body := p.skipBalanced().Text()
		o.attrs[name] = &attr{kind: opaqueAttr, at: p.since(t.span), s: "arith." + t.text, body: body[1 : len(body)-1]}
	}
	p.optionalDictionary(o)
}

// arithOp reads %a, %b : T, where operands and result have one type.
func (p *parser) arithOp(o *oper) {
	o.args = p.operands()
	p.flags(o)
	t := p.typed()
	for range o.args {
		o.argTypes = append(o.argTypes, t)
	}
	o.outTypes = []*typ{t}
}

// constantOp reads 1 : i32, true, dense<0.0> : vector<8xf32>.
func (p *parser) constantOp(o *oper) {
	p.optionalDictionary(o)
	a := p.attribute()
	if a.kind == floatAttr && a.typ == nil {
		a.typ = &typ{family: floatType, width: 64, name: "f64"}
	}
	if a.typ == nil {
		fail(a.at, "bad-syntax", "a constant has a type: %s : i32", a.at.Text())
	}
	o.attrs["value"] = a
	o.outTypes = []*typ{a.typ}
}

// predicates are those of cmpi and cmpf, by number.
var predicates = map[string][]string{
	"arith.cmpi": {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"},
	"arith.cmpf": {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno",
		"true"},
}

func (p *parser) compareOp(o *oper) {
	t := p.next()
	name := t.text
	if t.kind == text {
		name = unquoted(name)
	}
	k := slices.Index(predicates[o.name], name)
	if k < 0 {
		fail(t.span, "bad-syntax", "a predicate of %s, not %s", o.name, t.text)
	}
	o.attrs["predicate"] = &attr{kind: integerAttr, at: t.span, n: big.NewInt(int64(k))}
	p.expect(",", "follows a predicate")
	o.args = p.operands()
	p.flags(o)
	u := p.typed()
	o.argTypes, o.outTypes = []*typ{u, u}, []*typ{u.shaped(anI1)}
}

// selectOp reads %c, %a, %b : T, with the type of the condition before it where that is a vector.
func (p *parser) selectOp(o *oper) {
	o.args = p.operands()
	p.optionalDictionary(o)
	c, t := anI1, p.typed()
	if p.accept(",") {
		c, t = t, p.typeOf()
	}
	o.argTypes, o.outTypes = []*typ{c, t, t}, []*typ{t}
}

// castOp reads %a : T to U.
func (p *parser) castOp(o *oper) {
	o.args = []*use{p.operand()}
	p.flags(o)
	o.argTypes = []*typ{p.typed()}
	if !p.accept("into") {
		p.expect("to", "stands before the type of the result")
	}
	o.outTypes = []*typ{p.typeOf()}
}

// within reads the subscripts of an access, as a map or, of memref and vector, as values.
func (p *parser) within(o *oper) {
	if isAffine(o.name) {
		m, args := p.subscripts()
		o.attrs["map"] = &attr{kind: mapAttr, at: o.at, m: m}
		o.args = append(o.args, args...)
		return
	}
	o.args = append(o.args, p.operandsWithin("[", "]")...)
}

func isAffine(name string) bool { return len(name) > 7 && name[:7] == "affine." }

// accessTypes are those of a memref and of index for each subscript.
func accessTypes(o *oper, before ...*typ) []*typ {
	out := before
	for range len(o.args) - len(before) {
		out = append(out, anIndex)
	}
	return out
}

// loadOp reads %A[..] : memref<..>, of a vector also , vector<..>.
func (p *parser) loadOp(o *oper) {
	o.args = []*use{p.operand()}
	p.within(o)
	p.optionalDictionary(o)
	m := p.typed()
	o.argTypes = accessTypes(o, m)
	o.outTypes = []*typ{m.elem}
	if o.name != "memref.load" && o.name != "affine.load" {
		p.expect(",", "stands before the type of the vector")
		o.outTypes[0] = p.typeOf()
	}
	if m.family != memrefType {
		fail(o.at, "type-mismatch", "%s is no memref", m)
	}
}

// storeOp reads %x, %A[..] : memref<..>, of a vector also , vector<..>.
func (p *parser) storeOp(o *oper) {
	x := p.operand()
	p.expect(",", "follows what is stored")
	o.args = []*use{x, p.operand()}
	p.within(o)
	p.optionalDictionary(o)
	m := p.typed()
	if m.family != memrefType {
		fail(o.at, "type-mismatch", "%s is no memref", m)
	}
	stored := m.elem
	if o.name != "memref.store" && o.name != "affine.store" {
		p.expect(",", "stands before the type of the vector")
		stored = p.typeOf()
	}
	o.argTypes = accessTypes(o, stored, m)
}

// allocOp reads (%n)[%s] : memref<..>.
func (p *parser) allocOp(o *oper) {
	o.args = p.operandsWithin("(", ")")
	sizes := len(o.args)
	if p.peek().is("[") {
		o.args = append(o.args, p.operandsWithin("[", "]")...)
	}
	setSegments(o, sizes, len(o.args)-sizes)
	p.optionalDictionary(o)
	o.outTypes = []*typ{p.typed()}
	o.argTypes = accessTypes(o)
}

// setSegments says how long the groups of operands are.
func setSegments(o *oper, sizes ...int) {
	a := &attr{kind: arrayAttr, at: o.at}
	for _, n := range sizes {
		a.list = append(a.list, &attr{kind: integerAttr, at: o.at, n: big.NewInt(int64(n))})
	}
	o.attrs["operandSegmentSizes"] = a
}

func (p *parser) deallocOp(o *oper) {
	o.args = []*use{p.operand()}
	p.optionalDictionary(o)
	o.argTypes = []*typ{p.typed()}
}

func (p *parser) dimOp(o *oper) {
	o.args = p.operands()
	p.optionalDictionary(o)
	o.argTypes, o.outTypes = []*typ{p.typed(), anIndex}, []*typ{anIndex}
}

func (p *parser) copyOp(o *oper) {
	o.args = p.operands()
	p.optionalDictionary(o)
	from := p.typed()
	p.expect("to", "stands before the second type")
	o.argTypes = []*typ{from, p.typeOf()}
}

// subviewOp reads %A[%i, 0] [4, %n] [1, 1] : memref<..> to memref<..>.
func (p *parser) subviewOp(o *oper) {
	o.args = []*use{p.operand()}
	sizes := []int{1}
	for _, name := range []string{"static_offsets", "static_sizes", "static_strides"} {
		a := &attr{kind: arrayAttr, at: p.peek().span}
		count := len(o.args)
		p.expect("[", "begins offsets, sizes or strides")
		for !p.accept("]") {
			if p.peek().kind == value {
				u := p.operand()
				o.args = append(o.args, u)
				a.list = append(a.list, &attr{kind: integerAttr, at: u.at, n: big.NewInt(dynamic)})
			} else {
				a.list = append(a.list, p.numberAttribute())
			}
			if !p.accept(",") {
				p.expect("]", "ends offsets, sizes or strides")
				break
			}
		}
		o.attrs[name] = a
		sizes = append(sizes, len(o.args)-count)
	}
	setSegments(o, sizes...)
	p.optionalDictionary(o)
	o.argTypes = accessTypes(o, p.typed())
	p.expect("to", "stands before the type of the result")
	o.outTypes = []*typ{p.typeOf()}
}

// yieldOp reads %a, %b : T, U, or nothing.
func (p *parser) yieldOp(o *oper) {
	if p.peek().kind == value && !p.ahead(1).is("=", ":") || p.peek().kind == value && p.ahead(1).is(":") &&
		p.ahead(2).kind != number {
		o.args = p.operands()
		p.expect(":", "stands before types")
		o.argTypes = p.typesSeparated()
	}
	p.optionalDictionary(o)
}

func (p *parser) splatOp(o *oper) {
	o.args = []*use{p.operand()}
	p.optionalDictionary(o)
	t := p.typed()
	o.argTypes, o.outTypes = []*typ{t.scalar()}, []*typ{t}
}

// transferRead reads %A[%i], %pad {..} : memref<..>, vector<..>.
func (p *parser) transferRead(o *oper) {
	o.args = []*use{p.operand()}
	o.args = append(o.args, p.operandsWithin("[", "]")...)
	subscripts := len(o.args) - 1
	p.expect(",", "stands before the padding")
	o.args = append(o.args, p.operand())
	p.noMask()
	p.optionalDictionary(o)
	m := p.typed()
	p.expect(",", "stands before the type of the vector")
	v := p.typeOf()
	setSegments(o, 1, subscripts, 1, 0)
	o.argTypes = append(accessTypes(&oper{args: o.args[:len(o.args)-1]}, m), v.scalar())
	o.outTypes = []*typ{v}
}

func (p *parser) noMask() {
	if t := p.peek(); t.is(",") {
		fail(t.span, "unsupported-op", "masks")
	}
}

// transferWrite reads %v, %A[%i] {..} : vector<..>, memref<..>.
func (p *parser) transferWrite(o *oper) {
	v := p.operand()
	p.expect(",", "follows what is stored")
	o.args = []*use{v, p.operand()}
	o.args = append(o.args, p.operandsWithin("[", "]")...)
	setSegments(o, 1, 1, len(o.args)-2, 0)
	p.noMask()
	p.optionalDictionary(o)
	t := p.typed()
	p.expect(",", "stands before the type of the memref")
	o.argTypes = accessTypes(o, t, p.typeOf())
}

// linalgOp reads #trait or {..}, ins(%a : T) outs(%b : U), and a body.
func (p *parser) linalgOp(o *oper) {
	if p.peek().kind == alias {
		a := p.attribute()
		if a.kind != dictAttr {
			fail(a.at, "bad-syntax", "the attributes of an operation")
		}
		o.attrs = a.dict
	}
	p.optionalDictionary(o)
	var sizes []int
	for _, group := range []string{"ins", "outs"} {
		count := len(o.args)
		if group == "outs" || p.peek().is("ins") {
			p.expect(group, "stands before operands")
			p.expect("(", "begins operands")
			o.args = append(o.args, p.operands()...)
			p.expect(":", "stands before types")
			o.argTypes = append(o.argTypes, p.typesSeparated()...)
			p.expect(")", "ends operands")
		}
		sizes = append(sizes, len(o.args)-count)
	}
	setSegments(o, sizes...)
	if p.accept("attrs") {
		p.expect("=", "follows attrs")
		p.dictionary(o.attrs)
	}
	if o.name == "linalg.generic" {
		o.regions = []*region{p.region()}
	} else {
		p.optionalDictionary(o)
	}
	if p.accept("->") {
		fail(p.peek().span, "unsupported-op", "tensors: the subset of MLIR has memrefs")
	}
}

func (p *parser) linalgIndex(o *oper) {
	o.attrs["dim"] = p.numberAttribute()
	p.optionalDictionary(o)
	o.outTypes = []*typ{p.typed()}
}
