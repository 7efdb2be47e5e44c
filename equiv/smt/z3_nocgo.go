//go:build !cgo

package smt

import "context"

// linked asks no one: without cgo there is no solver in this process.
func linked(context.Context, *Query, Options) (Result, bool) { return Result{}, false }

func linkedVersion() string { return "" }
