package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/equiv/prove"
	"tv/semantics"
)

func (a *app) showCommand() *cobra.Command {
	var shapes, output string
	arith := newArith()
	var inputs []string
	var summary, normalForm, smtLib, effect bool
	var lang *choice
	var function *string
	var circuit circuitOptions
	cmd := &cobra.Command{
		Use:   "show PROGRAM",
		Short: "print the types, the normal form or the formula of a program",
		Long: `Show prints the tensors that a program reads, the conditions on its sizes under which it is well
formed, and each of its expressions or statements with its type: of Glenside access dims, compute dims,
element type. Equal expressions are listed once; %N stands for the expression of that number.

With --summary it prints the number of expressions and the type of the result; with --normal-form the
element at the index i0, i1, ... as it is and in normal form, and the conditions under which it is
defined; with --smt the element in SMT-LIB, as the value of the constant "result". With --effect it prints
what a procedure leaves in each of its parameters, by regions.

Of a text about circuits it prints ports, the words that outputs and registers are made of, what these start
as, and what a verdict about it rests on. (open PLACE WIDTH) is what the text leaves open there.`,
		Example: `  tv show program.sexp
  tv show --normal-form matmul.comp
  tv show --effect kernel.c
  tv show adder.v`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ways := 0
			for _, asked := range []bool{summary, normalForm, smtLib, effect} {
				if asked {
					ways++
				}
			}
			if ways > 1 {
				return usageError("tv show takes one of --summary, --normal-form, --smt and --effect")
			}
			if err := notInputs([]string{args[0], shapes}, []string{output}); err != nil {
				return err
			}
			if l := circuitLang(args[0], lang.value, extensionOf(args[0]) == ".json"); l != nil {
				if ways > 0 || cmd.Flags().Changed("arith") || shapes != "" || len(inputs) > 0 || *function != "" {
					return usageError("of a text about circuits tv show takes --arch, --top and --clock")
				}
				return a.showCircuit(args[0], l, circuit, output)
			}
			p, _, err := a.typed(args[0], lang.value, *function, shapes, inputs, arithOf(arith))
			if err != nil {
				return err
			}
			if err := exactOnly(arith, cmd.Flags().Changed("arith"), p.Source()); err != nil {
				return err
			}
			var text string
			switch {
			default:
				text = showTypes(p)
			case summary:
				text = fmt.Sprintf("%d expressions: %s\n", len(listed(p)), p.Result().Text)
			case effect && !p.Source().Signature().Procedure:
				return usageError("--effect is of procedures, and a text in %s is none", p.Source().Language().Name)
			case normalForm, smtLib, effect:
				d, err := a.describe(p.Source(), shapes, inputs, arithOf(arith))
				if err != nil {
					return err
				}
				switch {
				case effect:
					text = effects(p.Source().Signature(), d)
				default:
					text = described(d, smtLib)
				}
			}
			return a.output(output, []byte(text))
		},
	}
	cmd.Flags().BoolVar(&summary, "summary", false, "print the number of expressions and the type of the result only")
	cmd.Flags().BoolVar(&normalForm, "normal-form", false, "print the element and its normal form")
	cmd.Flags().BoolVar(&effect, "effect", false, "print what a procedure leaves in each parameter, by regions")
	cmd.Flags().BoolVar(&smtLib, "smt", false, "print the element as an SMT-LIB query")
	cmd.Flags().Var(arith, "arith", "arithmetic of --normal-form and --smt: auto, real or exact")
	lang, function = registerLang(cmd.Flags(), false, circuitLangNames()...), registerFunction(cmd.Flags())
	circuit.register(cmd)
	registerDeclarations(cmd.Flags(), &shapes, &inputs)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to a `file` instead of standard output")
	return cmd
}

// describe returns what tv makes of a program.
func (a *app) describe(p semantics.Source, shapes string, inputs []string, arith equiv.Arith) (d prove.Description, err error) {
	opts := equiv.Options{Arith: arith}
	if opts.Tensors, err = declarations(shapes, inputs, a.reader()); err != nil {
		return d, err
	}
	return equiv.Describe(p, opts)
}

// effects prints what a procedure leaves in its parameters.
func effects(s semantics.Signature, d prove.Description) string {
	var b strings.Builder
	for _, cond := range d.Domain {
		fmt.Fprintf(&b, "where %s\n", cond)
	}
	k := 0
	for _, p := range s.Parameters {
		if !p.Written {
			fmt.Fprintf(&b, "%s is left alone\n", p.Name)
			continue
		}
		c := d.Components[k]
		k++
		var index []string
		for axis := range c.Dims {
			index = append(index, fmt.Sprintf("i%d", axis))
		}
		fmt.Fprintf(&b, "%s[%s] of (%s)\n", p.Name, strings.Join(index, ", "), strings.Join(c.Dims, ", "))
		for _, piece := range c.Pieces {
			fmt.Fprintf(&b, "  = %s", piece.Value)
			if len(piece.Where) > 0 {
				fmt.Fprintf(&b, "  where %s", strings.Join(piece.Where, " and "))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// described prints elements as terms and in normal form, or as queries.
func described(d prove.Description, query bool) string {
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
	return b.String()
}

// showTypes lists the parts of a program in the order in which they are computed.
func showTypes(p semantics.Program) string {
	var b strings.Builder
	for _, t := range p.Inputs() {
		dims := make([]string, len(t.Dims))
		for i, d := range t.Dims {
			dims[i] = d.String()
		}
		fmt.Fprintf(&b, "reads %s: (%s) %s\n", t.Name, strings.Join(dims, " "), t.Elem)
	}
	for _, c := range p.Conditions() {
		fmt.Fprintf(&b, "needs %s, else %s: %s\n", c.Pred, p.At(c.Part).Position(), c.Msg)
	}
	rows := listed(p)
	nameWidth, typeWidth := 0, 0
	for _, r := range rows {
		nameWidth, typeWidth = max(nameWidth, len(r.name)), max(typeWidth, min(len(r.typ), 40))
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", nameWidth, r.name, typeWidth, r.typ, r.text)
	}
	return b.String()
}

// A row is a part with a line of its own.
type row struct{ name, typ, text string }

// listed returns the rows of a program.
func listed(p semantics.Program) (rows []row) {
	number := map[int]string{}
	for part := range p.Parts() {
		typ, text := p.Line(part, func(operand int) string { return number[operand] })
		if typ == "" {
			continue
		}
		number[part] = fmt.Sprintf("%%%d", len(rows))
		rows = append(rows, row{number[part], typ, text})
	}
	return rows
}
