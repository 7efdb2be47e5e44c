// Package machines runs models of accelerators and drivers of them at random, each by two or three parties that share
// nothing, and says in what they differ.
//
//	Bench    a machine for the simulator, for the symbolic executor and, where there is one, in plain Go
//	         (bench.go, plain.go); it draws streams of instructions (streams.go)
//	Stream   a run of a machine: memories, and the inputs of each step
//	Driven   a run of a driver (drivers.go), which a kernel by gonum is held against (driverkernels.go: integers;
//	         adaptivekernels.go: AdaptivFloat)
//
// Streams and runs of drivers are data: they go into files and come back. What draws gets its random source from the
// caller.
package machines

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"tv/hwmodels"
	"tv/ila"
	"tv/ila/run"
	"tv/semantics/term"
)

// A Bench is a machine twice, for each executor one: what is wrong with either model shows.
type Bench struct {
	Machine  hwmodels.Machine
	simulate *ila.Model
	symbolic *ila.Model
	syllabus *syllabus
}

// NewBench makes both models anew: that of the simulator first.
func NewBench(m hwmodels.Machine) *Bench {
	b := &Bench{Machine: m, simulate: m.New(), symbolic: m.New()}
	b.syllabus = newSyllabus(b.simulate)
	return b
}

// A Stream is a run of a machine: what is in its memories before, and the inputs of each step. Memories in
// Symbolic hold terms when the symbolic executor runs.
type Stream struct {
	Machine  string                       `json:"machine"`
	Cells    map[string]map[uint64]uint64 `json:"cells"` // by memory
	Symbolic []string                     `json:"symbolic,omitempty"`
	Steps    [][]uint64                   `json:"steps"`
}

// Sizes of streams.
const (
	streamSteps = 24
	likeSteps   = 900 // of those like a driver's program: an LSTM is one of them
	streamTries = 300 // steps drawn, faulty ones included
	streamCells = 768
	indexWidth  = 32   // bits of a cell that may hold indices: these are 0 mostly in half of the streams
	mostMicro   = 8000 // steps of children of a stream
)

// errTooLong ends a run whose children take too many steps.
var errTooLong = errors.New("too long")

// Draw draws a stream, half of them like the programs of the drivers given, most of whose steps are legal: what it proposes and the simulator refuses is left out,
// but for a fault now and then, which both executors have to see.
func (b *Bench) Draw(rng *rand.Rand, like []hwmodels.Driver) *Stream {
	var s *Stream
	var propose func(last []uint64) []uint64
	most := likeSteps
	if len(like) > 0 && rng.IntN(2) == 0 {
		s, propose = b.drawLike(like[rng.IntN(len(like))], rng)
	}
	if s == nil {
		s, propose = b.drawFree(rng)
		most = streamSteps
	}
	sim, trace := b.simulator(s)
	legal := 0
	var last []uint64
	for try := 0; try < max(streamTries, most) && legal < most; try++ {
		values := propose(last)
		if values == nil {
			break
		}
		taken := trace.taken
		err := step(sim, values)
		if errors.Is(err, errTooLong) {
			break
		}
		if err == nil {
			legal++
			last = values
		} else if nothing := trace.taken == taken; rng.IntN(16) > 0 && (nothing || rng.IntN(2) > 0) {
			if nothing {
				continue
			}
			if sim, trace = b.simulator(s); !replaySteps(sim, s.Steps) {
				break
			}
			continue
		}
		s.Steps = append(s.Steps, values)
	}
	return s
}

