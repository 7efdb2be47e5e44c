//go:build !js

package cli

import (
	"fmt"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/glenside"
	"tv/hwmodels/vta"
	"tv/ila/prove"
	"tv/ila/race"
	"tv/internal/casefile"
	"tv/internal/source"
	"tv/semantics/domain"
)

// replayListing runs a counterexample whose right side is a listing again: BEFORE in the reference evaluator,
// the listing in the simulator.
func (a *app) replayListing(c *casefile.Counterexample) (text string, differ bool, err error) {
	if c.Expect.Arith != equiv.Exact.String() || len(c.Expect.Component) > 0 {
		return "", false, c.ExpectErrorf("a listing is compared in exact, and its result is one tensor")
	}
	before, err := glenside.Parse(c.Before)
	if err != nil {
		return "", false, err
	}
	config := vta.Configs[0] // where the file does not say it
	if name := c.Expect.Implementation; name != "" {
		var ok bool
		if config, ok = vta.Implementation(name); !ok {
			return "", false, c.ExpectErrorf("implementation is %s, not %q", orList(newImplementation().allowed), name)
		}
	}
	task, err := vta.ParseListing(c.After, config)
	if err != nil {
		return "", false, err
	}
	var outside []equiv.Declaration // what flags declared is in the inputs
	values := map[string][]string{}
	for name, v := range c.Inputs {
		in := domain.Input{Name: name, Elem: v.Type, Span: source.Span{File: c.Before}}
		for _, d := range v.Shape {
			in.Dims = append(in.Dims, domain.Dim{Size: domain.IntSize(d)})
		}
		outside = append(outside, equiv.Declaration{Input: in, Origin: "inputs.json"})
		for i := range v.Data {
			values[name] = append(values[name], v.At(int64(i)))
		}
	}
	if c.Schedule != nil {
		followed, dead, err := race.Follow(task, c.Schedule)
		if err != nil {
			return "", false, err
		}
		if dead != nil {
			return "the difference is there: " + prove.DescribeDeadlock(task, dead) + "\n", true, nil
		}
		task = followed
	}
	p, err := machine.NewPair(before, task, outside)
	if err != nil {
		return "", false, err
	}
	if text := p.Whole(); text != "" {
		return "the difference is there: " + text + "\n", true, nil
	}
	s, err := p.Replay(values, c.Expect.Element)
	if err != nil {
		return "", false, c.InputsErrorf("%v", err)
	}
	text = "the difference is not there"
	if s.Differ {
		text = "the difference is there"
	}
	text += fmt.Sprintf(": %s: %s before, %s after", ci.ElementName(nil, c.Expect.Element), s.Before, s.After)
	if s.Detail != "" {
		text += " (" + s.Detail + ")"
	}
	if e := c.Expect; s.Before != e.Before || s.After != e.After {
		text += fmt.Sprintf("; the file says %s before, %s after", e.Before, e.After)
	}
	return text + "\n", s.Differ, nil
}
