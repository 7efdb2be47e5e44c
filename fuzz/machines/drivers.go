package machines

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tv/hwmodels"
	"tv/ila"
	"tv/ila/run"
	"tv/semantics/term"
)

// Kinds of what is wrong with models.
const (
	KindExecutors = "simulator against symbolic executor"
	KindContract  = "driver against contract"
	KindKernel    = "contract against kernel"
)

// A Driven is a run of a driver: sizes, and the operands, row-major, as bit-vectors.
type Driven struct {
	Driver string     `json:"driver"`
	Sizes  []int      `json:"sizes"`
	Inputs [][]uint64 `json:"inputs"`
	Task   *ila.Task  `json:"-"`
}

// Drive draws sizes that a driver takes, and operands; nil where no sizes that were drawn fit.
func Drive(d hwmodels.Driver, rng *rand.Rand) *Driven {
	for range driverTries {
		c := &Driven{Driver: d.Name}
		work := 1
		for range d.Arity + rng.IntN(d.Optional+1) {
			n := driverSizes[rng.IntN(len(driverSizes))]
			c.Sizes = append(c.Sizes, n)
			work *= n
		}
		if work > driverWork {
			continue
		}
		task, err := d.New(c.Sizes)
		if err != nil {
			continue
		}
		c.Task = task
		kind := rng.IntN(4)
		for _, x := range task.Inputs {
			values := make([]uint64, x.Size())
			for i := range values {
				values[i] = edgeBits(rng, x.Width)
				switch {
				case kind == 0: // ends of the range alone: sums grow
					ends := []uint64{1 << (x.Width - 1), term.Ones(x.Width - 1), term.Ones(x.Width)}
					values[i] = ends[rng.IntN(3)]
				case kind == 1 && rng.IntN(8) > 0:
					values[i] = 0
				}
			}
			c.Inputs = append(c.Inputs, values)
		}
		return c
	}
	return nil
}

// What runs of drivers are like.
const (
	driverTries = 400     // a convolution has seven sizes, which seldom fit each other
	driverWork  = 1 << 13 // product of the sizes
)

var driverSizes = []int{1, 2, 3, 4, 5, 7, 16, 16, 32, 48}

// Judge runs the driver's program and says what is wrong, with a kind; "" nothing.
func (c *Driven) Judge() (kind, detail string) {
	sim := run.NewSimulator(c.Task.Model)
	out, err := sim.Run(c.Task, c.Inputs)
	if err != nil {
		return KindContract, err.Error()
	}
	env := c.Task.Environment(c.Inputs)
	env.RememberFor(c.Task.Contract(len(out) / 2))
	want := make([]uint64, len(out))
	for flat := range out {
		if want[flat] = env.Value(c.Task.Contract(flat)); want[flat] != out[flat] {
			return KindContract, fmt.Sprintf("element %d of the output: the contract says %d, the machine %d", flat,
				want[flat], out[flat])
		}
	}
	kernel := driverKernels[c.Driver]
	if kernel == nil {
		return "", ""
	}
	for flat, v := range kernel(c) {
		if v.differs(want[flat], c.Task.Output.Width) {
			return KindKernel, fmt.Sprintf("element %d of the output: the kernel says %s, the contract %d", flat, v,
				want[flat])
		}
	}
	return "", ""
}

// Smaller makes sizes smaller, on operands drawn anew, and then operands 0 in ever smaller pieces, while the
// same kind is wrong, in so many tries at most.
func (c *Driven) Smaller(d hwmodels.Driver, kind string, tries int) *Driven {
	rng := rand.New(rand.NewPCG(1, 0x736d616c6c))
	for i := range c.Sizes {
		for _, n := range driverSizes {
			if n >= c.Sizes[i] {
				break
			}
			one := d
			one.New = func([]int) (*ila.Task, error) {
				sizes := slices.Clone(c.Sizes)
				sizes[i] = n
				return d.New(sizes)
			}
			found := false
			for try := 0; try < 4 && !found; try++ {
				less := Drive(one, rng)
				if less == nil {
					break
				}
				less.Sizes = slices.Clone(c.Sizes)
				less.Sizes[i] = n
				if k, _ := less.Judge(); k == kind {
					c, found = less, true
				}
			}
			if found {
				break
			}
		}
	}
	for i := range c.Inputs {
		for size := len(c.Inputs[i]); size > 0; size /= 2 {
			for lo := 0; lo < len(c.Inputs[i]) && tries > 0; lo += size {
				part := c.Inputs[i][lo:min(lo+size, len(c.Inputs[i]))]
				saved := slices.Clone(part)
				clear(part)
				if tries--; slices.Equal(part, saved) {
					continue
				}
				if k, _ := c.Judge(); k != kind {
					copy(part, saved)
				}
			}
		}
	}
	return c
}

// HasKernel tells whether a kernel is held against the contracts of a driver.
func HasKernel(driver string) bool { return driverKernels[driver] != nil }