// drawFree draws memories, and steps one by one.
func (b *Bench) drawFree(rng *rand.Rand) (s *Stream, propose func(last []uint64) []uint64) {
	s = &Stream{Machine: b.Machine.Name, Cells: map[string]map[uint64]uint64{}}
	mems := memories(b.simulate)
	for _, name := range slices.Sorted(maps.Keys(mems)) {
		v := mems[name]
		s.Cells[name] = map[uint64]uint64{}
		kind := rng.IntN(4)
		if v.Width == indexWidth {
			kind &= 1
		}
		for at := range min(v.Depth, uint64(rng.IntN(streamCells))) {
			value := edgeBits(rng, v.Width)
			if kind == 0 { // 0 mostly: indices, say
				value = uint64(max(0, rng.IntN(12)-9)) & term.Ones(v.Width)
			}
			s.Cells[name][at] = value
		}
		if rng.IntN(2) == 0 && kind != 0 {
			s.Symbolic = append(s.Symbolic, name)
		}
	}
	return s, func(last []uint64) []uint64 { return b.syllabus.draw(rng, last) }
}

// drawLike draws what a driver's program begins with, and proposes its steps, some of them left out, repeated
// or changed; nil where the driver is for another machine after all.
func (b *Bench) drawLike(d hwmodels.Driver, rng *rand.Rand) (s *Stream, propose func(last []uint64) []uint64) {
	c := Drive(d, rng)
	if c == nil || c.Task.Model.Name != b.Machine.Name {
		return nil, nil
	}
	env := c.Task.Environment(c.Inputs)
	s = &Stream{Machine: b.Machine.Name, Cells: map[string]map[uint64]uint64{}}
	for _, in := range c.Task.Init {
		if s.Cells[in.Memory.Name] == nil {
			s.Cells[in.Memory.Name] = map[uint64]uint64{}
		}
		s.Cells[in.Memory.Name][in.Address] = env.Value(in.Value)
	}
	var steps [][]uint64
	for _, st := range c.Task.Steps[:min(len(c.Task.Steps), likeSteps)] {
		var values []uint64
		for _, v := range st.Terms(c.Task.Model) {
			values = append(values, env.Value(v))
		}
		steps = append(steps, values)
	}
	at, rate := 0, []int{1000, 60, 12, 4}[rng.IntN(4)] // one step in so many is not the driver's
	if rng.IntN(2) == 0 {
		steps, rate = b.without(s, steps, rng), 1000
	}
	return s, func(last []uint64) []uint64 {
		if at >= len(steps) {
			return nil
		}
		values := steps[at]
		if rng.IntN(rate) > 0 {
			at++
			return values
		}
		switch rng.IntN(4) {
		case 0: // left out
			at++
		case 1: // changed
			at++
			return b.syllabus.change(rng, values)
		}
		if last != nil && rng.IntN(2) == 0 { // more than there are
			return b.syllabus.change(rng, last)
		}
		return b.syllabus.change(rng, values)
	}
}

// without leaves out all steps that one instruction takes, and fills the memories with anything instead: a machine
// runs operations then that no driver writes.
func (b *Bench) without(s *Stream, steps [][]uint64, rng *rand.Rand) [][]uint64 {
	sim, trace := b.simulator(s)
	count, first := sim.Trace, ""
	sim.Trace = func(model, instruction string) {
		if first == "" {
			first = model + "." + instruction
		}
		count(model, instruction)
	}
	taken := make([]string, len(steps))
	for i, values := range steps {
		trace.taken, first = 0, ""
		_ = step(sim, values) // where it fails or is too long, it was taken nevertheless
		taken[i] = first
	}
	names := slices.Compact(slices.Sorted(slices.Values(taken)))
	left := names[rng.IntN(len(names))]
	var kept [][]uint64
	for i, values := range steps {
		if taken[i] != left {
			kept = append(kept, values)
		}
	}
	mems := memories(b.simulate)
	for _, name := range slices.Sorted(maps.Keys(mems)) {
		v := mems[name]
		if s.Cells[name] == nil {
			s.Cells[name] = map[uint64]uint64{}
		}
		for at := range min(v.Depth, streamCells) {
			if _, ok := s.Cells[name][at]; !ok {
				s.Cells[name][at] = rng.Uint64() & term.Ones(v.Width)
			}
		}
	}
	return kept
}

