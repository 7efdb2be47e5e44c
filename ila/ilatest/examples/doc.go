// Package examples has what the tests of several packages about machines share.
//
//	expressions.go  random expressions as terms, and beside them as functions on big integers
//	machines.go     small machines
package examples
