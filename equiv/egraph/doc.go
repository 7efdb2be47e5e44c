// Package egraph keeps many equal terms at once: classes of terms that are equal by equations and by congruence
// (equal operators of equal arguments). It knows neither a language nor a rule.
//
//	Graph     terms as they were added, classes of them, data of classes (an [Analysis]); graph.go
//	terms     hash-consed by operator and argument terms, never rewritten, so that a proof can name them: terms.go
//	Rebuild   congruence, by a list of the nodes whose arguments were united; rebuild.go
//	Node      an operator of classes; classes, nodes, and classes by the head of an operator: view.go
//	Choice    a node for each class that a term needs: the cheapest tree (problem.go), cheap with what is shared paid once
//	          (greedy.go), the cheapest of these (optimum.go), on what reduce.go leaves; [Cost], [Costs]: cost.go
//	Proof     why two terms are equal: steps between terms as they were added, shared as lemmas; explain.go
//
// The classes follow Nelson and Oppen (1980) and Downey, Sethi and Tarjan (1980) with the deferred rebuilding of egg
// (Willsey et al. 2021), proofs the forest of Nieuwenhuis and Oliveras (2005). Everything is slices of numbers; what is
// iterated over has an order that depends on the calls alone, so that the same calls give the same answers. Nothing here is
// to be believed: a proof is for a checker that shares no code with this package.
package egraph
