// Package syntax reads Relay, the graph language of TVM, in the text that TVM's printer writes (0.6 to 0.18).
//
//	Module    a text that was read: its entry function, expressions with places, metadata (parse.go, lex.go, metadata.go)
//	Expr      an expression as written; one that a name stands for is the same Expr at each use
//	Graph     what the entry function computes: calls of operators on inputs and constants, typed (graph.go, infer.go)
//	Node      one of these; a call of the text that the result reaches is one node, and equal calls are not merged
//	Op        an operator: its attributes with their defaults, how many operands it takes, its type rule (ops.go)
//	Type      a tensor's dims and element type, a tuple, or a function
//
// Start with [Parse], then [Module.Graph]. Nothing here recurses over bodies or graphs: a text has thousands of bindings, and
// would be astronomical as a tree. What the subset leaves out is refused at its place with a code; [Codes] lists them. The
// notes of types that the printer leaves behind calls are compared with the types inferred.
package syntax
