// Package mapping maps programs onto accelerators: it saturates an e-graph with the instances of certified rules, extracts a cheapest
// program, and writes down why that one is equal, for a checker that shares no code with it (doc/map.md).
//
//	Map       a program, rules and limits; the mapped program, its explanation and what there is to report: mapping.go
//	graph     terms of a program: shapes, lists and integers are part of operators, tensors are classes: terms.go
//	evaluator integers, shapes, guards and sides of rules in an instance: values.go
//	matcher   instances of left sides in the classes of the graph: match.go
//	saturate  rounds of searching all rules, applying all matches and rebuilding, up to limits: saturate.go
//	Model     costs, by which a program is extracted: cost.go, extract.go
//	explain   the explanation as a file: explain.go
//	Counts    calls, host operators and padding of a program: report.go
//	Dot       a drawing of a program: dot.go
//	Families  rules for splits and stacks of as many parts as a program has: families.go
//	Target    accelerators by name, and what sizes they fix: target.go
//
// Nothing here is to be believed. A rule fires only if whoever calls says that it is certified in both directions, for the element
// type of the instance; the explanation and a check of both programs say whether what came out is right.
package mapping
