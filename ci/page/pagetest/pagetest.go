// Package pagetest says, for tests, what keeps a page from being read by everyone: by eye, by ear, from the keyboard, on paper.
package pagetest

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// Problems are what keeps a page from being read by everyone: unclosed elements, missing landmarks, headings that skip, tables without
// headings, pictures without names, references to nothing, and IDs that are not one's own.
func Problems(text string) (out []string) {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return []string{err.Error()}
	}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	out = append(out, unclosed(text)...)
	count := map[string]int{}
	ids := map[string]bool{}
	var refs []string
	level := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		if id := Attr(n, "id"); id != "" {
			if ids[id] {
				say("ID %s occurs twice", id)
			}
			ids[id] = true
		}
		for _, name := range []string{"aria-labelledby", "aria-describedby"} {
			refs = append(refs, strings.Fields(Attr(n, name))...)
		}
		if to := Attr(n, "href"); strings.HasPrefix(to, "#") {
			refs = append(refs, to[1:])
		}
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			h := int(n.Data[1] - '0')
			if h > level+1 {
				say("a heading of level %d follows one of level %d", h, level)
			}
			level = h
		case "th":
			if Attr(n, "scope") == "" {
				say("a heading of a table has no scope")
			}
		case "table":
			if first := n.FirstChild.NextSibling; first == nil || first.Data != "caption" {
				say("a table has no caption")
			}
		case "svg":
			if Attr(n, "role") != "img" || Attr(n, "aria-labelledby") == "" && Attr(n, "aria-label") == "" {
				say("a picture has no name")
			}
		case "script", "iframe", "object", "form", "base":
			say("there is a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style":
				say("<%s> has %s", n.Data, a.Key)
			case (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "?") && a.Val != "data:,": // of the page itself
				say("<%s> refers to %s", n.Data, a.Val)
			}
		}
		if n.Parent.Data == "div" && Attr(n.Parent, "tabindex") != "" && (Attr(n.Parent, "role") == "" || Attr(n.Parent, "aria-label") == "") {
			say("a place that takes the focus has no name")
		}
	}
	for _, ref := range refs {
		if !ids[ref] {
			say("nothing has the ID %s", ref)
		}
	}
	for _, one := range []string{"main", "header", "footer", "h1", "title"} {
		if count[one] != 1 && one != "title" || count[one] == 0 {
			say("%d of <%s>", count[one], one)
		}
	}
	return out
}

// Attr is an attribute of an element.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// unclosed lists tags that do not match.
func unclosed(text string) (out []string) {
	void := map[string]bool{"meta": true, "link": true, "br": true}
	var open []string
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			for _, name := range open {
				out = append(out, "<"+name+"> is not closed")
			}
			return out
		case html.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if last := len(open) - 1; last < 0 || open[last] != string(name) {
				out = append(out, "</"+string(name)+"> closes nothing")
			} else {
				open = open[:last]
			}
		}
	}
}
