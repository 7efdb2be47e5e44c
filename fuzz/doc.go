// Package fuzz hunts with random cases: for inputs that tell programs apart, for wrong instances of rules, for faults of
// machines, and for faults of tv. doc/fuzzing.md says how to use it.
//
//	Campaign   runs cases of a target: shards, jobs, a corpus, a state to resume from; campaign.go, corpus.go, state.go
//	Target     what is hunted: Check, Rules (rulecheck.go), Models (models.go, streams.go, driverkernels.go), Self
//	Finding    something wrong, with a file that replays without generator or seed: Replay
//	Lines      what a campaign writes, one JSON object a line; Merge unites shards
//
// A case depends on the seed of its campaign and its number alone.
//
//	Random     a generator of well-typed programs over every operator of the table
//	Program    one of them, parsed and typed, with the arithmetic to ask about it in
//	Twin       a program that means the same by laws: accesses wrapped in identities, terms rewritten
//	           some are written with definitions (define.go), which change nothing but the text
//	Mutant     a program that differs by one defect of a named class
//	textPair   programs of other languages that have a generator, by their texts (texts.go); lowered.go holds their lowering
//	           against their evaluator
//	Corner     a pair about sizes that programs seldom have; CornerRule is a rule about such integers
//	Kernel     what an operator means, computed by gonum
//	Judge      tells two programs apart by the reference evaluator, on samples
//
// A program is a size, a kind and a seed, which decides the rest: equal seeds give equal programs. Tests draw the three
// through pgregory.net/rapid, so that a failure shrinks to a small program; rapid has tables that it makes when a process
// starts, so nothing but tests imports it.
//
// Programs are grown from the result: a rule for each operator (rules.go) says which operands give a result of
// the dims that are wanted. So every operator can be asked for anywhere, and nothing is thrown away for being
// ill typed.
package fuzz
