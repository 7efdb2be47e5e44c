// Package domain knows what questions are asked about: the sizes of tensors, conditions on them, and what a program
// declares. It belongs to no language; syntax, types and meaning of programs are elsewhere.
//
//	Size          an integer or an expression over named sizes; exact, in a normal form (size.go)
//	Point         a value for each named size
//	Pred          a condition on sizes (pred.go); Facts decide it everywhere, a Point at one place
//	Elem          an element type: int8, float32, fix6.14 (elem.go)
//	Input, Tensor what a text declares, and the tensor that it declares (declarations.go)
//	Declarations  all that a text declares, assumes and names
//	Env           the declarations of all texts of a question, united by Merge
//
// Conditions and sizes print as S-expressions (String), and for people as they write them ([Size.Formula], [Format] in
// format.go); needed.go leaves out what others imply.
package domain
