//go:build !js

package cli

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tv/ci/page"
	"tv/fuzz"
	"tv/fuzz/cluster"
	"tv/internal/source"
	"tv/internal/visible"
)

func (a *app) fuzzStatusCommand() *cobra.Command {
	var flags clusterFlags
	var listen string
	var anywhere bool
	format := newChoice("text", "json", "html")
	cmd := &cobra.Command{
		Use:   "status --cluster URL",
		Short: "how far are the campaigns of a cluster?",
		Long: `Status says of each campaign that a NATS server keeps how far it is, which workers did how much, and what was found.
With --listen it serves a page that says so, with plots over time, and keeps itself up to date until tv is interrupted.`,
		Example: "  tv fuzz status --cluster nats://127.0.0.1:4222\n  tv fuzz status --cluster nats://127.0.0.1:4222 --listen 127.0.0.1:8080",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !flags.given() {
				return usageError("status wants --cluster")
			}
			log := func(text string) { fmt.Fprintln(a.stderr, visible.Line(text)) }
			if listen != "" {
				return a.serveStatus(cmd.Context(), flags.server, listen, anywhere, log)
			}
			list, err := cluster.ReadStatus(cmd.Context(), flags.server, log)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			switch {
			case format.value == "json":
				err = fuzz.WriteLine(&b, map[string]any{"schema": cluster.Schema, "campaigns": list})
			case format.value == "html":
				err = page.Write(&b, statusPage(flags.server.String(), list))
			case len(list) == 0:
				b.WriteString("no campaigns\n")
			default:
				for i := range list {
					b.WriteString(list[i].String())
				}
			}
			if err != nil {
				return err
			}
			return a.output("", b.Bytes())
		},
	}
	fs := cmd.Flags()
	flags.registerServer(fs, "the NATS server at this `URL`")
	fs.Var(format, "format", "text, json or html")
	fs.StringVar(&listen, "listen", "", "serve a page at this `HOST:PORT`; port 0 is any that is free")
	fs.BoolVar(&anywhere, "anywhere", false, "other machines may look at the page: --listen may name an address that they reach")
	return cmd
}

func (a *app) fuzzForgetCommand() *cobra.Command {
	var flags clusterFlags
	var ended bool
	cmd := &cobra.Command{
		Use:   "forget --cluster URL [CAMPAIGN...]",
		Short: "remove campaigns from a cluster",
		Long: `Forget removes what a NATS server keeps of campaigns, by the names that tv fuzz status prints, and with --ended of all that have ended: queue,
results, findings and cases. Workers that are at it end with an error. What is in directories of workers stays.`,
		Example: "  tv fuzz forget --cluster nats://127.0.0.1:4222 1539be5bcddc6c7b6cf934d2\n  tv fuzz forget --cluster nats://127.0.0.1:4222 --ended",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !flags.given() || len(args) == 0 && !ended {
				return usageError("forget wants --cluster, and campaigns or --ended")
			}
			gone, err := cluster.Forget(cmd.Context(), flags.server, args, ended, func(text string) { fmt.Fprintln(a.stderr, visible.Line(text)) })
			var b strings.Builder
			for _, id := range gone {
				b.WriteString("forgotten: " + visible.Line(id) + "\n")
			}
			if failed := a.output("", []byte(b.String())); err == nil {
				err = failed
			}
			return err
		},
	}
	flags.registerServer(cmd.Flags(), "the NATS server at this `URL`")
	cmd.Flags().BoolVar(&ended, "ended", false, "all campaigns in which each case was run")
	return cmd
}

// serveStatus serves the page until the context ends.
func (a *app) serveStatus(ctx context.Context, s cluster.Server, listen string, anywhere bool, log func(string)) error {
	if host, _, err := net.SplitHostPort(listen); err != nil || host == "" {
		return &source.Error{Code: codeStart, Msg: fmt.Sprintf("an address to listen at is HOST:PORT, not %q", listen)}
	} else if !anywhere && !isLoopback(host) {
		return &source.Error{Code: codeAnywhere, Msg: fmt.Sprintf("other machines reach %q: --anywhere says that they may", host)}
	}
	v, err := cluster.View(s, log)
	if err != nil {
		return err
	}
	defer v.Close()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return &source.Error{Code: codeStart, Msg: "cannot listen: " + err.Error(), Err: err}
	}
	server := &http.Server{Handler: &statusHandler{server: s.String(), look: v.Status, anywhere: anywhere}, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := a.output("", []byte("the page is at http://"+l.Addr().String()+"/\n")); err != nil {
		return err
	}
	if err := server.Serve(l); ctx.Err() == nil {
		return &source.Error{Code: codeStart, Msg: err.Error(), Err: err}
	}
	return nil
}

