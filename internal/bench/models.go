package main

import (
	"os"
	"os/exec"

	"tv/internal/networks"
)

// What models may cost, in processor time.
const (
	importMS  = 1000 // 16,000 calls, 2 MB
	networkMS = 5000 // whole networks, batch norms expanded against not, and with all products on an accelerator
	networkMB = 1024
)

// models lists imports of texts of Relay, and whole networks against what is made of their batch norms.
func (b *bench) models() {
	text := b.path("a model") + ".relay"
	if b.write {
		check(os.WriteFile(text, []byte(networks.RelayChain(16000)), 0o644))
	}
	b.list = append(b.list, &run{Name: "import of a model of 16,000 calls, 2 MB", Want: "ran", LimitMS: importMS, Processor: true,
		args: []string{"import", text, "-o", text + ".sexp"}})
	for _, name := range []string{"resnet-20", "resnet-50", "mobilenet-v2", "efficientnet-b0"} {
		b.deep("batch norms of "+name+", expanded", "proved", func() (string, string) {
			return b.imported(networks.Relay(name, false)), b.imported(networks.Relay(name, true))
		}, networkMS, networkMB)
	}
	for _, name := range []string{"resnet-20", "resnet-50", "mobilenet-v2", "efficientnet-b0", "resmlp-12", "transformer-6", "lstm-35"} {
		for _, target := range []string{"vta", "flexasr", "systolic"} {
			b.deep("products of "+name+" on "+target, "proved", func() (string, string) {
				before := b.imported(networks.Relay(name, false))
				after, _, err := networks.Mapping{Target: target}.Program(before)
				check(err)
				return before, after
			}, networkMS, networkMB)
		}
	}
}

// imported is a model as a program.
func (b *bench) imported(model string) string {
	path := b.path("a network") + ".relay"
	check(os.WriteFile(path, []byte(model), 0o644))
	program, err := exec.Command(b.tv, "import", path).Output()
	check(err)
	return string(program)
}
