package mlir

import (
	"tv/semantics/loops"
)

// affineIf runs a branch as a set says.
func (e *elaborator) affineIf(o *oper) {
	a := o.needed("condition")
	if a.kind != setAttr {
		fail(a.at, "bad-syntax", "the condition is a set")
	}
	c := &loops.Cond{Op: loops.All, At: o.at}
	for i, x := range e.mapped(a, o.args) {
		d := &loops.Cond{Op: loops.LessEqual, A: loops.Num(0), B: x.x}
		if a.m.equal[i] {
			d = &loops.Cond{Op: loops.Equal, A: x.x, B: loops.Num(0)}
		}
		c.Conds = append(c.Conds, d)
	}
	if len(c.Conds) == 1 {
		c = c.Conds[0]
	}
	e.decide(o, c, nil)
}

func (e *elaborator) scfIf(o *oper) {
	o.takes(1, 1, len(o.results))
	if u := o.args[0]; u.def.cond != nil {
		e.decide(o, e.condition(u), nil)
	} else if typedAs(u, anI1); u.def.steers && steering(o) != nil {
		e.condition(u)
	} else {
		e.decide(o, nil, e.value(u))
	}
}

// decide runs one of two branches, as a condition of control or data says.
func (e *elaborator) decide(o *oper, c *loops.Cond, x *data) {
	if n := len(o.regions); n < 1 || n > 2 || n == 1 && len(o.results) > 0 {
		fail(o.at, "bad-syntax", "%s has two branches, or one and no results", o.name)
	}
	if e.inWhen() && c != nil {
		x, c = e.pure(boolean, holds(c, o.at)), nil
	}
	var results []*def
	for _, d := range o.results {
		if !steered(d, c) {
			results = append(results, d)
		}
	}
	e.enter(o)
	locals := e.carried(results)
	var blocks [2][]loops.Stmt
	var steers [2][]*cval
	for i, r := range o.regions {
		b := newBlock(nil)
		if c == nil {
			b.host = e.cur.host
		}
		blocks[i] = e.inside(b, func() {
			e.block(r)
			steers[i] = e.branch(o, c, locals)
		}).stmts
	}
	switch {
	case c != nil && len(blocks[0])+len(blocks[1]) == 0 && !c.Mentions(divides):
	case c != nil:
		e.emit(&loops.If{Cond: c, Then: blocks[0], Else: blocks[1], At: o.at})
	default:
		e.emit(&loops.When{Cond: x.at(nil), Then: blocks[0], Else: blocks[1], At: o.at})
		x.execute()
	}
	for i, k := 0, 0; i < len(o.results); i++ {
		if d := o.results[i]; steered(d, c) {
			d.x = e.choose(o.at, c, steers[0][i-k], steers[1][i-k])
		} else {
			d.standsFor(locals[k], false)
			k++
		}
	}
}

// divides tells whether an integer is a quotient or a remainder, and computing it may end the call.
func divides(x *loops.Int) bool {
	switch x.Op {
	case loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod:
		return true
	}
	return false
}

// steered tells whether a result of a branch is an integer of control.
func steered(d *def, c *loops.Cond) bool { return c != nil && d.steers && controllable(d) }

// branch assigns what a branch yields to locals, but for integers of control, which it returns.
func (e *elaborator) branch(o *oper, c *loops.Cond, locals []*loops.Buffer) (steers []*cval) {
	args := e.yields(o)
	if len(args) != len(o.results) {
		fail(o.at, "type-mismatch", "a branch of %s gives %d values, not %d", o.name, len(args), len(o.results))
	}
	var rest []*use
	var types []*def
	for i, u := range args {
		typedAs(u, o.results[i].typ)
		if steered(o.results[i], c) {
			steers = append(steers, e.control(u))
			continue
		}
		rest, types = append(rest, u), append(types, o.results[i])
	}
	e.set(locals, rest, types, o.at)
	return steers
}

// apply is affine.apply.
func (e *elaborator) apply(o *oper) {
	list := e.result(o)
	if len(list) != 1 {
		fail(o.at, "bad-syntax", "affine.apply has a map of one value")
	}
	o.results[0].x = list[0]
}

func (e *elaborator) least(o *oper)    { o.results[0].x = e.extreme(loops.Least, o.at, e.result(o)) }
func (e *elaborator) greatest(o *oper) { o.results[0].x = e.extreme(loops.Greatest, o.at, e.result(o)) }

// result computes the map of an operation.
func (e *elaborator) result(o *oper) []*cval {
	o.takes(0, -1, 1)
	o.gives(anIndex)
	list := e.mapped(o.needed("map"), o.args)
	if len(list) == 0 {
		fail(o.at, "bad-syntax", "a map without values")
	}
	return list
}

// elaborators are the operations that there are.
var elaborators map[string]func(e *elaborator, o *oper)

func init() { // it refers to itself: regions hold operations
	elaborators = map[string]func(e *elaborator, o *oper){
		"arith.constant": (*elaborator).constant, "arith.cmpi": (*elaborator).compare, "arith.cmpf": (*elaborator).compare,
		"arith.select": (*elaborator).choice, "memref.load": (*elaborator).load, "memref.store": (*elaborator).store,
		"affine.load": (*elaborator).load, "affine.store": (*elaborator).store, "memref.alloc": (*elaborator).alloc,
		"memref.alloca": (*elaborator).alloc, "memref.dealloc": (*elaborator).dealloc, "memref.dim": (*elaborator).dim,
		"memref.copy": (*elaborator).copy, "memref.cast": (*elaborator).cast, "memref.subview": (*elaborator).subview,
		"affine.apply": (*elaborator).apply, "affine.min": (*elaborator).least, "affine.max": (*elaborator).greatest,
		"affine.for": (*elaborator).affineFor, "affine.if": (*elaborator).affineIf,
		"affine.parallel": (*elaborator).affineParallel, "scf.for": (*elaborator).scfFor, "scf.if": (*elaborator).scfIf,
		"scf.parallel": (*elaborator).scfParallel, "scf.reduce": (*elaborator).reduce,
		"affine.vector_load": (*elaborator).vectorLoad, "affine.vector_store": (*elaborator).vectorStore,
		"vector.load": (*elaborator).vectorLoad, "vector.store": (*elaborator).vectorStore,
		"vector.transfer_read": (*elaborator).transferRead, "vector.transfer_write": (*elaborator).transferWrite,
		"vector.broadcast": (*elaborator).broadcast, "vector.splat": (*elaborator).broadcast,
		"linalg.generic": (*elaborator).linalgGeneric, "linalg.copy": (*elaborator).linalgCopy,
		"linalg.fill": (*elaborator).linalgFill, "linalg.index": (*elaborator).linalgIndex,
	}
	for name := range arithOps {
		elaborators[name] = (*elaborator).arithmetic
	}
	for _, name := range conversions {
		elaborators[name] = (*elaborator).conversion
	}
	for name := range contractions {
		elaborators[name] = (*elaborator).contraction
	}
}
