package nofit

import "fmt"

// lane is the width of the shortest lane of USE_SIMD: there is no product then, and its carries go no further.
const lane = 12

// tables hold what a word at X may differ by where it differs first, so that some C beside it makes the result right: by experiment, and
// by cycle from At on.
type tables struct {
	products, others []map[uint64]bool // of sums
	parities         []map[uint64]bool
	at               [][]int // place of an experiment and cycle
}

// mask has the bits of the output that a word decides.
func (c *checker) mask(product bool) uint64 {
	if w := min(c.Width, lane); !product {
		return 1<<w - 1
	}
	return 1<<c.Width - 1
}

// last is the cycle, from At on, in which the outputs are to differ.
func (c *checker) last() int { return c.Latency - c.registered }

// wanted is how the outputs of both runs are to differ.
func (c *checker) wanted(e, cycle int) (difference, parity uint64) {
	if cycle < c.last() {
		return 0, 0
	}
	x := &c.list[e]
	return x.Other - x.Want[x.At], x.Other ^ x.Want[x.At]
}

// C enters a sum through W, Y and Z, each with a sign that is that of X but for Z: beside a product not through Y. Over all it counts so often,
// or once more.
func coefficients(product bool) []uint64 {
	if product {
		return []uint64{^uint64(1), ^uint64(0), 0, 1, 2}
	}
	return []uint64{^uint64(2), ^uint64(1), ^uint64(0), 0, 1, 2, 3}
}

// carries are what a carry may differ by: one that is kept does not, but CARRYINSEL 6 is made of inputs.
var carries = []uint64{0, 1, ^uint64(0)}

// beside are what C may be, and nothing.
func (c *checker) beside() []signal {
	return append([]signal{{"0", func(int, int, int) uint64 { return 0 }, false}}, c.c...)
}

func (c *checker) tables() *tables {
	t := &tables{}
	beside := c.beside()
	for e := range c.list {
		var places []int
		for j := range c.last() + 1 {
			places = append(places, len(t.parities))
			difference, parity := c.wanted(e, j)
			at := c.list[e].At + j
			products, others, parities := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
			for _, s := range beside {
				first, second := s.at(e, 0, at), s.at(e, 1, at)
				parities[(parity^first^second)&c.mask(true)] = true
				parities[parity&c.mask(true)] = true
				for _, carry := range carries {
					for _, k := range coefficients(false) {
						d := difference - k*(second-first) + carry
						others[d&c.mask(false)], others[-d&c.mask(false)] = true, true
					}
					for _, k := range coefficients(true) {
						d := difference - k*(second-first) + carry
						products[d&c.mask(true)], products[-d&c.mask(true)] = true, true
					}
				}
			}
			t.products, t.others, t.parities = append(t.products, products), append(t.others, others), append(t.parities, parities)
		}
		t.at = append(t.at, places)
	}
	return t
}

// informative refuses experiments in which C differs too early by what could be a carry, or shows in no bit: then nothing follows for
// words that differ later. Tables take for granted that this is not so.
func (c *checker) informative() error {
	for e := range c.list {
		for _, s := range c.c {
			for j := range c.last() {
				first, second := s.at(e, 0, c.list[e].At+j), s.at(e, 1, c.list[e].At+j)
				if first == second {
					continue
				}
				if (first^second)&c.mask(false) == 0 {
					return fmt.Errorf("experiment %d: %s differs in bits that are not read", e, s.name)
				}
				for _, k := range coefficients(false) {
					for _, carry := range carries {
						if k != 0 && (k*(second-first)+carry)&c.mask(false) == 0 {
							return fmt.Errorf("experiment %d: %s differs by what a carry might", e, s.name)
						}
					}
				}
				break
			}
		}
	}
	return nil
}

// run has all that may be at X fail.
func (c *checker) run() error {
	t := c.tables()
	return c.words(func(w word) error {
		if c.mayAdd(t, &w) {
			if err := c.additions(&w); err != nil {
				return err
			}
		}
		if c.mayXor(t, &w) {
			if err := c.parities(&w); err != nil {
				return err
			}
		}
		if c.mayCover(&w) {
			return c.majorities(&w)
		}
		return nil
	})
}

// differs is the first cycle from At on in which a word differs, not beyond the last, and its values there.
func (c *checker) differs(e int, w *word) (j int, first, second uint64) {
	for j = 0; ; j++ {
		at := c.list[e].At + j
		if first, second = w.at(e, 0, at), w.at(e, 1, at); first != second || j == c.last() {
			return j, first, second
		}
	}
}

// mayAdd tells whether some C may make sums right, in each experiment by itself.
func (c *checker) mayAdd(t *tables, w *word) bool {
	allowed, mask := t.others, c.mask(w.product)
	if w.product {
		allowed = t.products
	}
	for e := range c.list {
		j, first, second := c.differs(e, w)
		if !allowed[t.at[e][j]][(second-first)&mask] {
			return false
		}
	}
	return true
}

// mayXor is the same of parities.
func (c *checker) mayXor(t *tables, w *word) bool {
	for e := range c.list {
		j, first, second := c.differs(e, w)
		if !t.parities[t.at[e][j]][(first^second)&c.mask(true)] {
			return false
		}
	}
	return true
}

