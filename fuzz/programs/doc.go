// Package programs makes random Glenside programs and rules, and what tells right from wrong beside them.
//
//	Program   a well-typed program over every operator of the table, with the arithmetic to ask about it in: grow.go,
//	          and rules.go, which has the rules by which operators are asked for
//	Rewrite   what a Twin is: a program that means the same by laws (twin.go, laws.go), some written with definitions
//	          (define.go), which change nothing but the text
//	Mutant    a program that differs by one defect of a named class; mutant.go
//	Corner    a pair about sizes that programs seldom have (corner.go); CornerRule is a rule about such integers
//	          (cornerrule.go)
//	Kernel    what an operator means, computed by gonum; kernels.go
//	Shrink    a smaller pair of which something still holds; shrink.go
//
// What programs declare and which indices they have is in text.go.
//
// A program is a size, a kind and a seed, which decides the rest: equal seeds give equal programs. Tests draw the three
// through pgregory.net/rapid, so that a failure shrinks to a small program; rapid has tables that it makes when a process
// starts, so nothing but tests imports it.
//
// Programs are grown from the result: a rule for each operator says which operands give a result of the dims that are
// wanted. So every operator can be asked for anywhere, and nothing is thrown away for being ill typed.
package programs