// isLoopback tells a host that this machine alone reaches.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// How often a page asks for itself, how old what it says may be where many ask, and how long a look may take.
const (
	refreshSeconds = 5
	freshFor       = time.Second
	lookFor        = 5 * time.Second
)

// A statusHandler answers with the page, and with nothing else. Where the NATS server is gone it says so above what it said last.
type statusHandler struct {
	server   string
	look     func(ctx context.Context) ([]cluster.Status, error)
	anywhere bool

	mu     sync.Mutex
	looked time.Time
	last   []cluster.Status
	failed error
}

// ServeHTTP answers a request: / is a page that asks for itself again, /?still the same that stays. A name that is not this
// machine's is refused, as pages of others that a browser shows could otherwise ask under theirs.
func (h *statusHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	switch {
	case !h.anywhere && !isLoopback(strings.Trim(host, "[]")):
		http.Error(w, "the page is asked for by the address that tv printed", http.StatusForbidden)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page is read only", http.StatusMethodNotAllowed)
		return
	case r.URL.Path != "/":
		http.NotFound(w, r)
		return
	}
	list, failed := h.status(r.Context())
	p := statusPage(h.server, list)
	if r.URL.Query().Has("still") {
		p.Links = []page.Link{{Text: "update now", Query: "still"}, {Text: "keep updating", Query: ""}}
	} else {
		p.Refresh = refreshSeconds
		p.Links = []page.Link{{Text: fmt.Sprintf("this page updates every %d seconds: stop that", refreshSeconds), Query: "still"}}
	}
	if failed != nil {
		p.Errors = append(p.Errors, failed.Error(), "what follows is what was there before")
	}
	var b bytes.Buffer
	if err := page.Write(&b, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for name, value := range map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"} {
		w.Header().Set(name, value)
	}
	_, _ = w.Write(b.Bytes()) // who asked may be gone
}

// status looks, unless somebody just did.
func (h *statusHandler) status(ctx context.Context) ([]cluster.Status, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.looked.IsZero() && time.Since(h.looked) < freshFor {
		return h.last, h.failed
	}
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	list, err := h.look(ctx)
	if err == nil {
		h.last = list
	}
	h.looked, h.failed = time.Now(), err
	return h.last, err
}

// What is on a page at most.
const (
	mostCampaigns = 50
	mostRows      = 100
	mostTicks     = 6 // of a plot, beside 0
)

// statusPage is how far campaigns are, as a page. Those that are under way come first.
func statusPage(server string, list []cluster.Status) *page.Page {
	p := &page.Page{Title: "Campaigns", Verdict: "campaign", Foot: "tv " + version() + "; times are by the clock of " + server}
	findings, running := 0, 0
	for _, s := range list {
		findings += len(s.Findings)
		if s.Left > 0 {
			running++
		}
	}
	p.Lead = fmt.Sprintf("%d campaigns, %d of them under way, %d findings", len(list), running, findings)
	if len(list) == 0 {
		p.Lead = "no campaigns"
		return p
	}
	p.Table = &page.Table{Caption: "Campaigns", Head: []string{"campaign", "target", "seed", "cases", "of", "coverage", "findings", "workers"}}
	var ended []page.Result
	for i := range list {
		s := &list[i]
		workers := int64(0)
		if n := len(s.History); n > 0 && s.Left > 0 {
			workers = s.History[n-1].Workers
		}
		row := page.Row{Cells: []string{s.Campaign, s.Target, fmt.Sprint(s.Seed), fmt.Sprint(s.Done), fmt.Sprint(s.Cases), fmt.Sprint(s.Coverage),
			fmt.Sprint(len(s.Findings)), fmt.Sprint(workers)}}
		if i < mostCampaigns {
			r := statusResult(fmt.Sprintf("c%d", i+1), s)
			row.To = r.ID
			if s.Left > 0 {
				p.Results = append(p.Results, r)
			} else {
				ended = append(ended, r)
			}
		}
		p.Table.Rows = append(p.Table.Rows, row)
	}
	p.Results = append(p.Results, ended...)
	if len(list) > mostCampaigns {
		p.Notes = append(p.Notes, fmt.Sprintf("%d campaigns have no plots here", len(list)-mostCampaigns))
	}
	return p
}

