package nofit

import "fmt"

const (
	bits48 = 1<<48 - 1
	delays = 3 // of A and B: 0, 1 or 2 registers
)

// A signal is a word of 48 bits in both runs of each experiment, by cycle.
type signal struct {
	name string
	at   func(experiment, run, cycle int) uint64
	wide bool // an operand that B is too short for
}

// A checker enumerates slices with as many registers of P as registered says.
type checker struct {
	Question
	list       []Experiment
	registered int
	a, b, c, d []signal // what may be at these pins, at the width of the pin, delayed as the slice can
	high, low  []signal // at A and B, where A:B is one word: the bits from 18 on of an operand, and those below, if it has more than B
}

func newChecker(q Question, list []Experiment, registered int) *checker {
	c := &checker{Question: q, list: list, registered: registered}
	c.a = delayed(c.sources(30), delays)
	c.b = delayed(c.sources(18), delays)
	c.c = delayed(c.sources(48), 2)
	c.d = delayed(c.sources(27), 2)
	for _, s := range delayed(c.sources(48), delays) {
		c.high = append(c.high, signal{s.name + "[47:18]", func(e, r, t int) uint64 { return s.at(e, r, t) >> 18 }, false})
		if s.wide {
			c.low = append(c.low, signal{s.name + "[17:0]", func(e, r, t int) uint64 { return s.at(e, r, t) & (1<<18 - 1) }, false})
		}
	}
	return c
}

// operand is input i in a run.
func (c *checker) operand(e, run, cycle, i int) uint64 {
	x := &c.list[e]
	if run == 1 && cycle == x.At {
		return x.Changed[i]
	}
	return x.First[cycle][i]
}

// sources are what pins of a width may have: constants and operands.
func (c *checker) sources(width int) []signal {
	all := uint64(1)<<width - 1
	out := []signal{{"0", func(int, int, int) uint64 { return 0 }, false}, {"-1", func(int, int, int) uint64 { return all }, false}}
	for i, w := range c.Widths {
		if w > width {
			continue
		}
		out = append(out, signal{fmt.Sprintf("operand %d", i), func(e, r, t int) uint64 { return c.operand(e, r, t, i) }, w > 18})
		if w < width {
			out = append(out, signal{fmt.Sprintf("operand %d with its sign", i), func(e, r, t int) uint64 {
				return uint64(extend(c.operand(e, r, t, i), w)) & all
			}, w > 18})
		}
	}
	return out
}

// delayed has each signal behind 0 to n-1 registers.
func delayed(list []signal, n int) (out []signal) {
	for _, s := range list {
		for d := range n {
			if s.name == "0" && d > 0 || s.name == "-1" && d > 0 { // which are so at all cycles
				continue
			}
			out = append(out, signal{fmt.Sprintf("%s behind %d", s.name, d), func(e, r, t int) uint64 { return s.at(e, r, t-d) }, s.wide})
		}
	}
	return out
}

// extend is a word of a width as a number with a sign.
func extend(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }

// A word is what may be at X: a signal, and whether it is the product, beside which Y has nothing.
type word struct {
	name    string
	product bool
	at      func(experiment, run, cycle int) uint64
}

// words calls each with all that may be at X and is made of inputs. That A1 is 0 without a register, and INMODE[1] and [2], which make A, B or D
// 0, are pins at 0.
func (c *checker) words(each func(word) error) error {
	if err := each(word{"nothing", false, func(int, int, int) uint64 { return 0 }}); err != nil {
		return err
	}
	for _, a := range append(c.a[:len(c.a):len(c.a)], c.high...) {
		for _, b := range append(c.b[:len(c.b):len(c.b)], c.low...) {
			at := func(e, r, t int) uint64 { return a.at(e, r, t)<<18 | b.at(e, r, t) }
			if err := each(word{"A:B of " + a.name + ", " + b.name, false, at}); err != nil {
				return err
			}
		}
	}
	for m := range 2 {
		if err := c.products(m, each); err != nil {
			return err
		}
	}
	return nil
}

// products are those with m registers behind the multiplier.
func (c *checker) products(m int, each func(word) error) error {
	product := func(name string, first, second func(e, r, t int) int64) error {
		return each(word{name, true, func(e, r, t int) uint64 { return uint64(first(e, r, t-m)*second(e, r, t-m)) & bits48 }})
	}
	// PREADDINSEL A and B say which of the two the pre-adder has.
	for _, a := range c.a {
		direct := func(e, r, t int) int64 { return extend(a.at(e, r, t), 27) }
		for _, b := range c.b {
			other := func(e, r, t int) int64 { return extend(b.at(e, r, t), 18) }
			if err := product("product of "+a.name+", "+b.name, direct, other); err != nil {
				return err
			}
		}
		err := c.sums(direct, func(name string, sum func(e, r, t int) int64) error {
			name += " and " + a.name
			low := func(e, r, t int) int64 { return extend(uint64(sum(e, r, t)), 18) }
			for _, b := range c.b {
				other := func(e, r, t int) int64 { return extend(b.at(e, r, t), 18) }
				if err := product("product of "+name+", "+b.name, sum, other); err != nil {
					return err
				}
			}
			if err := product("product of "+a.name+", "+name, direct, low); err != nil {
				return err
			}
			return product("square of "+name, sum, low)
		})
		if err != nil {
			return err
		}
	}
	for _, b := range c.b {
		direct := func(e, r, t int) int64 { return extend(b.at(e, r, t), 18) }
		err := c.sums(direct, func(name string, sum func(e, r, t int) int64) error {
			name += " and " + b.name
			low := func(e, r, t int) int64 { return extend(uint64(sum(e, r, t)), 18) }
			for _, a := range c.a {
				other := func(e, r, t int) int64 { return extend(a.at(e, r, t), 27) }
				if err := product("product of "+a.name+", "+name, other, low); err != nil {
					return err
				}
			}
			if err := product("product of "+name+", "+b.name, sum, direct); err != nil {
				return err
			}
			return product("square of "+name, sum, low)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sums are those of the pre-adder, of 27 bits, with what D may have.
func (c *checker) sums(with func(e, r, t int) int64, each func(string, func(e, r, t int) int64) error) error {
	for _, d := range c.d {
		for ad := range 2 {
			plus := func(e, r, t int) int64 { return extend(uint64(int64(d.at(e, r, t-ad))+with(e, r, t-ad)), 27) }
			minus := func(e, r, t int) int64 { return extend(uint64(int64(d.at(e, r, t-ad))-with(e, r, t-ad)), 27) }
			if err := each(fmt.Sprintf("sum (behind %d) of %s", ad, d.name), plus); err != nil {
				return err
			}
			if err := each(fmt.Sprintf("difference (behind %d) of %s", ad, d.name), minus); err != nil {
				return err
			}
		}
	}
	return nil
}
