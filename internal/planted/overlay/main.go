// Command overlay writes the sources of prover and checker with the faults of testdata/planted, all asleep, for
// "go test -overlay". It runs at the top of the tree; "make planted" calls it.
package main

import (
	"flag"
	"fmt"
	"os"

	"tv/internal/planted"
)

func main() {
	dir := flag.String("o", "bin/planted", "the directory to write to")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	f, err := planted.ReadAll(".")
	if err != nil {
		return err
	}
	_, err = f.Overlay(".", dir)
	return err
}
