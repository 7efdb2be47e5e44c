package ci

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Formats are the names of the formats that Write knows, the default first.
var Formats = []string{"text", "json", "junit", "sarif", "github", "html"}

// Write writes r in the named format; opts are for text. Errors: those of w, and a name that is not in Formats.
func Write(w io.Writer, format string, r *Run, opts TextOptions) error {
	switch format {
	case "json":
		return jsonReport(w, r)
	case "junit":
		return junitReport(w, r)
	case "sarif":
		return sarifReport(w, r)
	case "github":
		return githubReport(w, r)
	}
	return WriteShown(w, format, r, opts)
}

// WriteShown is Write for the formats that people look at, text and html: a program that calls it alone has no others in it.
func WriteShown(w io.Writer, format string, r *Run, opts TextOptions) error {
	switch format {
	case "text":
		return textReport(w, r, opts)
	case "html":
		return htmlReport(w, r)
	}
	return fmt.Errorf("there is no format %q", format)
}

// itemText is what the text report says of one item, without times and without the last line break.
func itemText(r *Run, it *Item) string {
	untimed := *r
	untimed.Timing = false
	var b bytes.Buffer
	t := &textWriter{b: &b, run: &untimed}
	t.item(it)
	return strings.TrimRight(b.String(), "\n")
}