// statusResult is a campaign with its plots and tables.
func statusResult(id string, s *cluster.Status) page.Result {
	name, lead := fmt.Sprintf("%s, seed %d", s.Target, s.Seed), fmt.Sprintf("%d of %d cases, %d findings", s.Done, s.Cases, len(s.Findings))
	if s.Batch {
		name, lead = "questions of tv "+s.Target, fmt.Sprintf("%d of %d parts", s.Done, s.Cases)
	}
	r := page.Result{ID: id, Name: name, Verdict: "ended", Lead: lead,
		Facts: []page.Fact{{Name: "campaign", Values: []string{s.Campaign}}, {Name: "build", Values: []string{s.Build}},
			{Name: "ranges", Values: []string{fmt.Sprintf("%d of %d done, %d with a worker", s.Ranges-s.Left, s.Ranges, s.UnderWay)}},
			{Name: "coverage", Values: []string{fmt.Sprint(s.Coverage)}}}}
	if s.Left > 0 {
		r.Verdict = "under way"
	}
	if s.Refused > 0 {
		r.Facts = append(r.Facts, page.Fact{Name: "set aside", Values: []string{fmt.Sprintf("%d messages that no worker wrote", s.Refused)}})
	}
	if len(s.History) > 0 {
		began := s.History[0].Time
		r.Facts = append(r.Facts, page.Fact{Name: "began", Values: []string{began.UTC().Format(time.RFC3339)}})
		r.Sections = append(r.Sections, page.Section{Title: "Over time", Blocks: []page.Block{{Plots: plots(s.History)}}})
	}
	workers := &page.Table{Caption: "Workers", Head: []string{"worker", "ranges", "cases", "last result"}}
	for _, w := range s.Workers[:min(len(s.Workers), mostRows)] {
		workers.Rows = append(workers.Rows, page.Row{Cells: []string{w.Name, fmt.Sprint(w.Ranges), fmt.Sprint(w.Cases), w.Last.UTC().Format(time.RFC3339)}})
	}
	found := &page.Table{Caption: "Findings", Head: []string{"case", "what it is known by"}}
	for _, f := range s.Findings[:min(len(s.Findings), mostRows)] {
		found.Rows = append(found.Rows, page.Row{Cells: []string{fmt.Sprint(f.Case), f.Key}})
	}
	for _, t := range []struct {
		table *page.Table
		all   int
	}{{workers, len(s.Workers)}, {found, len(s.Findings)}} {
		if s.Batch && t.table == found {
			continue
		}
		section := page.Section{Title: t.table.Caption, Blocks: []page.Block{{Table: t.table}}}
		if t.all == 0 {
			section.Blocks = []page.Block{{Text: "none yet"}}
		} else if t.all > mostRows {
			section.Blocks = append(section.Blocks, page.Block{Text: fmt.Sprintf("%d are left out", t.all-mostRows)})
		}
		r.Sections = append(r.Sections, section)
	}
	return r
}

// plots are those of a history.
func plots(history []cluster.Moment) (out []page.Plot) {
	began := history[0].Time
	since := func(m cluster.Moment) time.Duration { return m.Time.Sub(began) }
	whole := since(history[len(history)-1])
	var ticks []page.Point
	for at := time.Duration(0); at <= whole; at += cluster.StepOf(whole, mostTicks) {
		ticks = append(ticks, page.Point{X: at.Seconds(), Text: spanText(at)})
	}
	for _, p := range []struct {
		title string
		steps bool
		of    func(m cluster.Moment) int64
	}{
		{"ranges with a result", false, func(m cluster.Moment) int64 { return m.Ranges }},
		{"cases", false, func(m cluster.Moment) int64 { return m.Cases }},
		{"coverage", false, func(m cluster.Moment) int64 { return m.Coverage }},
		{"findings", true, func(m cluster.Moment) int64 { return m.Findings }},
		{"workers", true, func(m cluster.Moment) int64 { return m.Workers }},
	} {
		plot := page.Plot{Title: p.title, X: "time since the beginning", Ticks: ticks, Steps: p.steps}
		for _, m := range history {
			plot.Points = append(plot.Points, page.Point{X: since(m).Seconds(), Y: float64(p.of(m)), Text: spanText(since(m))})
		}
		last := p.of(history[len(history)-1])
		plot.Caption = fmt.Sprint(last)
		out = append(out, plot)
	}
	return out
}

// spanText prints a time with as many digits as tell the marks of an axis apart.
func spanText(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
