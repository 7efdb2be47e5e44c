package crossbar

import "tv/hwmodels/crossbar/plain"

// Plain returns the machine in plain Go with the choices of a configuration.
func Plain(c Config) *plain.Machine {
	return plain.New(plain.Choices{Rows: c.Rows, Columns: c.Columns, ADC: c.ADC, Full: c.Full(), Drop: c.Drop,
		Serial: c.Serial, Saturate: c.Saturate})
}