// step takes one step in a simulator; a run of children that is too long is an error.
func step(sim *run.Simulator, values []uint64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if r != any(errTooLong) {
				panic(r)
			}
			err = errTooLong
		}
	}()
	return sim.Step(values...)
}

// replaySteps takes steps again.
func replaySteps(sim *run.Simulator, steps [][]uint64) bool {
	for _, values := range steps {
		if errors.Is(step(sim, values), errTooLong) {
			return false
		}
	}
	return true
}

// memories are those of a model and of its children, by name.
func memories(m *ila.Model) map[string]*ila.Var {
	out := map[string]*ila.Var{}
	for i, v := range m.Variables() {
		if v.Depth > 0 {
			name := v.Name
			if out[name] != nil {
				name = fmt.Sprintf("%s#%d", name, i)
			}
			out[name] = v
		}
	}
	return out
}

// A trace lists the instructions that took place, each run of one once.
type trace struct {
	names []string
	taken int
}

// simulator returns one with the memories of a stream, and its trace. Too many steps of children end it.
func (b *Bench) simulator(s *Stream) (*run.Simulator, *trace) {
	sim := run.NewSimulator(b.simulate)
	mems := memories(b.simulate)
	for name, cells := range s.Cells {
		for at, value := range cells {
			if v := mems[name]; v != nil && at < v.Depth {
				sim.SetCell(v, at, value)
			}
		}
	}
	t := &trace{}
	sim.Trace = func(model, instruction string) {
		if t.taken++; t.taken > mostMicro {
			panic(errTooLong)
		}
		if name := model + "." + instruction; len(t.names) == 0 || t.names[len(t.names)-1] != name {
			t.names = append(t.names, name)
		}
	}
	return sim, t
}

// Run runs a stream in all executors and says in what they differ: "" in nothing. It names what was taken, "vta.gemm", what
// came after what, and faults, "vta.gemm!cell-unwritten".
func (b *Bench) Run(s *Stream) (covered []string, differ string) {
	sim, trace := b.simulator(s)
	task := &ila.Task{Model: b.symbolic}
	sym := run.NewSymbolic(b.symbolic)
	var inputs [][]uint64
	mems := memories(b.symbolic)
	for _, name := range slices.Sorted(maps.Keys(s.Cells)) {
		v, cells := mems[name], s.Cells[name]
		if v == nil || len(cells) == 0 {
			continue
		}
		var x *ila.Tensor
		if slices.Contains(s.Symbolic, name) {
			x = task.Declare(name, v.Width, false, len(cells))
			inputs = append(inputs, make([]uint64, len(cells)))
		}
		for i, at := range slices.Sorted(maps.Keys(cells)) {
			value := b.symbolic.B.Bits(v.Width, cells[at])
			if x != nil {
				inputs[len(inputs)-1][i] = cells[at]
				value = task.Element(x, i)
			}
			if at < v.Depth {
				sym.SetCell(v, at, value)
			}
		}
	}
	env := task.Environment(inputs)
	env.Remember()
	covered = []string{}
	for n, values := range s.Steps {
		if len(values) != len(b.symbolic.Inputs) {
			return covered, ""
		}
		errSim := step(sim, values)
		if errors.Is(errSim, errTooLong) {
			return covered, ""
		}
		terms := make([]*term.Term, len(values))
		for i, in := range b.symbolic.Inputs {
			terms[i] = b.symbolic.B.Bits(in.Width, values[i])
		}
		errSym := sym.Step(terms...)
		var fault *ila.Fault
		if errors.As(errSym, &fault) && fault.Code == ila.CodeSymbolic {
			return covered, "" // control hangs on data: the symbolic executor says so
		}
		if how := faultsDiffer(errSim, errSym); how != "" {
			return covered, fmt.Sprintf("step %d: %s", n, how)
		}
		if errors.As(errSim, &fault) {
			covered = append(covered, b.Machine.Name+"."+fault.Instruction+"!"+fault.Code)
		}
	}
	for i, name := range trace.names {
		if covered = append(covered, name); i > 0 {
			covered = append(covered, trace.names[i-1]+">"+name)
		}
	}
	slices.Sort(covered)
	covered = slices.Compact(covered)
	if differ := b.differ(sim, sym, env); differ != "" {
		return covered, differ
	}
	return covered, b.plainly(s)
}

