package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tv/hwmodels"
	"tv/ila"
	"tv/internal/source"
	"tv/semantics/term"
)

// Models hunts for faults of machines and drivers. A case of a machine runs a random stream of instructions
// in the simulator and in the symbolic executor, which must agree on every fault and on all state. A case of
// a driver runs the program that it makes, for random sizes and operands, in the simulator; the output must
// be what the contract says, and the contract what a kernel says, where there is one.
type Models struct {
	machines []hwmodels.Machine
	drivers  []hwmodels.Driver

	once sync.Once
	of   map[string][]hwmodels.Driver // all drivers by machine

	mu      sync.Mutex
	reached map[string]bool // instructions that some stream took, "pe.load", or that failed, "load"
}

// driversOf returns the drivers for a machine, whose programs streams may be like.
func (t *Models) driversOf(machine string) []hwmodels.Driver {
	t.once.Do(func() {
		t.of = map[string][]hwmodels.Driver{}
		for _, d := range hwmodels.Drivers() {
			if _, c := drawDriver(d, rand.New(rand.NewPCG(0, 0))); c != nil {
				t.of[c.task.Model.Name] = append(t.of[c.task.Model.Name], d)
			}
		}
	})
	return t.of[machine]
}

// NewModels prepares the hunt in the machines and drivers of the given names; none are all.
// Errors: those of names that there are not.
func NewModels(names []string) (*Models, error) {
	t := &Models{}
	known := []string{}
	for _, m := range hwmodels.Machines() {
		known = append(known, m.Name)
		if len(names) == 0 || slices.Contains(names, m.Name) {
			t.machines = append(t.machines, m)
		}
	}
	for _, d := range hwmodels.Drivers() {
		known = append(known, d.Name)
		if len(names) == 0 || slices.Contains(names, d.Name) {
			t.drivers = append(t.drivers, d)
		}
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, &source.Error{Code: CodeModelName,
				Msg: fmt.Sprintf("there is no machine or driver %q; there are %s", n, strings.Join(known, ", "))}
		}
	}
	return t, nil
}

// CodeModelName is the code of a name that no machine or driver has.
const CodeModelName = "machine-unknown"

// Name returns "models".
func (t *Models) Name() string { return "models" }