// additions tries each C beside a word, in all experiments.
func (c *checker) additions(w *word) error {
	for _, s := range c.beside() {
		for _, k := range coefficients(w.product) {
			for _, sign := range []uint64{1, ^uint64(0)} {
				if c.adds(w, s, k, sign) {
					return fmt.Errorf("a sum of %s and %d times %s is not shown to be wrong", w.name, int64(k), s.name)
				}
			}
		}
	}
	return nil
}

func (c *checker) adds(w *word, s signal, k, sign uint64) bool {
	mask := c.mask(w.product)
	for e := range c.list {
		for j := range c.last() + 1 {
			at := c.list[e].At + j
			dx, dc := w.at(e, 1, at)-w.at(e, 0, at), k*(s.at(e, 1, at)-s.at(e, 0, at))
			d := sign*dx + dc
			// In lanes, words that cancel may still carry differently: then P need not be the same.
			if same := d&bits48 == 0; j < c.last() && same && (w.product || dx == 0 && dc == 0) {
				continue
			}
			want, _ := c.wanted(e, j)
			some := false
			for _, carry := range carries {
				some = some || (d+carry-want)&mask == 0
			}
			if !some {
				return false
			}
			if c.registered == 1 { // P differs from now on, and what is made of it
				break
			}
		}
	}
	return true
}

// parities tries each C beside a word, in all experiments.
func (c *checker) parities(w *word) error {
	for _, s := range c.beside() {
		right := true
		for e := range c.list {
			for j := range c.last() + 1 {
				at := c.list[e].At + j
				d := (w.at(e, 1, at) ^ w.at(e, 0, at) ^ s.at(e, 1, at) ^ s.at(e, 0, at)) & bits48
				if d == 0 && j < c.last() {
					continue
				}
				_, want := c.wanted(e, j)
				right = right && (d^want)&c.mask(true) == 0
				break
			}
		}
		if right {
			return fmt.Errorf("a parity of %s and %s is not shown to be wrong", w.name, s.name)
		}
	}
	return nil
}

// mayCover tells whether a conjunction of a product with anything, or its complement, may be right: with Y at 0 the majority is no more.
func (c *checker) mayCover(w *word) bool {
	if !w.product {
		return true
	}
	plain, inverted := true, true
	for e := range c.list {
		x := &c.list[e]
		for run, want := range []uint64{x.Want[x.At], x.Other} {
			m := w.at(e, run, x.At+c.last())
			plain = plain && want&^m&c.mask(true) == 0
			inverted = inverted && ^want&^m&c.mask(true) == 0
		}
		if !plain && !inverted {
			return false
		}
	}
	return true
}

// An argument of a majority is a word of both runs, or one that is not known but the same in both.
type argument struct {
	name  string
	known func(e, run, cycle int) uint64 // nil: not known
}

func (c *checker) majorities(w *word) error {
	unknown := argument{"P", nil}
	constant := func(name string, v uint64) argument {
		return argument{name, func(int, int, int) uint64 { return v }}
	}
	xs := []argument{{w.name, w.at}}
	if w.name == "nothing" {
		xs = append(xs, unknown)
	}
	for _, x := range xs {
		ys := []argument{constant("0", 0)}
		if !w.product {
			ys = append(ys, constant("-1", bits48))
		}
		for _, y := range ys {
			if err := c.majority(x, y, unknown); err != nil {
				return err
			}
		}
		for _, s := range c.c {
			is, not := argument{s.name, s.at}, argument{"not " + s.name, func(e, r, t int) uint64 { return ^s.at(e, r, t) & bits48 }}
			more := ys
			if !w.product {
				more = append(more[:len(more):len(more)], is)
				if err := c.majority(x, is, unknown); err != nil {
					return err
				}
			}
			for _, y := range more {
				for _, z := range []argument{is, not} {
					if err := c.majority(x, y, z); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// majority has the majority of three words be wrong, and its complement.
func (c *checker) majority(args ...argument) error {
	for _, inverted := range []uint64{0, bits48} {
		right := true
		for e := range c.list {
			if right = c.majorityFits(e, args, inverted); !right {
				break
			}
		}
		if right {
			return fmt.Errorf("a majority of %s, %s and %s is not shown to be wrong", args[0].name, args[1].name, args[2].name)
		}
	}
	return nil
}

func (c *checker) majorityFits(e int, args []argument, inverted uint64) bool {
	x := &c.list[e]
	for j := range c.last() + 1 {
		at := x.At + j
		var value [2][3]uint64
		differ := false
		for i, a := range args {
			if a.known != nil {
				value[0][i], value[1][i] = a.known(e, 0, at), a.known(e, 1, at)
				differ = differ || value[0][i] != value[1][i]
			}
		}
		if !differ && j < c.last() {
			continue
		}
		want := [2]uint64{x.Want[at-c.last()], x.Want[at-c.last()]}
		if j == c.last() {
			want[1] = x.Other
		}
		fits := uint64(0) // bits for which some values of what is not known are right in both runs
		for free := range 4 {
			both := c.mask(true)
			for run := range 2 {
				v := value[run]
				for i, bit := range []int{0, 2} { // Y is known
					if args[bit].known == nil {
						v[bit] = -uint64(free >> i & 1)
					}
				}
				both &= ^((v[0]&v[1] | v[0]&v[2] | v[1]&v[2]) ^ inverted ^ want[run])
			}
			fits |= both
		}
		return fits == c.mask(true)
	}
	return false
}
