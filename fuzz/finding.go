package fuzz

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/internal/source"
)

// A Finding is something that is wrong.
type Finding struct {
	Case   int64    `json:"case"` // -1: it was in the corpus
	Target string   `json:"target"`
	Key    string   `json:"key"`  // what it is known by: findings with one key are one
	Kind   string   `json:"kind"` // "wrong proof", "wrong refutation", "wrong law", "fault", "difference", ...
	Detail string   `json:"detail"`
	Blame  []string `json:"blame,omitempty"` // the subterms that differ first
	File   string   `json:"file,omitempty"`  // where it was written
	Text   string   `json:"text"`            // what was or would be written: it replays without generator or seed
	// Replay is the command that brings it back, but for the name of the file.
	Replay []string `json:"replay"`

	Result *equiv.Result `json:"-"` // of check and rules, where an element differs; nil: Detail says it all
	Place  source.Span   `json:"-"` // of the rule; none elsewhere
}

// FileName is the name of a finding's file: what it is, and the first digits of the digest of its text.
func (f *Finding) fileName() string {
	sum := sha256.Sum256([]byte(f.Text))
	return fmt.Sprintf("%s-%s-%x.txtar", f.Target, strings.ReplaceAll(f.Kind, " ", "-"), sum[:4])
}

// Command returns the command that brings the finding back from its file.
func (f *Finding) Command() []string {
	name := f.File
	if name == "" {
		name = f.fileName()
	}
	return append(append([]string(nil), f.Replay...), name)
}

// headline is the first line of the files that campaigns write: "# tv fuzz self: wrong proof".
func headline(target, kind string) string { return fmt.Sprintf("# tv fuzz %s: %s\n", target, kind) }

// note prints a line of prose for a file.
func note(s string) string { return "# " + strings.ReplaceAll(s, "\n", " ") + "\n" }

// section prints a section of an archive.
func section(name, text string) string {
	return "-- " + name + " --\n" + strings.TrimSpace(text) + "\n"
}

// blameTexts returns what the blame of a result names, and a key that does not depend on sizes: the
// operators.
func blameTexts(list []sample.Blame) (texts []string, key string) {
	var ops []string
	for _, b := range list {
		texts = append(texts, b.Side+": "+b.Text)
		ops = append(ops, b.Side+" "+headOf(b.Text))
	}
	return texts, strings.Join(ops, ", ")
}

// headOf returns the operator of a call's text.
func headOf(text string) string {
	words := strings.Fields(strings.Trim(text, "()"))
	for i, w := range words {
		if w = strings.Trim(w, "()"); w == "compute" || w == "relay-operator-call" || w == "accelerator-call" {
			continue
		}
		return strings.Trim(words[i], "()")
	}
	return text
}