// ID names the machines and drivers.
func (t *Models) ID() string {
	var names []string
	for _, m := range t.machines {
		names = append(names, m.Name)
	}
	for _, d := range t.drivers {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

// Remark counts the instructions of each machine that streams took, and names the others; it names the drivers
// whose contracts no kernel is held against.
func (t *Models) Remark() (text string, nothing bool) {
	var lines, without []string
	known := map[string]bool{}
	for _, m := range t.machines {
		model := m.New()
		if known[model.Name] { // choices of one machine
			continue
		}
		known[model.Name] = true
		all, never := t.instructions(model)
		line := fmt.Sprintf("%s: %d of %d instructions were taken", model.Name, all-len(never), all)
		if len(never) > 0 {
			line += ", but not " + strings.Join(never, ", ")
		}
		lines = append(lines, line)
	}
	for _, d := range t.drivers {
		if driverKernels[d.Name] == nil {
			without = append(without, d.Name)
		}
	}
	if len(without) > 0 {
		lines = append(lines, "there is no kernel to hold the contracts of these against: "+
			strings.Join(without, ", "))
	}
	return strings.Join(lines, "\n"), false
}

// instructions counts those of a model and its children, and lists those that no stream reached.
func (t *Models) instructions(m *ila.Model) (all int, never []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var visit func(m *ila.Model)
	visit = func(m *ila.Model) {
		for _, i := range m.Instructions {
			all++
			if name := m.Name + "." + i.Name; !t.reached[name] && !t.reached[i.Name] {
				never = append(never, name)
			}
		}
		for _, child := range m.Children {
			visit(child)
		}
	}
	visit(m)
	return all, never
}

// reach notes the instructions that a stream took.
func (t *Models) reach(names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reached == nil {
		t.reached = map[string]bool{}
	}
	for _, n := range names {
		if at, _, failed := strings.Cut(n, "!"); failed { // a fault does not say in which child it is
			_, n, _ = strings.Cut(at, ".")
		}
		t.reached[n] = true
	}
}

// Worker returns a runner of cases.
func (t *Models) Worker() Worker {
	return &modelsWorker{Models: t, benches: map[string]*bench{}}
}

type modelsWorker struct {
	*Models
	benches map[string]*bench
}

// A bench is a machine twice, for each executor one: what is wrong with either model shows.
type bench struct {
	machine  hwmodels.Machine
	simulate *ila.Model
	symbolic *ila.Model
	syllabus *syllabus
	uses     int
}

// benchUses bounds the cases after which models are made anew: terms are never freed.
const benchUses = 24

func (w *modelsWorker) bench(m hwmodels.Machine) *bench {
	b := w.benches[m.Name]
	if b == nil || b.uses >= benchUses {
		b = &bench{machine: m, simulate: m.New(), symbolic: m.New()}
		b.syllabus = newSyllabus(b.simulate)
		w.benches[m.Name] = b
	}
	b.uses++
	return b
}

// Case runs a stream or a driver.
func (w *modelsWorker) Case(_ context.Context, seed uint64, k int64) Outcome {
	salt := caseSeed(seed, k)
	rng := rand.New(rand.NewPCG(salt, 0x6d6f64656c))
	if n := rng.IntN(len(w.machines) + len(w.drivers)); n < len(w.machines) {
		b := w.bench(w.machines[n])
		return w.stream(b, b.draw(rng, w.driversOf(b.machine.Name)))
	} else if d, c := drawDriver(w.drivers[n-len(w.machines)], rng); c != nil {
		return w.driver(d, c)
	}
	return Outcome{}
}

// A stream is a run of a machine: what is in its memories before, and the inputs of each step. Memories in
// Symbolic hold terms when the symbolic executor runs.
type stream struct {
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

// draw draws a stream, most of whose steps are legal: what it proposes and the simulator refuses is left out,
// but for a fault now and then, which both executors have to see.
func (b *bench) draw(rng *rand.Rand, like []hwmodels.Driver) *stream {
	var s *stream
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
func (b *bench) drawFree(rng *rand.Rand) (s *stream, propose func(last []uint64) []uint64) {
	s = &stream{Machine: b.machine.Name, Cells: map[string]map[uint64]uint64{}}
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
func (b *bench) drawLike(d hwmodels.Driver, rng *rand.Rand) (s *stream, propose func(last []uint64) []uint64) {
	_, c := drawDriver(d, rng)
	if c == nil || c.task.Model.Name != b.machine.Name {
		return nil, nil
	}
	env := c.task.Environment(c.Inputs)
	s = &stream{Machine: b.machine.Name, Cells: map[string]map[uint64]uint64{}}
	for _, in := range c.task.Init {
		if s.Cells[in.Memory.Name] == nil {
			s.Cells[in.Memory.Name] = map[uint64]uint64{}
		}
		s.Cells[in.Memory.Name][in.Address] = env.Value(in.Value)
	}
	var steps [][]uint64
	for _, st := range c.task.Steps[:min(len(c.task.Steps), likeSteps)] {
		var values []uint64
		for _, v := range st.Values {
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
func (b *bench) without(s *stream, steps [][]uint64, rng *rand.Rand) [][]uint64 {
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
func step(sim *ila.Simulator, values []uint64) (err error) {
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
func replaySteps(sim *ila.Simulator, steps [][]uint64) bool {
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
func (b *bench) simulator(s *stream) (*ila.Simulator, *trace) {
	sim := ila.NewSimulator(b.simulate)
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

// run runs a stream in both executors and says in what they differ: "" in nothing.
func (b *bench) run(s *stream) (covered []string, differ string) {
	sim, trace := b.simulator(s)
	task := &ila.Task{Model: b.symbolic}
	sym := ila.NewSymbolic(b.symbolic)
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
			covered = append(covered, b.machine.Name+"."+fault.Instruction+"!"+fault.Code)
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
func (b *bench) differ(sim *ila.Simulator, sym *ila.Symbolic, env *ila.Environment) string {
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

// Kinds of what is wrong with models.
const (
	kindExecutors = "simulator against symbolic executor"
	kindContract  = "driver against contract"
	kindKernel    = "contract against kernel"
)

// stream runs a stream.
func (w *modelsWorker) stream(b *bench, s *stream) Outcome {
	covered, how := b.run(s)
	w.reach(covered)
	o := Outcome{Covered: covered}
	o.Entry = func(wanted []string) []byte {
		small := smallerStream(s, entryTries, func(c *stream) bool {
			again, how := b.run(c)
			return how == "" && covers(again, wanted)
		})
		return []byte(headline(w.Name(), "stream") + small.section())
	}
	if how == "" {
		return o
	}
	words := strings.FieldsFunc(how, func(r rune) bool { return r >= '0' && r <= '9' })
	key := b.machine.Name + ": " + strings.Join(words, "#")
	o.Suspect = &Suspect{Key: key, Finding: func() Finding {
		small := smallerStream(s, shrinkTries, func(c *stream) bool {
			_, how := b.run(c)
			return how != ""
		})
		_, how := b.run(small)
		detail := b.machine.Name + ": " + how
		return Finding{Kind: kindExecutors, Detail: detail, Replay: []string{"tv", "replay"},
			Text: headline(w.Name(), kindExecutors) + note(detail) + small.section()}
	}}
	return o
}

// section writes a stream as a section of a file.
func (s *stream) section() string {
	data, _ := json.Marshal(s)
	return section("stream.json", string(data))
}

// smallerStream drops steps, then cells, and makes inputs 0, while keep holds.
func smallerStream(s *stream, tries int, keep func(*stream) bool) *stream {
	clone := func() *stream {
		c := &stream{Machine: s.Machine, Cells: map[string]map[uint64]uint64{},
			Symbolic: slices.Clone(s.Symbolic)}
		for name, cells := range s.Cells {
			c.Cells[name] = maps.Clone(cells)
		}
		for _, values := range s.Steps {
			c.Steps = append(c.Steps, slices.Clone(values))
		}
		return c
	}
	try := func(change func(c *stream)) bool {
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
		try(func(c *stream) { c.Steps = slices.Delete(c.Steps, i, i+1) })
	}
	for _, name := range slices.Sorted(maps.Keys(s.Cells)) {
		try(func(c *stream) {
			c.Symbolic = slices.DeleteFunc(c.Symbolic, func(m string) bool { return m == name })
		})
		for size := len(s.Cells[name]); size > 0; size /= 2 {
			list := slices.Sorted(maps.Keys(s.Cells[name]))
			for lo := 0; lo < len(list); lo += size {
				part := list[lo:min(lo+size, len(list))]
				try(func(c *stream) {
					maps.DeleteFunc(c.Cells[name], func(at, _ uint64) bool { return slices.Contains(part, at) })
				})
			}
		}
	}
	for i := range s.Steps {
		for j := range s.Steps[i] {
			if s.Steps[i][j] != 0 {
				try(func(c *stream) { c.Steps[i][j] = 0 })
			}
		}
	}
	return s
}

// A driven is a run of a driver: sizes, and the operands, row-major, as bit-vectors.
type driven struct {
	Driver string     `json:"driver"`
	Sizes  []int      `json:"sizes"`
	Inputs [][]uint64 `json:"inputs"`
	task   *ila.Task
}

// drawDriver draws sizes that a driver takes, and operands; nil where no sizes that were drawn fit.
func drawDriver(d hwmodels.Driver, rng *rand.Rand) (hwmodels.Driver, *driven) {
	for range driverTries {
		c := &driven{Driver: d.Name}
		work := 1
		for range d.Arity {
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
		c.task = task
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
		return d, c
	}
	return d, nil
}

// What runs of drivers are like.
const (
	driverTries = 40
	driverWork  = 1 << 13 // product of the sizes
)

var driverSizes = []int{1, 2, 3, 4, 5, 7, 16, 16, 32, 48}

// judge runs a driver's program and says what is wrong.
func (c *driven) judge() (kind, detail string) {
	sim := ila.NewSimulator(c.task.Model)
	out, err := c.task.Run(sim, c.Inputs)
	if err != nil {
		return kindContract, err.Error()
	}
	env := c.task.Environment(c.Inputs)
	want := make([]uint64, len(out))
	for flat := range out {
		if want[flat] = env.Value(c.task.Contract(flat)); want[flat] != out[flat] {
			return kindContract, fmt.Sprintf("element %d of the output: the contract says %d, the machine %d", flat,
				want[flat], out[flat])
		}
	}
	kernel := driverKernels[c.Driver]
	if kernel == nil {
		return "", ""
	}
	for flat, v := range kernel(c) {
		if v.differs(want[flat], c.task.Output.Width) {
			return kindKernel, fmt.Sprintf("element %d of the output: the kernel says %s, the contract %d", flat, v,
				want[flat])
		}
	}
	return "", ""
}

// driver runs a case of a driver.
func (w *modelsWorker) driver(d hwmodels.Driver, c *driven) Outcome {
	o := Outcome{Covered: []string{fmt.Sprintf("%s %v", d.Name, c.Sizes)}}
	o.Entry = func([]string) []byte { return []byte(headline(w.Name(), "driver") + c.section()) }
	kind, _ := c.judge()
	if kind == "" {
		return o
	}
	o.Suspect = &Suspect{Key: d.Name + ": " + kind, Finding: func() Finding {
		small := c.smaller(d, kind)
		_, detail := small.judge()
		detail = fmt.Sprintf("%s %s: %s", d.Name, sizesOf(small.Sizes), detail)
		return Finding{Kind: kind, Detail: detail, Replay: []string{"tv", "replay"},
			Text: headline(w.Name(), kind) + note(detail) + small.section()}
	}}
	return o
}

func sizesOf(sizes []int) string {
	var s []string
	for _, n := range sizes {
		s = append(s, strconv.Itoa(n))
	}
	return strings.Join(s, "x")
}

func (c *driven) section() string {
	data, _ := json.Marshal(c)
	return section("driver.json", string(data))
}

// smaller makes sizes smaller, on operands drawn anew, and then operands 0 in ever smaller pieces, while the
// same is wrong.
func (c *driven) smaller(d hwmodels.Driver, kind string) *driven {
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
				_, less := drawDriver(one, rng)
				if less == nil {
					break
				}
				less.Sizes = slices.Clone(c.Sizes)
				less.Sizes[i] = n
				if k, _ := less.judge(); k == kind {
					c, found = less, true
				}
			}
			if found {
				break
			}
		}
	}
	tries := shrinkTries
	for i := range c.Inputs {
		for size := len(c.Inputs[i]); size > 0; size /= 2 {
			for lo := 0; lo < len(c.Inputs[i]) && tries > 0; lo += size {
				part := c.Inputs[i][lo:min(lo+size, len(c.Inputs[i]))]
				saved := slices.Clone(part)
				clear(part)
				if tries--; slices.Equal(part, saved) {
					continue
				}
				if k, _ := c.judge(); k != kind {
					copy(part, saved)
				}
			}
		}
	}
	return c
}

// Again runs the stream or the driver of a file, if the hunt is about its machine.
func (w *modelsWorker) Again(e *Entry) (Outcome, error) {
	decode := func(text string, v any) error {
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil {
			return e.bad(err)
		}
		return nil
	}
	if text, ok := e.Parts["stream.json"]; ok {
		s := &stream{}
		if err := decode(text, s); err != nil {
			return Outcome{}, err
		}
		i := slices.IndexFunc(w.machines, func(m hwmodels.Machine) bool { return m.Name == s.Machine })
		if i < 0 {
			return Outcome{}, nil
		}
		return w.stream(w.bench(w.machines[i]), s), nil
	}
	c := &driven{}
	if err := decode(e.Parts["driver.json"], c); err != nil {
		return Outcome{}, err
	}
	i := slices.IndexFunc(w.drivers, func(d hwmodels.Driver) bool { return d.Name == c.Driver })
	if i < 0 {
		return Outcome{}, nil
	}
	var err error
	if c.task, err = w.drivers[i].New(c.Sizes); err != nil {
		return Outcome{}, nil // a driver may take other sizes now
	}
	for j, x := range c.task.Inputs {
		if j >= len(c.Inputs) || len(c.Inputs[j]) != x.Size() {
			return Outcome{}, e.bad(fmt.Errorf("driver.json: there are no %d elements of %s", x.Size(), x.Name))
		}
	}
	return w.driver(w.drivers[i], c), nil
}

// Covered lists what the case of a file covers.
func (w *modelsWorker) Covered(e *Entry) []string {
	o, err := w.Again(e)
	if err != nil {
		return nil
	}
	return o.Covered
}
