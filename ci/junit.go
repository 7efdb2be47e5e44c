package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"tv/internal/source"
	"tv/semantics/domain"
)

// The elements of JUnit's XML that build servers read, in the order in which they stand.

type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Time     string   `xml:"time,attr,omitempty"`
	Suites   []junitSuite
}

type junitSuite struct {
	XMLName    xml.Name        `xml:"testsuite"`
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr,omitempty"`
	Properties junitProperties `xml:"properties"`
	Cases      []junitCase
}

type junitProperties struct {
	List []junitProperty
}

type junitProperty struct {
	XMLName xml.Name `xml:"property"`
	Name    string   `xml:"name,attr"`
	Value   string   `xml:"value,attr"`
}

type junitCase struct {
	XMLName    xml.Name         `xml:"testcase"`
	Name       string           `xml:"name,attr"`
	Class      string           `xml:"classname,attr"`
	File       string           `xml:"file,attr,omitempty"`
	Line       int              `xml:"line,attr,omitempty"`
	Time       string           `xml:"time,attr,omitempty"`
	Properties *junitProperties `xml:"properties"`
	Skipped    *junitOutcome    `xml:"skipped"`
	Error      *junitOutcome    `xml:"error"`
	Failure    *junitOutcome    `xml:"failure"`
	Out        *junitText       `xml:"system-out"`
}

// A junitText is a text that keeps its line breaks: the encoder would write them as character references.
type junitText struct {
	XML string `xml:",innerxml"`
}

type junitOutcome struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",innerxml"`
}

// junitReport writes r as one suite of tests: a proof passes, a refutation fails, what could not be asked is an
// error, and what is unknown, known from the baseline or not answered is skipped, with the reason.
func junitReport(w io.Writer, r *Run) error {
	suite := junitSuite{Name: suiteName(r), Properties: junitProperties{List: []junitProperty{
		{Name: "version", Value: r.Version},
		{Name: "args", Value: strings.Join(r.Args, " ")},
		{Name: "exit", Value: fmt.Sprint(r.Exit)},
	}}}
	if r.Shard != nil {
		suite.Properties.List = append(suite.Properties.List, junitProperty{Name: "part", Value: r.opening()})
	}
	var total time.Duration
	if c := r.Campaign; c != nil { // the campaign itself is a case, so that one without findings has one
		suite.Cases = append(suite.Cases, junitCampaign(c))
		if c.Timing != nil {
			total = time.Duration(c.Timing.TotalMS * float64(time.Millisecond))
		}
	}
	for i := range r.Items {
		it := &r.Items[i]
		total += it.Result.Elapsed
		suite.Cases = append(suite.Cases, junitItem(r, it))
	}
	if len(r.Errors) > 0 {
		suite.Cases = append(suite.Cases, junitCase{
			Name: "run", Class: "tv.run", Error: junitErrors(r.Errors),
		})
	}
	for i := range suite.Cases {
		c := &suite.Cases[i]
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	if r.Timing {
		suite.Time = seconds(total)
	}
	doc := junitSuites{Name: "tv", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Time: suite.Time, Suites: []junitSuite{suite}}
	data, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

func suiteName(r *Run) string {
	if len(r.Args) == 0 {
		return "tv"
	}
	return "tv " + r.Args[0]
}

// junitCampaign is a campaign as a case: it is skipped where it was stopped.
func junitCampaign(c *Campaign) junitCase {
	out := junitCase{Name: "the campaign", Class: "tv.fuzz"}
	if c.Interrupted {
		out.Skipped = &junitOutcome{Message: "the campaign was stopped"}
	}
	out.Out = &junitText{xmlText(c.Opening + "\n" + c.Closing)}
	return out
}

func junitItem(r *Run, it *Item) junitCase {
	res := &it.Result
	c := junitCase{Name: it.title(), Class: "tv." + it.kind(), File: it.file()}
	if places := it.places(); len(places) > 0 {
		p := places[0].Position()
		c.File, c.Line = p.File, p.Line
	}
	if it.answered() {
		c.Properties = &junitProperties{List: []junitProperty{
			{Name: "arith", Value: res.Arithmetic()},
			{Name: "equal", Value: res.Equal.String()},
			{Name: "domain", Value: domain.Conjunction(conditions(res))},
			{Name: "engine", Value: res.Engine},
			{Name: "sha256", Value: res.SHA256},
		}}
		if r.Timing {
			c.Time = seconds(res.Elapsed)
		}
	}
	outcome := &junitOutcome{Type: verdictRule(r, it), Message: it.firstLine(false)}
	switch r.status(it) {
	case passed:
		c.Out = &junitText{xmlText(itemText(r, it))}
	case failed:
		outcome.Text = xmlText(itemText(r, it))
		c.Failure = outcome
	case known:
		outcome.Message = "known: " + outcome.Message
		c.Skipped, c.Out = outcome, &junitText{xmlText(itemText(r, it))}
	case undecided:
		outcome.Message = joinNonEmpty(": ", res.Reason, res.Detail)
		c.Skipped, c.Out = outcome, &junitText{xmlText(itemText(r, it))}
	case unanswered:
		c.Skipped = &junitOutcome{Message: "not answered: the run was stopped"}
	case errored:
		c.Error = junitErrors(it.Errors)
	}
	return c
}

// junitErrors makes one outcome of several problems.
func junitErrors(list source.Errors) *junitOutcome {
	return &junitOutcome{Type: list[0].Code, Message: list[0].Error(), Text: xmlText(list.Error())}
}

// xmlText escapes a text and leaves its line breaks.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}

// seconds prints a time as JUnit wants it.
func seconds(d time.Duration) string { return fmt.Sprintf("%.4f", d.Seconds()) }
