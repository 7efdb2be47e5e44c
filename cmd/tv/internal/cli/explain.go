package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/internal/source"
	"tv/internal/spelling"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE | WORD]",
		Short: "say what an error code or a word of a report means",
		Long: `Explain prints what an error code means and an example that triggers it, or what a verdict, the reason of one, or
a rule of a SARIF report means. Without a word it lists the codes.`,
		Example: `  tv explain shape-mismatch
  tv explain incomplete
  tv explain refuted-values`,
		Args: arguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var list []string
			for _, c := range Codes() {
				list = append(list, c.Name)
			}
			return append(list, reportWords()...), cobra.ShellCompDirectiveNoFileComp
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
	if text := wordHelp(name); text != "" {
		return text, nil
	}
	known = append(known, reportWords()...)
	hint := "tv explain lists them"
	if near := spelling.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return "", &source.Error{Code: "unknown-code", Msg: fmt.Sprintf("there is no code %q; %s", name, hint)}
}

// verdictWords are verdicts by themselves, which a report may join with a reason.
var verdictWords = map[string]string{
	"proved":  "AFTER equals BEFORE for every input and size of the domain, and a checker has accepted a certificate, or the verdict says what it trusts",
	"refuted": "an input, and sizes, tell AFTER and BEFORE apart; the reference evaluator has run both",
	"unknown": "neither proved nor refuted: the reason says why",
}

// reportWords are the words of reports that tv explain knows: verdicts, reasons, and rules of SARIF.
func reportWords() []string {
	words := slices.Collect(maps.Keys(verdictWords))
	for rule := range ci.Words() {
		words = append(words, rule)
		if _, reason, ok := strings.Cut(rule, "-"); ok && rule != "unwanted-proved" {
			words = append(words, reason)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// wordHelp says what a word of a report means; empty where it is none. A reason may go with several verdicts.
func wordHelp(word string) string {
	if text := verdictWords[word]; text != "" {
		return fmt.Sprintf("%s\n\n%s\n", word, sentence(text))
	}
	rules := ci.Words()
	if text := rules[word]; text != "" {
		return fmt.Sprintf("%s\n\n%s\n", word, sentence(text))
	}
	var b strings.Builder
	for _, verdict := range []string{"refuted", "unknown"} {
		if text := rules[verdict+"-"+word]; text != "" {
			fmt.Fprintf(&b, "\n%s %s: %s\n", verdict, word, text)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return word + "\n" + b.String()
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
