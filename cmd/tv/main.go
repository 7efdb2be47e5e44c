//go:build !js

// Command tv proves or refutes that two tensor programs mean the same; see tv help.
//
//	main.go     the command
//	main_js.go  the same in a page of a browser
package main

import (
	"os"

	"tv/cmd/tv/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
