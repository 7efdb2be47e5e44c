// Command man writes the manual pages of tv: one of section 1 for each command, one of section 7 for each topic of tv help.
//
//	go run ./cmd/tv/man [-date 2026-01-31] DIRECTORY
//
// It is no command of tv itself: the library that makes the pages would be part of every start.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"tv/cmd/tv/internal/cli"
)

func main() {
	date := flag.String("date", "", "`day` that the pages bear, such as 2026-01-31 (default: today)")
	flag.Parse()
	if err := run(flag.Args(), *date); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(args []string, date string) error {
	if len(args) != 1 {
		return fmt.Errorf("one directory is wanted")
	}
	day := time.Now()
	if date != "" {
		var err error
		if day, err = time.Parse(time.DateOnly, date); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		return err
	}
	return write(cli.Root(), args[0], day)
}

// write writes the page of a command, or of a topic, and those below it.
func write(cmd *cobra.Command, dir string, day time.Time) error {
	var topics []string
	for _, sub := range cmd.Commands() {
		if sub.Name() == "help" {
			continue
		}
		if sub.IsAdditionalHelpTopicCommand() {
			topics = append(topics, fmt.Sprintf("**%s-%s(7)**", cmd.Name(), sub.Name()))
		}
		if err := write(sub, dir, day); err != nil {
			return err
		}
	}
	if topics != nil { // the library's list of pages to see has commands alone
		cmd.Long += "\n\nOf the language, of files and of what verdicts mean tell " + strings.Join(topics, ", ") + "."
	}
	section := "1"
	if cmd.IsAdditionalHelpTopicCommand() {
		section = "7"
		cmd.Long = verbatim(cmd.Long)
	}
	cmd.DisableAutoGenTag = true // the day is in the header, and output is the same for the same day
	var page bytes.Buffer
	if err := doc.GenMan(cmd, &doc.GenManHeader{Section: section, Date: &day, Source: "tv", Manual: "tv manual"}, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + "." + section
	return os.WriteFile(filepath.Join(dir, name), page.Bytes(), 0o666)
}

// verbatim keeps the lines of a topic as they are: its tables would be run together.
func verbatim(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}
