package flexasr

import (
	"tv/ila"
	"tv/ila/format"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Phases of attention.
const (
	attendRest    = iota
	attendRead    // a tile of the matrix and a vector of the query
	attendScores  // products of them
	attendMaximum // scores of a block of timesteps, and the greatest so far
	attendTotal   // sum of exponentials
	attendWeights // quotients
	attendTile    // a tile of the matrix, transposed, and a vector of weights
	attendContext // products of them
	attendResult  // a vector of the result
)

const (
	mostScores  = 1 << 10 // timesteps; sources do not say how many the hardware takes
	scoreMasked = -64 << 20
	scoreLeast  = -1 << 30
	fineWidth   = 26 // bits of what is rounded to codes, 20 of them behind the point
)

// attention adds the unit that weighs the rows of a matrix by their products with a query. It returns what decodes.
func (m *Machine) attention() []*term.Term {
	b := m.B
	valid := m.Bits("att_valid", 1, "attention: configuration is valid")
	memory := m.Bits("att_memory", 3, "attention: memory manager of the matrix, in the large buffer")
	query := m.Bits("att_query", 3, "attention: memory manager of the query and the result, in the small buffer")
	numVec := m.Bits("att_num_vec", 8, "attention: vectors of a timestep")
	numTs := m.Bits("att_num_ts", 16, "attention: timesteps")
	var bias [4]*ila.Var
	for i, of := range []string{"the matrix", "the query", "the weights", "the result"} {
		bias[i] = m.Bits("att_bias_"+string(rune('1'+i)), 3, "attention: exponent bias of "+of)
	}
	phase := m.Bits("att_phase", 4, "attention: 0 at rest, 1 rows, 2 scores, 3 maximum, 4 total, 5 weights, 6 tile, 7 context, 8 result")
	block := m.Bits("att_block", 6, "attention: block of 16 timesteps at work")
	vec := m.Bits("att_vec", 8, "attention: vector at work")
	most := m.Bits("att_max", 32, "attention: the greatest score, Q12.20")
	total := m.Bits("att_total", 32, "attention: sum of exponentials, 20 bits behind the point")
	operands := m.Memory("att_operands", productWidth, lanes*lanes+lanes,
		"attention: a tile of the matrix and a vector at work, decoded without their biases")
	sums := m.Memory("att_sums", 32, lanes, "attention: accumulators")
	scores := m.Memory("att_scores", 32, mostScores, "attention: scores, Q12.20")
	m.Invariant("att_phase", "There is a phase of every number in att_phase.", m.lessThan(phase.Term, attendResult+1))
	m.Filled(operands, 0, lanes*lanes+lanes, m.on(phase, attendScores, attendContext))
	m.Filled(sums, 0, lanes, b.Not(m.zero(phase.Term)))
	m.Filled(scores, 0, mostScores, b.Not(m.zero(phase.Term)))
	atConfig, atStart := m.at(addrAttention), m.at(addrStartAttention)

	conf := m.Instruction("config-attention", "Configures attention.", atConfig)
	m.fields(conf, field{valid, fieldValid}, field{memory, fieldMemory1}, field{query, fieldMemory2}, field{numVec, fieldVectors1},
		field{numTs, fieldTimestep1}, field{bias[0], fieldBias1}, field{bias[1], fieldBias2}, field{bias[2], fieldBias3},
		field{bias[3], fieldBias4})
	start := m.Instruction("start-attention", "Replaces the query by the weighted sum of the rows of the matrix.", atStart)
	m.configured(start, "attention", valid, memory, true)
	start.Require(b.Not(b.Or(m.zero(numVec.Term), m.zero(numTs.Term))), ila.CodeOperand, "nothing to do: no timesteps or no vectors")
	start.Require(b.And(m.zero(b.Extract(numTs.Term, 0, 4)), m.lessThan(numTs.Term, mostScores+1)), ila.CodeOperand,
		"timesteps in no blocks of 16, or too many")
	start.Set(phase, m.num(4, attendRead))
	start.Set(block, m.num(6, 0))
	start.Set(vec, m.num(8, 0))
	least := int64(scoreLeast)
	start.Set(most, m.num(32, uint64(least)))
	start.Set(total, m.num(32, 0))
	i, n, k := m.Counter("i", lanes), m.Counter("n", mostScores), m.Counter("k", lanes*lanes)
	start.Each(i, ila.StoreTo{Memory: sums, Address: m.CountAt(i), Value: m.num(32, 0)})
	start.Each(n, ila.StoreTo{Memory: scores, Address: m.CountAt(n), Value: m.num(32, 0)})

	child := m.Child("attention", "Attention, by phase: a tile, a vector or a block of timesteps a step.")
	on := func(name, doc string, at uint64) *ila.Instruction {
		return child.Instruction(name, doc, m.is(phase.Term, at))
	}
	to := func(i *ila.Instruction, cond *term.Term, then, other uint64) {
		i.Set(phase, b.Choose(cond, m.num(4, then), m.num(4, other)))
	}
	// next counts a number up and back to 0 after the last, where a condition holds
	next := func(i *ila.Instruction, v *ila.Var, cond, last *term.Term) {
		i.Set(v, b.Choose(cond, b.Choose(last, m.num(v.Width, 0), m.next(v.Term)), v.Term))
	}
	lastBlock := b.Equal(m.next(b.ExtendU(block.Term, 12)), b.Extract(numTs.Term, 4, 12))
	lastVec := b.Equal(m.next(vec.Term), numVec.Term)
	always := b.Truth(true)

	// the matrix: row of the block and lane of the vector, both counted by k
	timestep := func(row *term.Term) *term.Term {
		return b.ExtendU(b.Concat(block.Term, b.Extract(row, 0, 4)), 16)
	}
	count := m.CountAt(k)
	low, high := b.Extract(count, 0, 4), b.Extract(count, 4, 4)
	entry := func(row, lane *term.Term) *term.Term {
		vector := m.place(memory.Term, timestep(row), vec.Term)
		at := b.AddBits(b.MulBits(m.Address(lanes), vector), m.At(lane))
		return m.decode(m.Load(m.Large, at), nil, productWidth)
	}
	inQuery := func(i *index.Atom) *term.Term { return m.lane(m.smallPlace(query.Term, vec.Term), i) }
	inScratch := func(i *index.Atom) *term.Term {
		return m.lane(b.AddBits(m.At(m.gb.smallBase[managerScratch].Term), m.At(block.Term)), i)
	}
	read := func(name, doc string, at uint64, tile, vector *term.Term) {
		step := on(name, doc, at)
		step.Each(k, ila.StoreTo{Memory: operands, Address: m.CountAt(k), Value: tile})
		step.Each(i, ila.StoreTo{Memory: operands, Address: b.AddBits(m.Address(lanes*lanes), m.CountAt(i)),
			Value: m.decode(vector, nil, productWidth)})
		step.Set(phase, m.num(4, at+1))
	}
	l := m.Counter("l", lanes)
	operand := func(first *term.Term) *term.Term {
		return b.ExtendS(m.Load(operands, b.AddBits(first, m.CountAt(l))), 32)
	}
	multiply := func(name, doc string, at uint64) *ila.Instruction {
		step := on(name, doc, at)
		row := b.MulBits(m.Address(lanes), m.CountAt(i))
		sum := b.Reduce(term.Sum, []*index.Atom{l}, b.MulBits(operand(row), operand(m.Address(lanes*lanes))))
		step.Each(i, ila.StoreTo{Memory: sums, Address: m.CountAt(i), Value: b.AddBits(m.Load(sums, m.CountAt(i)), sum)})
		return step
	}
	clear := func(step *ila.Instruction) {
		step.Each(i, ila.StoreTo{Memory: sums, Address: m.CountAt(i), Value: m.num(32, 0)})
	}
	// shifted takes products without their biases to 20 bits behind the point
	shifted := func(x *term.Term, other *ila.Var) *term.Term {
		both := b.AddBits(b.ExtendU(bias[0].Term, 32), b.ExtendU(other.Term, 32))
		eight := m.num(32, 8)
		return b.Choose(b.LessU(eight, both), b.Shl(x, b.SubBits(both, eight)), b.ShrS(x, b.SubBits(eight, both)))
	}
	// fine returns the code of a number of 20 bits behind the point
	fine := func(x *term.Term, bias *ila.Var) *term.Term {
		code, _ := format.Encode(b, m.quantiser(), x, b.AddBits(b.ExtendU(bias.Term, 4), m.num(4, 6)))
		return code
	}

	read("rows", "Reads and decodes a vector of 16 timesteps of the matrix, and of the query.", attendRead,
		entry(high, low), m.Load(m.Small, inQuery(i)))
	products := multiply("scores", "Adds the products of the timesteps and the query, modulo 2^32.", attendScores)
	next(products, vec, always, lastVec)
	to(products, lastVec, attendMaximum, attendRead)

	maximum := on("maximum", "Shifts scores to Q12.20, a 0 becomes -64; the greatest so far.", attendMaximum)
	masked := int64(scoreMasked)
	score := func(at *term.Term) *term.Term {
		s := m.Load(sums, at)
		return b.Choose(m.zero(s), m.num(32, uint64(masked)), shifted(s, bias[1]))
	}
	inScores := func(at *term.Term) *term.Term { return b.AddBits(b.MulBits(m.Address(lanes), m.At(block.Term)), at) }
	maximum.Each(i, ila.StoreTo{Memory: scores, Address: inScores(m.CountAt(i)), Value: score(m.CountAt(i))})
	clear(maximum)
	greatest := most.Term
	for at := range uint64(lanes) {
		s := score(m.Address(at))
		greatest = b.Choose(b.LessS(greatest, s), s, greatest)
	}
	maximum.Set(most, greatest)
	next(maximum, block, always, lastBlock)
	to(maximum, lastBlock, attendTotal, attendRead)

	exponential := func(at *term.Term) *term.Term {
		return m.Apply(m.fn.exp, b.SubBits(m.Load(scores, inScores(at)), most.Term))
	}
	sum := on("total", "Adds the exponentials of scores less the greatest.", attendTotal)
	sum.Set(total, b.AddBits(total.Term, b.Reduce(term.Sum, []*index.Atom{l}, exponential(m.CountAt(l)))))
	next(sum, block, always, lastBlock)
	to(sum, lastBlock, attendWeights, attendTotal)

	weights := on("weights", "Quotients of the exponentials and their sum, rounded to codes.", attendWeights)
	narrow := func(x *term.Term) *term.Term { return b.Extract(x, 16, 6) }
	quotient := m.Apply(m.fn.share, narrow(exponential(m.CountAt(i))), narrow(total.Term))
	weight := m.Part(fine(b.ExtendU(b.Concat(quotient, m.num(12, 0)), fineWidth), bias[2]), bias[2].Term, quotient)
	weights.Each(i, ila.StoreTo{Memory: m.Small, Address: inScratch(i), Value: weight})
	next(weights, block, always, lastBlock)
	to(weights, lastBlock, attendTile, attendWeights)

	read("tile", "Reads and decodes a vector of 16 timesteps of the matrix, transposed, and their weights.", attendTile,
		entry(low, high), m.Load(m.Small, inScratch(i)))
	context := multiply("context", "Adds the products of the matrix and the weights, modulo 2^32.", attendContext)
	next(context, block, always, lastBlock)
	to(context, lastBlock, attendResult, attendTile)

	result := on("result", "Shifts the sums to 20 bits behind the point, whose low 26 bits are rounded to codes over the query.", attendResult)
	context26 := b.Extract(shifted(m.Load(sums, m.CountAt(i)), bias[2]), 0, fineWidth)
	result.Each(i, ila.StoreTo{Memory: m.Small, Address: inQuery(i), Value: m.Part(fine(context26, bias[3]), bias[3].Term, context26)})
	clear(result)
	next(result, vec, always, lastVec)
	to(result, lastVec, attendRest, attendTile)
	return []*term.Term{atConfig, atStart}
}
