// Command texts writes the networks of internal/networks as texts of Relay into a directory, each as it is exported and,
// under NAME.simplified.relay, with batch norms expanded:
//
//	go run ./internal/networks/texts DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tv/internal/networks"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: texts DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range networks.RelayNames() {
		exported, simplified := networks.Relay(name, false), networks.Relay(name, true)
		if err := os.WriteFile(filepath.Join(dir, name+".relay"), []byte(exported), 0o666); err != nil {
			return err
		}
		if simplified == exported {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name+".simplified.relay"), []byte(simplified), 0o666); err != nil {
			return err
		}
	}
	return nil
}
