package ila

import (
	"tv/internal/source"
	"tv/semantics/term"
)

// CodeModel is the code of a model that is not one.
const CodeModel = "machine-model"

// Validate says whether a model is one: sorts fit, names are distinct, updates are of state that the model or
// a model above it has, no child is below itself. All problems have code machine-model.
func Validate(m *Model) error {
	var errs source.Errors
	fail := func(format string, args ...any) {
		errs = append(errs, source.Errorf(source.Span{}, CodeModel, format, args...))
	}
	known := map[*Var]bool{}
	open := map[*Model]bool{}
	loads := map[*term.Term]bool{}
	var visit func(*Model)
	visit = func(c *Model) {
		if open[c] {
			fail("%s is a child of itself", c.Name)
			return
		}
		open[c] = true
		names := map[string]bool{}
		for _, v := range append(append([]*Var(nil), c.Inputs...), c.State...) {
			if names[v.Name] {
				fail("%s has two variables %s", c.Name, v.Name)
			}
			names[v.Name] = true
			known[v] = true
		}
		instructions := map[string]bool{}
		for _, i := range c.Instructions {
			if instructions[i.Name] {
				fail("%s has two instructions %s", c.Name, i.Name)
			}
			instructions[i.Name] = true
			if i.Decode == nil || i.Decode.Sort != term.BoolSort {
				fail("the decode of %s.%s is not a truth value", c.Name, i.Name)
			}
			for _, k := range i.Checks {
				if k.Cond.Sort != term.BoolSort {
					fail("a check of %s.%s is not a truth value", c.Name, i.Name)
				}
			}
			i.visit(func(t *term.Term) {
				if t.Op == term.Apply && m.LookupFunction(t.Name) == nil {
					fail("%s.%s applies %s, which is no function of the model", c.Name, i.Name, t.Name)
				}
			})
			set := map[*Var]bool{}
			for _, s := range i.Sets {
				switch {
				case s.Var.IsInput() || s.Var.Depth > 0 || !known[s.Var]:
					fail("%s.%s sets %s, which is no bit-vector of its state", c.Name, i.Name, s.Var.Name)
				case s.Value.Sort != term.BitsSort(s.Var.Width):
					fail("%s.%s gives %s of %d bits a value of sort %v", c.Name, i.Name, s.Var.Name, s.Var.Width,
						s.Value.Sort)
				case set[s.Var]:
					fail("%s.%s sets %s twice", c.Name, i.Name, s.Var.Name)
				}
				set[s.Var] = true
			}
			for _, e := range i.Eachs {
				for _, s := range e.Stores {
					switch {
					case s.Memory.Depth == 0 || !known[s.Memory]:
						fail("%s.%s stores to %s, which is no memory of its state", c.Name, i.Name, s.Memory.Name)
					case s.Value != nil && s.Value.Sort != term.BitsSort(s.Memory.Width) || s.Address.Sort != term.BitsSort(AddressWidth):
						fail("%s.%s stores a value or uses an address of another width than %s, of %d bits, has",
							c.Name, i.Name, s.Memory.Name, s.Memory.Width)
					}
				}
			}
		}
		for _, v := range c.Invariants {
			if v.Cond.Sort != term.BoolSort || ReadsMemory(v.Cond, loads) {
				fail("invariant %s of %s is not a truth value of bit-vectors", v.Name, c.Name)
			}
		}
		for _, r := range c.Ends {
			if c != m || r.Cond.Sort != term.BoolSort || ReadsMemory(r.Cond, loads) {
				fail("an end of %s is not a truth value of bit-vectors, or %s is a child", c.Name, c.Name)
			}
		}
		for _, f := range c.Fillings {
			switch {
			case f.Memory.Depth == 0 || !known[f.Memory] || f.Count > f.Memory.Depth || f.First > f.Memory.Depth-f.Count:
				fail("%s states that %s is filled, which are no cells of its state", c.Name, f)
			case f.When.Sort != term.BoolSort || ReadsMemory(f.When, loads):
				fail("%s states that %s is filled where no truth value of bit-vectors holds", c.Name, f)
			}
		}
		for _, child := range c.Children {
			visit(child)
		}
		delete(open, c)
	}
	visit(m)
	if len(errs) > 0 {
		return errs
	}
	return nil
}
