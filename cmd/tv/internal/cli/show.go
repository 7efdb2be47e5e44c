package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tv/glenside"
)

func (a *app) showCommand() *cobra.Command {
	var shapes, output string
	var inputs []string
	cmd := &cobra.Command{
		Use:   "show PROGRAM",
		Short: "print the types and shapes in a program",
		Long: `Show prints the tensors that a program reads, the conditions on its sizes under which it is well
formed, and each of its expressions with its type: access dims, compute dims, element type. Equal
expressions are listed once; %N stands for the expression of that number.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ty, _, err := a.typed(args[0], shapes, inputs)
			if err != nil {
				return err
			}
			return a.output(output, []byte(showTypes(ty)))
		},
	}
	registerDeclarations(cmd.Flags(), &shapes, &inputs)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to a `file` instead of standard output")
	return cmd
}

// showTypes lists the expressions of a program in the order in which they are computed.
func showTypes(ty *glenside.Typing) string {
	var b strings.Builder
	for _, t := range ty.Tensors {
		dims := make([]string, len(t.Dims))
		for i, d := range t.Dims {
			dims[i] = d.String()
		}
		fmt.Fprintf(&b, "reads %s: (%s) %s\n", t.Name, strings.Join(dims, " "), t.Elem)
	}
	for _, c := range ty.Conds {
		fmt.Fprintf(&b, "needs %s, else %s: %s\n", c.Pred, ty.Program.Span(c.Node).Position(), c.Msg)
	}
	number := map[*glenside.Node]string{}
	type row struct{ name, typ, text string }
	var rows []row
	nameWidth, typeWidth := 0, 0
	for _, n := range ty.Program.Nodes {
		if !listed(ty.Type(n)) || n.Kind == glenside.KindSymbol {
			continue
		}
		number[n] = fmt.Sprintf("%%%d", len(rows))
		r := row{number[n], ty.Type(n).String(), oneLevel(n, number)}
		rows = append(rows, r)
		nameWidth, typeWidth = max(nameWidth, len(r.name)), max(typeWidth, min(len(r.typ), 40))
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", nameWidth, r.name, typeWidth, r.typ, r.text)
	}
	return b.String()
}

// listed tells whether expressions of a type are listed by themselves: numbers, shapes and words are
// printed where they stand.
func listed(t *glenside.Type) bool {
	switch t.Kind {
	case glenside.TypeAccess, glenside.TypeTensor, glenside.TypeTuple, glenside.TypeAccessShape:
		return true
	}
	return false
}

// oneLevel prints a call with numbers for the operands that are listed.
func oneLevel(n *glenside.Node, number map[*glenside.Node]string) string {
	if n.Kind != glenside.KindCall {
		return glenside.FormatNode(n)
	}
	parts := []string{n.Op.Name}
	for _, arg := range n.Args {
		if name, ok := number[arg]; ok {
			parts = append(parts, name)
		} else {
			parts = append(parts, glenside.FormatNode(arg))
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}
