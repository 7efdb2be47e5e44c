// Command web writes the examples of the page to play with, from the folder of examples: go run ./web examples > examples.json.
//
//	main.go     this command
//	index.html  the page; page.js and style.css are its parts
//	worker.js   runs tv beside the page, over files of its own
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// An example is what the page shows: a title, and the names and texts of its two panes. The second text of a rule is empty.
type example struct {
	Title  string    `json:"title"`
	Values [4]string `json:"values"`
}

// list is what examples are of: a title, and files of the folder. One file alone is asked about alone.
var list = [][3]string{
	{"Blocked product, right", "matmul.sexp", "matmul-blocked.sexp"},
	{"Blocked product, as printed in a paper", "matmul.sexp", "matmul-blocked-as-printed.sexp"},
	{"Product of any size by halves", "matmul-symbolic-product.sexp", "matmul-symbolic-halves.sexp"},
	{"Product by halves, wrong for odd sizes", "matmul-symbolic-product.sexp", "matmul-symbolic-halves-bad.sexp"},
	{"Softmax", "softmax.sexp", "softmax-stable.sexp"},
	{"Tiled loops in C", "matmul.c", "matmul-tiled.c"},
	{"Tiled loops, short of the end", "matmul.c", "matmul-tiled-short.c"},
	{"A netlist", "add8.bv", "add8.v"},
	{"A netlist, wrong", "add8.bv", "add8-bad.v"},
	{"A rule", "de-morgan.rules", ""},
}

// examples reads the examples from a folder. Errors: those of its files.
func examples(dir string) ([]example, error) {
	var out []example
	for _, of := range list {
		e := example{of[0], [4]string{of[1], "", "after.sexp", ""}}
		for side, name := range of[1:] {
			if name == "" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			e.Values[2*side], e.Values[2*side+1] = name, string(text)
		}
		out = append(out, e)
	}
	return out, nil
}

func main() {
	err := fmt.Errorf("usage: web FOLDER")
	var found []example
	if len(os.Args) == 2 {
		if found, err = examples(os.Args[1]); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(found)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
