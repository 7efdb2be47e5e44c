package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tv/fuzz/machines"
	"tv/hwmodels"
	"tv/ila"
	"tv/internal/source"
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
			if c := machines.Drive(d, rand.New(rand.NewPCG(0, 0))); c != nil {
				t.of[c.Task.Model.Name] = append(t.of[c.Task.Model.Name], d)
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
		if !machines.HasKernel(d.Name) {
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

// A bench counts the cases that it was used for.
type bench struct {
	*machines.Bench
	uses int
}

// benchUses bounds the cases after which models are made anew: terms are never freed.
const benchUses = 24

func (w *modelsWorker) bench(m hwmodels.Machine) *machines.Bench {
	b := w.benches[m.Name]
	if b == nil || b.uses >= benchUses {
		b = &bench{Bench: machines.NewBench(m)}
		w.benches[m.Name] = b
	}
	b.uses++
	return b.Bench
}

// Case runs a stream or a driver.
func (w *modelsWorker) Case(_ context.Context, seed uint64, k int64) Outcome {
	salt := caseSeed(seed, k)
	rng := rand.New(rand.NewPCG(salt, 0x6d6f64656c))
	n := rng.IntN(len(w.machines) + len(w.drivers))
	if n < len(w.machines) {
		b := w.bench(w.machines[n])
		return w.stream(b, b.Draw(rng, w.driversOf(b.Machine.Name)))
	}
	if c := machines.Drive(w.drivers[n-len(w.machines)], rng); c != nil {
		return w.driver(w.drivers[n-len(w.machines)], c)
	}
	return Outcome{}
}

// stream runs a stream.
func (w *modelsWorker) stream(b *machines.Bench, s *machines.Stream) Outcome {
	covered, how := b.Run(s)
	w.reach(covered)
	o := Outcome{Covered: covered}
	o.Entry = func(wanted []string) []byte {
		small := s.Smaller(entryTries, func(c *machines.Stream) bool {
			again, how := b.Run(c)
			return how == "" && covers(again, wanted)
		})
		return []byte(headline(w.Name(), "stream") + jsonSection("stream.json", small))
	}
	if how == "" {
		return o
	}
	words := strings.FieldsFunc(how, func(r rune) bool { return r >= '0' && r <= '9' })
	key := b.Machine.Name + ": " + strings.Join(words, "#")
	o.Suspect = &Suspect{Key: key, Finding: func() Finding {
		small := s.Smaller(shrinkTries, func(c *machines.Stream) bool {
			_, how := b.Run(c)
			return how != ""
		})
		_, how := b.Run(small)
		return w.finding(machines.KindExecutors, b.Machine.Name+": "+how, jsonSection("stream.json", small))
	}}
	return o
}

// driver runs a case of a driver.
func (w *modelsWorker) driver(d hwmodels.Driver, c *machines.Driven) Outcome {
	o := Outcome{Covered: []string{fmt.Sprintf("%s %v", d.Name, c.Sizes)}}
	o.Entry = func([]string) []byte { return []byte(headline(w.Name(), "driver") + jsonSection("driver.json", c)) }
	kind, _ := c.Judge()
	if kind == "" {
		return o
	}
	o.Suspect = &Suspect{Key: d.Name + ": " + kind, Finding: func() Finding {
		small := c.Smaller(d, kind, shrinkTries)
		_, detail := small.Judge()
		var sizes []string
		for _, n := range small.Sizes {
			sizes = append(sizes, strconv.Itoa(n))
		}
		detail = fmt.Sprintf("%s %s: %s", d.Name, strings.Join(sizes, "x"), detail)
		return w.finding(kind, detail, jsonSection("driver.json", small))
	}}
	return o
}

// finding is one whose file has a section that replays it.
func (w *modelsWorker) finding(kind, detail, section string) Finding {
	return Finding{Kind: kind, Detail: detail, Replay: []string{"tv", "replay"},
		Text: headline(w.Name(), kind) + note(detail) + section}
}

// jsonSection writes a run as a section of a file.
func jsonSection(name string, run any) string {
	data, _ := json.Marshal(run) // numbers and strings alone
	return section(name, string(data))
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
		s := &machines.Stream{}
		if err := decode(text, s); err != nil {
			return Outcome{}, err
		}
		i := slices.IndexFunc(w.machines, func(m hwmodels.Machine) bool { return m.Name == s.Machine })
		if i < 0 {
			return Outcome{}, nil
		}
		return w.stream(w.bench(w.machines[i]), s), nil
	}
	c := &machines.Driven{}
	if err := decode(e.Parts["driver.json"], c); err != nil {
		return Outcome{}, err
	}
	i := slices.IndexFunc(w.drivers, func(d hwmodels.Driver) bool { return d.Name == c.Driver })
	if i < 0 {
		return Outcome{}, nil
	}
	var err error
	if c.Task, err = w.drivers[i].New(c.Sizes); err != nil {
		return Outcome{}, nil // a driver may take other sizes now
	}
	for j, x := range c.Task.Inputs {
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
