package cli

import (
	"fmt"
	"strings"

	language "tv/semantics/glenside"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/glenside"
)

func (a *app) showCommand() *cobra.Command {
	var shapes, output string
	arith := newArith()
	var inputs []string
	var summary, normalForm, smtLib bool
	cmd := &cobra.Command{
		Use:   "show PROGRAM",
		Short: "print the types, the normal form or the formula of a program",
		Long: `Show prints the tensors that a program reads, the conditions on its sizes under which it is well
formed, and each of its expressions with its type: access dims, compute dims, element type. Equal
expressions are listed once; %N stands for the expression of that number.

With --summary it prints the number of expressions and the type of the result; with --normal-form the
element at the index i0, i1, ... as it is and in normal form, and the conditions under which it is
defined; with --smt the element in SMT-LIB, as the value of the constant "result".`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if summary && normalForm || summary && smtLib || normalForm && smtLib {
				return usageError("tv show takes one of --summary, --normal-form and --smt")
			}
			if err := notInputs([]string{args[0], shapes}, []string{output}); err != nil {
				return err
			}
			ty, _, err := a.typed(args[0], shapes, inputs)
			if err != nil {
				return err
			}
			var text string
			switch {
			default:
				text = showTypes(ty)
			case summary:
				text = fmt.Sprintf("%d expressions: %s\n", len(listed(ty)), ty.Root())
			case normalForm, smtLib:
				if text, err = a.describe(ty, shapes, inputs, arithOf(arith), smtLib); err != nil {
					return err
				}
			}
			return a.output(output, []byte(text))
		},
	}
	cmd.Flags().BoolVar(&summary, "summary", false, "print the number of expressions and the type of the result only")
	cmd.Flags().BoolVar(&normalForm, "normal-form", false, "print the element and its normal form")
	cmd.Flags().BoolVar(&smtLib, "smt", false, "print the element as an SMT-LIB query")
	cmd.Flags().Var(arith, "arith", "arithmetic of --normal-form and --smt: auto, real or exact")
	registerDeclarations(cmd.Flags(), &shapes, &inputs)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to a `file` instead of standard output")
	return cmd
}

// describe prints the element of a program as a term and in normal form, or as a query.
func (a *app) describe(ty *glenside.Typing, shapes string, inputs []string, arith equiv.Arith, query bool) (string, error) {
	opts := equiv.Options{Arith: arith}
	var err error
	if opts.Tensors, err = declarations(shapes, inputs, a.reader()); err != nil {
		return "", err
	}
	d, err := equiv.Describe(language.Of(ty.Program), opts)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range d.Components {
		if len(c.Path) > 0 {
			fmt.Fprintf(&b, "component %v:\n", c.Path)
		}
		if query {
			b.WriteString(c.SMT)
			continue
		}
		fmt.Fprintf(&b, "element %s\n", c.Term)
		if c.Normal != "" {
			fmt.Fprintf(&b, "normal form %s\n", c.Normal)
		}
	}
	if !query {
		for _, o := range d.Obligations {
			fmt.Fprintf(&b, "where %s\n", o)
		}
		for _, o := range d.Idealised {
			fmt.Fprintf(&b, "idealised: %s\n", o)
		}
		for _, o := range d.Opaque {
			fmt.Fprintf(&b, "not interpreted: %s\n", o)
		}
	}
	return b.String(), nil
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
	for _, n := range listed(ty) {
		number[n] = fmt.Sprintf("%%%d", len(rows))
		r := row{number[n], ty.Type(n).String(), oneLevel(ty.Program, n, number)}
		rows = append(rows, r)
		nameWidth, typeWidth = max(nameWidth, len(r.name)), max(typeWidth, min(len(r.typ), 40))
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", nameWidth, r.name, typeWidth, r.typ, r.text)
	}
	return b.String()
}

// listed returns the expressions of a program that have a line of their own: numbers, shapes and words are
// printed where they stand.
func listed(ty *glenside.Typing) []*glenside.Node {
	var list []*glenside.Node
	for _, n := range ty.Program.Nodes {
		switch ty.Type(n).Kind {
		case glenside.TypeAccess, glenside.TypeTensor, glenside.TypeTuple, glenside.TypeAccessShape:
			if n.Kind != glenside.KindSymbol {
				list = append(list, n)
			}
		}
	}
	return list
}

// oneLevel prints a call with numbers for the operands that are listed.
func oneLevel(p *glenside.Program, n *glenside.Node, number map[*glenside.Node]string) string {
	if n.Kind != glenside.KindCall {
		return p.Text(n)
	}
	parts := []string{n.Op.Name}
	for _, arg := range n.Args {
		if name, ok := number[arg]; ok {
			parts = append(parts, name)
		} else {
			parts = append(parts, p.Text(arg))
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}
