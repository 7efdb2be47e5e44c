package verilog

import (
	"fmt"
	"strings"
	"testing"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/circuittest"
)

// Registers of Yosys' own, by hand: D is a, its enable the lowest bit of e, its reset the next one; Q is y.
func TestOwnRegisters(t *testing.T) {
	word := func(kind, params, pins string) string {
		return fmt.Sprintf(`"type": %q, "parameters": {"CLK_POLARITY": "1", "WIDTH": "10"%s}, "connections": {"CLK": [2], "D": [3, 4], "Q": [7, 8]%s}`,
			kind, params, pins)
	}
	gate := func(kind, pins string) string {
		return fmt.Sprintf(`"type": %q, "parameters": {}, "connections": {"C": [2], "D": [3], "Q": [7]%s}`, kind, pins)
	}
	for _, c := range []struct{ cell, init, inputs, want string }{
		{word("$dff", "", ""), "", "01 00, 10 00, 11 00", "?? 01 10"},
		{word("$dff", "", ""), "10", "01 00, 10 00", "10 01"},
		{word("$dff", "", ""), "x1", "01 00, 10 00", "?1 01"},
		{word("$dffe", `, "EN_POLARITY": "1"`, `, "EN": [5]`), "10", "01 00, 01 01, 10 00", "10 10 01"},
		{word("$dffe", `, "EN_POLARITY": "0"`, `, "EN": [5]`), "10", "01 00, 10 01, 11 00", "10 01 01"},
		{word("$sdff", `, "SRST_POLARITY": "1", "SRST_VALUE": "11"`, `, "SRST": [6]`), "00", "01 10, 01 00, 10 00", "00 11 01"},
		{word("$sdffe", `, "SRST_POLARITY": "1", "SRST_VALUE": "11", "EN_POLARITY": "1"`, `, "SRST": [6], "EN": [5]`), "00", "01 10, 01 00, 10 01", "00 11 11"},
		{word("$sdffce", `, "SRST_POLARITY": "1", "SRST_VALUE": "11", "EN_POLARITY": "1"`, `, "SRST": [6], "EN": [5]`), "00", "01 10, 01 11, 10 01, 00 00", "00 00 11 10"},
		{gate("$_DFF_P_", ""), "01", "01 00, 10 00, 01 00", "01 01 00"},
		{gate("$_DFFE_PP_", `, "E": [5]`), "01", "00 00, 00 01, 01 00", "01 01 00"},
		{gate("$_SDFF_PN1_", `, "R": [6]`), "00", "00 10, 00 00, 00 10", "00 00 01"},
		{gate("$_SDFFE_PP1P_", `, "R": [6], "E": [5]`), "00", "00 10, 00 00, 00 01", "00 01 01"},
		{gate("$_SDFFCE_PP1P_", `, "R": [6], "E": [5]`), "00", "00 10, 00 11, 00 01", "00 00 01"},
	} {
		netnames := ""
		if c.init != "" {
			netnames = fmt.Sprintf(`"q": {"bits": [7, 8], "attributes": {"init": %q}}`, c.init)
		}
		other := ""
		if !strings.Contains(c.cell, "[7, 8]") {
			other = `, "v": {"type": "$_BUF_", "connections": {"A": ["0"], "Y": [8]}}`
		}
		text := fmt.Sprintf(`{"modules": {"m": {"ports": {"clk": {"direction": "input", "bits": [2]}, "a": {"direction": "input", "bits": [3, 4]},
"e": {"direction": "input", "bits": [5, 6]}, "y": {"direction": "output", "bits": [7, 8]}}, "cells": {"u": {%s}%s}, "netnames": {%s}}}}`, c.cell, other, netnames)
		var stream []map[string]string
		for _, row := range strings.Split(c.inputs, ", ") {
			f := strings.Fields(row)
			stream = append(stream, map[string]string{"a": f[0], "e": f[1]})
		}
		got, err := circuittest.Run(func(v *circuit.View) *circuit.Circuit { return Read(v, "yosys", text, "m", "") }, "clk", "y", stream)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s, init %q: %s, %v; want %s", c.cell, c.init, got, err, c.want)
		}
	}
	for _, kind := range []string{"$_DFF_PP2_", "$_ADFF_PP0_", "$_DLATCH_P_", "$adff", "$_DFFSR_PPP_", "$_DFF_X_"} {
		text := fmt.Sprintf(`{"modules": {"m": {"ports": {"clk": {"direction": "input", "bits": [2]}, "a": {"direction": "input", "bits": [3]},
"y": {"direction": "output", "bits": [7]}}, "cells": {"u": {"type": %q, "parameters": {}, "connections": {"C": [2], "D": [3], "Q": [7], "R": [3]}}}, "netnames": {}}}}`, kind)
		_, err := circuittest.Run(func(v *circuit.View) *circuit.Circuit { return Read(v, "yosys", text, "m", "") }, "clk", "y",
			[]map[string]string{{"a": "0"}})
		if err == nil {
			t.Errorf("%s is read", kind)
		}
	}
}
