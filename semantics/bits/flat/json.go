package flat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// JSON is the module as Yosys writes it: nets are numbers from 2, parameters are binary digits.
func (m *Module) JSON() string {
	var out bytes.Buffer
	w := &jsonWriter{m: m, out: &out, first: make([]int, len(m.Signals)), drivers: map[int][]Bit{}}
	next := 2
	for i, s := range m.Signals {
		w.first[i] = next
		next += s.Width
	}
	for _, d := range m.Drivers {
		w.drivers[d.Signal] = d.Bits
	}
	w.module()
	return out.String()
}

// jsonWriter writes objects with their fields in order: maps have none.
type jsonWriter struct {
	m       *Module
	out     *bytes.Buffer
	first   []int         // net of the first bit of a signal
	drivers map[int][]Bit // of an output: its nets are those that drive it
}

func (w *jsonWriter) line(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// list writes lines with commas between them.
func (w *jsonWriter) list(indent string, lines []string) {
	for i, l := range lines {
		comma := ","
		if i == len(lines)-1 {
			comma = ""
		}
		w.line("%s%s%s", indent, l, comma)
	}
}

func (w *jsonWriter) module() {
	w.line(`{`)
	w.line(`  "creator": "tv",`)
	w.line(`  "modules": {`)
	w.line(`    %s: {`, quoted(w.m.Name))
	w.line(`      "attributes": { "top": "%032b" },`, 1)
	w.line(`      "ports": {`)
	var ports, nets, cells []string
	for i, s := range w.m.Signals {
		bits := make([]Bit, s.Width)
		for k := range bits {
			bits[k] = Bit{i, k}
		}
		if s.Kind == Output {
			bits = w.drivers[i]
		}
		if s.Kind != Wire {
			direction := map[Kind]string{Input: "input", Output: "output"}[s.Kind]
			ports = append(ports, fmt.Sprintf(`%s: { "direction": "%s", "bits": [ %s ] }`, quoted(s.Name), direction, w.bits(bits)))
		}
		nets = append(nets, fmt.Sprintf(`%s: { "hide_name": 0, "bits": [ %s ], "attributes": { } }`, quoted(s.Name), w.bits(bits)))
	}
	w.list("        ", ports)
	w.line(`      },`)
	w.line(`      "cells": {`)
	for i := range w.m.Cells {
		cells = append(cells, w.cell(&w.m.Cells[i]))
	}
	w.list("        ", cells)
	w.line(`      },`)
	w.line(`      "netnames": {`)
	w.list("        ", nets)
	w.line("      }\n    }\n  }\n}")
}

func (w *jsonWriter) cell(c *Cell) string {
	var params, directions, pins []string
	for _, p := range c.Params {
		value := p.Text
		switch {
		case p.Value != nil:
			width := p.Width
			if width == 0 {
				width = 32
			}
			value = fmt.Sprintf("%0*b", width, p.Value)
		case strings.Trim(value, "01xz") == "": // such a text would be read as digits
			value += " "
		}
		params = append(params, quoted(p.Name)+": "+quoted(value))
	}
	for _, p := range c.Pins {
		if p.Bits[0].Signal == Open {
			continue
		}
		direction := "input"
		if p.Output {
			direction = "output"
		}
		directions = append(directions, fmt.Sprintf(`%s: "%s"`, quoted(p.Name), direction))
		pins = append(pins, fmt.Sprintf(`%s: [ %s ]`, quoted(p.Name), w.bits(p.Bits)))
	}
	return fmt.Sprintf(`%s: { "hide_name": 0, "type": %s, "parameters": { %s }, "attributes": { }, "port_directions": { %s }, "connections": { %s } }`,
		quoted(c.Name), quoted(c.Type), strings.Join(params, ", "), strings.Join(directions, ", "), strings.Join(pins, ", "))
}

func (w *jsonWriter) bits(bits []Bit) string {
	var out []string
	for _, b := range bits {
		if b.Signal == Constant {
			out = append(out, fmt.Sprintf(`"%d"`, b.Index))
		} else {
			out = append(out, strconv.Itoa(w.first[b.Signal]+b.Index))
		}
	}
	return strings.Join(out, ", ")
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always can be
	}
	return string(data)
}
