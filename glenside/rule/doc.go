// Package rule reads rewrite rules over Glenside programs and takes them apart into ordinary programs.
//
//	Rule      a rule: pattern variables with split shapes, guard, two sides
//	Expr      a typed syntax tree: expressions, integers, lists, shapes
//	Guard     a condition on an instance
//	Case      a shape of all instances: what its groups, axes and lists are; two programs over named sizes
//	Cases     the cases of a rule, and whether they are all of them
//	Instance  one instance: numbers for everything, and two programs
//
// Start with [Parse]. The language is described in doc/rules.md; how rules over any number of dims become
// finitely many programs in doc/rules.md too, section "Cases".
package rule
