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

	mapMS       = 10_000 // a whole network mapped, explained, and checked from end to end
	discoveryMS = 1000   // im2col, blocks, and an array of 64 by 64 with zeros
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

// mapped lists whole networks that are mapped onto each target, and what a paper discovers with rules that know no convolutions.
func (b *bench) mapped() {
	one := func(name, suffix, text string, ms, mb float64, flags ...string) {
		file := b.path(name) + suffix
		if b.write {
			check(os.WriteFile(file, []byte(text), 0o644))
		}
		b.list = append(b.list, &run{Name: name, Want: "ran", LimitMS: ms, LimitMB: mb, Processor: true,
			args: append([]string{"map", file, "-o", file + ".mapped"}, flags...)})
	}
	for _, name := range []string{"resnet-20", "resnet-50", "resnet-50-nhwc", "mobilenet-v2", "efficientnet-b0", "resmlp-12", "transformer-6", "lstm-35"} {
		for _, target := range []string{"vta", "flexasr", "hlscnn"} {
			one(name+" mapped onto "+target, ".relay", networks.Relay(name, false), mapMS, networkMB, "--target", target)
		}
	}
	one("lstm-35 mapped onto flexasr-lstm", ".relay", networks.Relay("lstm-35", false), mapMS, networkMB, "--target", "flexasr-lstm")
	for _, name := range []string{"resnet-20", "mobilenet-v2", "resmlp-12", "lstm-35", "efficientnet-b0", "transformer-6", "resnet-50"} {
		one(name+" mapped onto an array of 16 by 16", ".relay", networks.Relay(name, false), mapMS, networkMB, "--target", "systolic=16x16")
	}
	const product = "(input A (shape 32 32))\n(input B (shape 32 32))\n" +
		"(compute dot-product (access-cartesian-product (access A 1) (access B 1)))\n"
	conv := func(channels string) string {
		return "(input X (shape 1 " + channels + " 10 10))\n(input W (shape 32 " + channels + " 3 3))\n" +
			"(access-transpose (compute dot-product (access-cartesian-product (access W 1) (access (access-squeeze (access-windows\n" +
			"  (access X 1) (shape " + channels + " 3 3) (shape 1 1 1)) 1) 3))) (list 1 0 2 3))\n"
	}
	one("im2col discovered", "", conv("16"), discoveryMS, 0, "--target", "vta", "--without", "conv*")
	one("blocks of 16 discovered", "", product, discoveryMS, 0, "--target", "systolic=16x16", "--without", "conv*")
	one("an array of 64 by 64 with zeros", "", conv("3"), discoveryMS, 0, "--target", "systolic=64x64", "--pad", "--without", "conv*")
}

// imported is a model as a program.
func (b *bench) imported(model string) string {
	path := b.path("a network") + ".relay"
	check(os.WriteFile(path, []byte(model), 0o644))
	program, err := exec.Command(b.tv, "import", path).Output()
	check(err)
	return string(program)
}