// faultsDiffer compares what became of a step.
func faultsDiffer(sim, sym error) string {
	text := func(err error) string {
		var f *ila.Fault
		if errors.As(err, &f) {
			return f.Code + " in " + f.Instruction
		}
		if err != nil {
			return err.Error()
		}
		return "no fault"
	}
	if a, b := text(sim), text(sym); a != b {
		return fmt.Sprintf("%s in the simulator, %s in the symbolic executor", a, b)
	}
	return ""
}

// differ compares all state.
func (b *Bench) differ(sim *run.Simulator, sym *run.Symbolic, env *ila.Environment) string {
	others := b.symbolic.Variables()
	for i, v := range b.simulate.Variables() {
		o := others[i]
		if v.Depth == 0 {
			if x, y := sim.Bits(v), env.Value(sym.Bits(o)); x != y {
				return fmt.Sprintf("%s is %d in the simulator and %d in the symbolic executor", v.Name, x, y)
			}
			continue
		}
		type cell struct{ at, value uint64 }
		var cells []cell
		sim.Cells(v, func(at, value uint64) { cells = append(cells, cell{at, value}) })
		n, how := 0, ""
		sym.Cells(o, func(at uint64, t *term.Term) {
			if how != "" {
				return
			}
			if value := env.Value(t); n >= len(cells) || cells[n] != (cell{at, value}) {
				how = fmt.Sprintf("%s[%d] is %d in the symbolic executor, and not in the simulator", v.Name, at,
					value)
			}
			n++
		})
		if how == "" && n < len(cells) {
			how = fmt.Sprintf("%s[%d] is %d in the simulator, and has no value in the symbolic executor", v.Name,
				cells[n].at, cells[n].value)
		}
		if how != "" {
			return how
		}
	}
	return ""
}

// Smaller drops steps, then cells, and makes inputs 0, while keep holds, which it asks so many times at most.
func (s *Stream) Smaller(tries int, keep func(*Stream) bool) *Stream {
	clone := func() *Stream {
		c := &Stream{Machine: s.Machine, Cells: map[string]map[uint64]uint64{},
			Symbolic: slices.Clone(s.Symbolic)}
		for name, cells := range s.Cells {
			c.Cells[name] = maps.Clone(cells)
		}
		for _, values := range s.Steps {
			c.Steps = append(c.Steps, slices.Clone(values))
		}
		return c
	}
	try := func(change func(c *Stream)) bool {
		if tries--; tries < 0 {
			return false
		}
		c := clone()
		if change(c); keep(c) {
			s = c
			return true
		}
		return false
	}
	for i := len(s.Steps) - 1; i >= 0; i-- {
		try(func(c *Stream) { c.Steps = slices.Delete(c.Steps, i, i+1) })
	}
	for _, name := range slices.Sorted(maps.Keys(s.Cells)) {
		try(func(c *Stream) {
			c.Symbolic = slices.DeleteFunc(c.Symbolic, func(m string) bool { return m == name })
		})
		for size := len(s.Cells[name]); size > 0; size /= 2 {
			list := slices.Sorted(maps.Keys(s.Cells[name]))
			for lo := 0; lo < len(list); lo += size {
				part := list[lo:min(lo+size, len(list))]
				try(func(c *Stream) {
					maps.DeleteFunc(c.Cells[name], func(at, _ uint64) bool { return slices.Contains(part, at) })
				})
			}
		}
	}
	for i := range s.Steps {
		for j := range s.Steps[i] {
			if s.Steps[i][j] != 0 {
				try(func(c *Stream) { c.Steps[i][j] = 0 })
			}
		}
	}
	return s
}
