package witness

import (
	"context"
	"fmt"
	"strings"

	"tv/internal/languages"
	"tv/proofs"
	"tv/proofs/recur"
)

// Recurrences returns a certificate that the checker accepts of a proof by recurrences. lines returns the proof, given what the
// checker calls the assignments of both sides, in the order of the texts; goals are answered here. It fails with the
// checker's error where the proof is refused.
func Recurrences(ctx context.Context, s proofs.Statement, lines func(before, after []string) (string, error)) ([]byte, error) {
	text, err := languages.Checker.Statements("certificate", s)
	if err != nil {
		return nil, err
	}
	names := map[string][]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 {
			names[words[0]] = append(names[words[0]], words[1])
		}
	}
	proof, err := lines(names["before"], names["after"])
	if err != nil {
		return nil, err
	}
	var goals strings.Builder
	err = languages.Checker.Recurrences("certificate", s, proof, func(g *recur.Goal) string {
		if ctx.Err() != nil {
			return ""
		}
		text := Refute(g)
		fmt.Fprintf(&goals, "goal %d %s\n", g.N, text)
		return text
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, err
	}
	return proofs.Format([]proofs.Pair{{Statement: s, Recurrences: proof + goals.String()}}), nil
}
