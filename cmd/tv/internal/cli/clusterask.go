//go:build !js

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/ci/cache"
	"tv/fuzz/cluster"
	"tv/internal/files"
	"tv/internal/source"
	"tv/internal/visible"
)

// Questions of many files go to a cluster in parts. What comes back are entries of the verdict cache, which nobody believes: the process
// that asks has its checker accept the certificates and runs the counterexamples again, as for any cache, and answers
// by itself what nobody answered. So its report is that of one machine, whoever worked for it.

// travels are the flags of tv check and tv certify that go to workers: they are what is asked, and name no files.
var travels = []string{"equal", "arith", "timeout", "rlimit", "memory", "solver", "bind", "assume", "function", "input", "out", "overflow", "alias",
	implementationFlag, sequentialFlag, "lang", "format-in", "conv", "only", "both", "expect", "require-exact"}

// stays are those that say what to do with the answers, here.
var stays = []string{"format", "output", "report", "baseline", "no-timing", "color", "quiet", "verbose", "jobs", "counterexample", "certificate", "certificates", "cache",
	"cluster", "ack-wait", "creds", "tlscert", "tlskey", "tlsca"}

// servedBatches are the commands whose questions travel.
var servedBatches = []string{"check", "certify"}

// batchFlags are the flags of a command line that travel. Errors: usage for one that neither travels nor stays.
func batchFlags(fs *pflag.FlagSet) (out []string, err error) {
	fs.Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(travels, f.Name):
			out = append(out, flagArgs(f)...)
		case !slices.Contains(stays, f.Name) && err == nil:
			err = usageError("--cluster goes without --%s: it names a file, a part or what workers do not send", f.Name)
		}
	})
	return out, err
}

// fits refuses flags with which there is no cluster.
func (f *clusterFlags) fits(fs *pflag.FlagSet) error {
	_, err := batchFlags(fs)
	return err
}

// crew is how this process works on batches.
func (a *app) crew(ctx context.Context, f *clusterFlags, jobs int) (*cluster.Crew, error) {
	if err := checkJobs(jobs); err != nil {
		return nil, err
	}
	if f.ackWait <= 0 {
		return nil, usageError("--ack-wait is a time above 0")
	}
	id, err := cacheID(ctx) // entries of the cache of one are of use to another with the same alone
	if err != nil {
		return nil, err
	}
	return &cluster.Crew{Build: fmt.Sprintf("%x", sha256.Sum256([]byte(id)))[:24], Jobs: workers(jobs), AckWait: f.ackWait, Log: func(text string) { fmt.Fprintln(a.stderr, visible.Line(text)) },
		Work: func(ctx context.Context, b *cluster.Batch, part int64) ([]cluster.Hint, error) {
			return batchPart(ctx, id, b, part)
		}}, nil
}

// askCluster has workers answer questions, so many of them, of files and leaves what they found in the cache.
func (a *app) askCluster(cmd *cobra.Command, flags *checkFlags, names []string, questions []*question) error {
	given, err := batchFlags(cmd.Flags())
	if err != nil {
		return err
	}
	if slices.ContainsFunc(questions, func(q *question) bool { return q.circuit != nil }) {
		return usageError("--cluster: of circuits nothing is kept, so that workers have nothing to send")
	}
	b := &cluster.Batch{Command: cmd.Name(), Flags: given, Parts: min(int64(len(questions)), cluster.MostParts)}
	notLitmus := func(name string) bool { return extensionOf(name) != "."+langLitmus }
	b.ByFile = b.Command == "check" && !slices.ContainsFunc(names, notLitmus)
	for _, name := range names {
		info, err := os.Stat(name)
		if regular := err == nil && info.Mode().IsRegular(); !regular && b.ByFile { // what is wrong with it is said here
			continue
		} else if !regular {
			return usageError("--cluster: %s is no file that travels; --function says which function is meant", name)
		}
		data, err := files.ReadBytes(name, a.stdin)
		if err != nil {
			return err
		}
		b.Files = append(b.Files, cluster.BatchFile{Name: cluster.BatchName(len(b.Files), filepath.Ext(name)), Text: string(data)})
	}
	if b.ByFile {
		b.Parts = min(int64(len(b.Files)), cluster.MostParts)
	}
	if b.Parts == 0 {
		return nil
	}
	c, err := a.crew(cmd.Context(), &flags.cluster, flags.jobs)
	if err != nil {
		return err
	}
	hints, err := c.Ask(cmd.Context(), flags.cluster.server, b)
	if err != nil {
		return err
	}
	if flags.opened == nil {
		id, err := cacheID(cmd.Context())
		if err != nil {
			return err
		}
		flags.opened = cache.InMemory(id)
	}
	for name, data := range hints {
		if err := flags.opened.Add(name, data); err != nil {
			c.Log("warning: " + err.Error()) // it is answered here
		}
	}
	return nil
}

// batchPart works on a part of a batch: a command line of this process, on texts that are in no files. What it prints is of no use
// to anybody; what it leaves in the cache is.
func batchPart(ctx context.Context, id string, b *cluster.Batch, part int64) ([]cluster.Hint, error) {
	if !slices.Contains(servedBatches, b.Command) {
		return nil, &source.Error{Code: cluster.CodeMessage, Msg: fmt.Sprintf("%.40q is not served", b.Command)}
	}
	for _, flag := range b.Flags {
		name, _, ok := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		if !ok || !strings.HasPrefix(flag, "--") || !slices.Contains(travels, name) {
			return nil, &source.Error{Code: cluster.CodeMessage, Msg: fmt.Sprintf("%.40q is no flag that travels", flag)}
		}
	}
	args := append([]string{b.Command}, b.Flags...)
	which := fmt.Sprintf("--shard=%d/%d", part, b.Parts)
	if b.ByFile {
		which = "--shard=0/1"
	}
	args = append(args, which, "--jobs=1", "--no-timing", "--quiet", "--")
	texts := map[string]string{}
	for _, f := range b.Of(part) {
		texts[f.Name] = f.Text
		args = append(args, f.Name)
	}
	left := cache.InMemory(id)
	child := &app{stdin: &files.Texts{Reader: bytes.NewReader(nil), Of: texts}, stdout: io.Discard, stderr: io.Discard, cache: left}
	child.run(ctx, args)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries := left.Entries()
	var out []cluster.Hint
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		out = append(out, cluster.Hint{Name: name, Data: entries[name]})
	}
	return out, nil
}

func (a *app) fuzzWorkCommand() *cobra.Command {
	var flags clusterFlags
	var jobs int
	cmd := &cobra.Command{
		Use:   "work --cluster URL",
		Short: "work on what tv check --cluster and tv certify --cluster ask",
		Long: `Work takes parts of questions that others ask of a NATS server, by tv check --cluster and tv certify --cluster, and sends what it
finds, until it is interrupted. Files come from the server; of commands and flags it takes those alone that ask about
texts, so that nobody has it run or read anything else. Who asks looks at all proofs and counterexamples again.`,
		Example: "  tv fuzz work --cluster nats://127.0.0.1:4222",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !flags.given() {
				return usageError("work wants --cluster")
			}
			c, err := a.crew(cmd.Context(), &flags, jobs)
			if err != nil {
				return err
			}
			return c.Serve(cmd.Context(), flags.server)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&jobs, "jobs", 0, "parts to work on at a time (0: one a processor)")
	flags.registerServer(fs, "the NATS server at this `URL`")
	flags.registerWait(fs)
	return cmd
}
