package cli

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"tv/internal/spelling"
)

// The texts of tv help TOPIC; the first line of each is its summary.
//
//go:embed topics/*.txt
var topics embed.FS

// topicNames are the topics in the order in which help lists them.
var topicNames = []string{"language", "languages", "files", "domain", "equality", "arithmetic", "exit-status"}

// topicCommands returns commands that only have a help text.
func topicCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range topicNames {
		text, err := topics.ReadFile(path.Join("topics", name+".txt"))
		if err != nil {
			panic(err) // the file is part of the program
		}
		summary, long, _ := strings.Cut(string(text), "\n")
		list = append(list, &cobra.Command{Use: name, Short: summary, Long: strings.TrimSpace(long)})
	}
	return list
}

// helpCommand is cobra's but for the exit status of an unknown topic.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "explain a command or a topic",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || found == root && len(args) > 0 {
				name := strings.Join(args, " ")
				hint := "tv help lists commands and topics"
				if near := spelling.Nearest(name, append(names(root), topicNames...)); near != "" {
					hint = fmt.Sprintf("did you mean %s?", near)
				}
				return usageError("there is no command or topic %q; %s", name, hint)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
