// Package syntax reads programs of RISE in the notation of papers, the files .rise: a program is a function that applies
// patterns (map, reduce, split, ...) to arrays. A text becomes a tree as it is written, and that a core in which only
// variables, constants, patterns, functions of one argument and their application are left, each with its type. The
// evaluator and the lowering work on the core and know nothing of each other.
//
// What the notation leaves open, and is so here:
//
//   - A program is one fun with the type of each parameter; functions that follow at once with all types given add
//     parameters. Parameters are numbers or arrays of numbers; what is returned may have pairs, and an array of pairs is
//     a pair of arrays.
//
//   - Sizes are given to patterns first, all of them: split(4), slide(3, 1), slide(3)(1). A name that is nothing else is a
//     size, also as a value.
//
//   - Integers that places are counted with (the argument of the function of generate, what reorder is about) have a type of
//     their own, index, and any size: wrapping is for data. cast goes between index and data. Returned they are int64.
//
//   - A literal has the type that its place asks for; one whose place asks for nothing is refused.
//
//   - Sizes of types are equated; what is left of an equation is a condition on sizes, not an error, unless it
//     holds nowhere or has several unknowns.
//
//   - idx and gather beyond the array are undefined. scatter has as many places as elements; with a place beyond these,
//     or one that is written twice, nothing of it is defined, and a place that is not written is undefined.
//
//   - The functions of reorder depend on no variable around them.
//
//   - min and max are those of Glenside; < > == <= >= give bool, which has no arithmetic; % is of integers.
//
//   - reduce takes the elements from the left; let(e, f) is f(e); cast(i8, x) and cast(i8)(x) name the type.
//
//     parse.go     words and trees
//     types.go     types, how they are printed, and the tensors that a type consists of
//     patterns.go  the table of patterns with their types
//     unify.go     equations of types, and of the sizes in them
//     infer.go     from trees to the core
//     program.go   what is asked of a text
//     typed.go     what is asked of a program under the names of a question
//     format.go    the layout
//     generate.go  random programs
package syntax
