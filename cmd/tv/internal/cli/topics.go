package cli

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/glenside"
	"tv/internal/spelling"
	"tv/semantics/bits/cells"
)

// The texts of tv help TOPIC; the first line of each is its summary.
//
//go:embed topics/*.txt
var topics embed.FS

// topicNames are the topics in the order in which help lists them.
var topicNames = []string{"language", "languages", "operators", "cells", "rules", "files", "domain", "equality", "arithmetic", "exit-status"}

// topicCommands returns commands that only have a help text.
func topicCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range topicNames {
		summary, long, _ := strings.Cut(topicText(name), "\n")
		list = append(list, &cobra.Command{Use: name, Short: summary, Long: strings.TrimSpace(long)})
	}
	return list
}

// topicText is the text of a topic: of what has a table, made from it.
func topicText(name string) string {
	switch name {
	case "operators":
		return operatorList()
	case "cells":
		return cellList()
	}
	text, err := topics.ReadFile(path.Join("topics", name+".txt"))
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(text)
}

// helpWords are all words that tv help explains beside commands.
func helpWords() []string {
	words := slices.Clone(topicNames)
	for _, op := range glenside.Ops() {
		words = append(append(words, op.Name), op.Aliases...)
	}
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			words = append(words, c.Name)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// helpCommand is cobra's but for operators and cells, and for the exit status of an unknown topic.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC | OPERATOR | CELL]",
		Short: "explain a command, a topic, an operator or a cell",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return append(names(cmd.Root()), helpWords()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || found == root && len(args) > 0 {
				name := strings.Join(args, " ")
				if text := operatorHelp(name) + cellHelp(name); text != "" {
					cmd.Print(text)
					return nil
				}
				hint := "tv help lists commands and topics"
				if near := spelling.Nearest(name, append(names(root), helpWords()...)); near != "" {
					hint = fmt.Sprintf("did you mean %s?", near)
				}
				return usageError("there is no command, topic, operator or cell %q; %s", name, hint)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
