package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tv/internal/source"
	"tv/internal/spelling"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "say what an error code means",
		Long: `Explain prints what an error code means and an example that triggers it. Without a code it lists
them all.`,
		Example: "  tv explain shape-mismatch",
		Args:    arguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var list []string
			for _, c := range Codes() {
				list = append(list, c.Name)
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.output("", []byte(codeList()))
			}
			text, err := explanation(args[0])
			if err != nil {
				return err
			}
			return a.output("", []byte(text))
		},
	}
}

func codeList() string {
	width := 0
	for _, c := range Codes() {
		width = max(width, len(c.Name))
	}
	var b strings.Builder
	for _, c := range Codes() {
		fmt.Fprintf(&b, "%-*s  %s\n", width, c.Name, c.Meaning)
	}
	return b.String()
}

func explanation(name string) (string, error) {
	// The brackets of a message may come along when it is copied.
	name = strings.Trim(name, "[]")
	var known []string
	for _, c := range Codes() {
		if c.Name == name {
			text := fmt.Sprintf("%s\n\n%s\n", c.Name, sentence(c.Meaning))
			if c.Example != "" {
				text += "\nExample:\n\n" + indent(elide(c.Example)) + "\n"
			}
			return text, nil
		}
		known = append(known, c.Name)
	}
	hint := "tv explain lists them"
	if near := spelling.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return "", &source.Error{Code: "unknown-code", Msg: fmt.Sprintf("there is no code %q; %s", name, hint)}
}

func indent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}
