// Package cluster runs a campaign of package fuzz on many machines. There is no coordinator: every worker fills a durable
// queue of a NATS server with JetStream with ranges of cases, takes ranges from it, and ends when every range has a result.
//
//	Server    how the NATS server is reached; cluster.go
//	Campaign  a campaign and this process's share of it; Run, in work.go, returns the report of the whole
//	order     a message of the queue: the number of a range, and never a command; protocol.go
//	result    what came of a range, found a finding; both are entries of a bucket; protocol.go
//	ledger    the queue and the bucket of a campaign: what is filled, put back, known and found; ledger.go
//	long      a value that is longer than a message, in pieces; long.go
//	keep      the corpus: cases in an object store of the campaign, and in the directory of a worker; corpus.go
//	Crew      how a process works on batches: command lines over many files, in parts; batch.go
//	Status    what a ledger says of the progress of all workers; status.go; over time, history.go
//	Forget    removes a campaign; forget.go
//
// What makes it right is an order of writing. A mark says up to which range the queue was filled; it moves by
// compare-and-swap after the ranges below it are published, so that a range may come twice and none is lost. Findings
// are written, then the result of their range, then the range is acknowledged. All but the queue is one stream of the
// server, so that where a disk loses its last writes a result is never there without its findings. When the queue is
// empty, ranges without a result are put back. Nothing asks a clock but to wait.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tv/internal/source"
)

// The codes of what can be wrong.
const (
	CodeServer    = "cluster-server"    // cannot be reached, refuses, or has no JetStream or no room
	CodeBuild     = "cluster-build"     // the campaign is run by another build of tv
	CodeMessage   = "cluster-message"   // a message or an entry that no worker of the campaign wrote: set aside
	CodeForgotten = "cluster-forgotten" // there is no such campaign, or none any more
)

// A Server says how a NATS server is reached.
type Server struct {
	URL       string // nats://[USER:PASSWORD@]HOST:PORT, tls://..., or several with commas between them
	Creds     string // a file of credentials, as nsc writes them, or ""
	Cert, Key string // files of a certificate that the server asks for, or ""
	CA        string // a file of certificates that the server's is signed with; "": those of the system
}

// String is the address without the password.
func (s Server) String() string {
	list := strings.Split(s.URL, ",")
	for i, one := range list {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			list[i] = u.Redacted()
		} else {
			list[i] = "an address that is none"
		}
	}
	return strings.Join(list, ",")
}

// opTimeout is how long one request may take before it is asked again.
const opTimeout = 5 * time.Second

// connect connects, and says whenever the connection is lost and back. Errors: *source.Error with code cluster-server.
func (s Server) connect(log func(text string)) (*nats.Conn, jetstream.JetStream, error) {
	options := []nats.Option{
		nats.Name("tv"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond),
		nats.DisconnectErrHandler(func(nc *nats.Conn, _ error) {
			if !nc.IsClosed() {
				log("lost " + s.String() + ", waiting for it")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log(s.String() + " is back") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each request returns its own
	}
	if s.Creds != "" {
		options = append(options, nats.UserCredentials(s.Creds))
	}
	if s.Cert != "" || s.Key != "" {
		options = append(options, nats.ClientCert(s.Cert, s.Key))
	}
	if s.CA != "" {
		options = append(options, nats.RootCAs(s.CA))
	}
	nc, err := nats.Connect(s.URL, options...)
	if err != nil {
		return nil, nil, s.fail(err)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(opTimeout))
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), opTimeout)
		defer cancel()
		_, err = js.AccountInfo(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, nil, s.fail(err)
	}
	return nc, js, nil
}

// fail is an error of the server's.
func (s Server) fail(err error) error {
	text := strings.TrimPrefix(err.Error(), "nats: ")
	if errors.Is(err, jetstream.ErrTooManyStalledMsgs) { // what is published is not answered, and all else is
		text = "keeps nothing any more: its disk may be full"
	}
	return &source.Error{Name: s.String(), Code: CodeServer, Msg: "cannot be used: " + text, Err: err}
}

// own makes an error that has no code one of the server's, unless the context has ended.
func (s Server) own(ctx context.Context, err error) error {
	one, list := (*source.Error)(nil), source.Errors(nil)
	if err == nil || ctx.Err() != nil || errors.As(err, &one) || errors.As(err, &list) {
		return err
	}
	return s.fail(err)
}

// again asks until it is answered or the context ends: a server that is gone may come back, from its disk.
// Errors: the context's, what was refused, and that the server has no room.
func again(ctx context.Context, ask func(ctx context.Context) error) error {
	for {
		once, cancel := context.WithTimeout(ctx, opTimeout)
		err := ask(once)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil || !transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// transient tells an error that asking again may mend.
func transient(err error) bool {
	for _, is := range []error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrJetStreamNotEnabled, errCut} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// errCut is the error of a list of entries that ended early.
var errCut = errors.New("the list of entries was cut")

// refused is the error of a message or an entry that is not a worker's.
func refused(name, format string, args ...any) error {
	return &source.Error{Name: name, Code: CodeMessage, Msg: fmt.Sprintf(format, args...)}
}
