// Package fuzz hunts with random cases: for inputs that tell programs apart, for wrong instances of rules, for faults of
// machines, and for faults of tv. doc/fuzzing.md says how to use it.
//
//	Campaign   runs cases of a target: shards, jobs, a corpus, a state to resume from; campaign.go, corpus.go, state.go
//	Target     what is hunted: Check (check.go), Rules (rulecheck.go), Models (models.go), Self (self.go)
//	Finding    something wrong, with a file that replays without generator or seed: finding.go; Replay, replay.go
//	Stretch    what came of cases by themselves, for who runs a campaign otherwise (package cluster); stretch.go
//	Keeper     the corpus of such a campaign: keeper.go
//	Lines      what a campaign writes, one JSON object a line; Merge unites shards; lines.go
//
// A case depends on the seed of its campaign and its number alone.
//
//	textPair   programs of other languages that have a generator, by their texts (texts.go); lowered.go holds their
//	           lowering against their evaluator
//	Judge      tells two programs apart by the reference evaluator, on samples (judge.go), which inputs.go draws
//
// Random programs and rules are those of package programs, streams and drivers of machines those of package machines.
package fuzz
