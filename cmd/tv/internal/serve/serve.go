// Package serve answers command lines over a unix socket, so that build servers do not start tv for each question.
//
//	serve.go         the server: connections, requests, what they are answered
//	lines.go         messages of JSON-RPC 2.0, one a line
//	turns.go         whose turn it is: the working directory is of the process, so requests of one directory run together
//	socket_unix.go   sockets that their owner alone may open
//	socket_other.go  where there are none
//
// A connection that begins as the Language Server Protocol does is an editor's. What a command line is answered, it is told by a [Tool].
package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// Protocol is the version of the messages, which a client may ask for.
const Protocol = "tv.serve/v1"

// A Request is a command line.
type Request struct {
	Args  []string          `json:"args"`  // without the name of the program
	Dir   string            `json:"dir"`   // absolute; what relative names are relative to. Empty for that of the server
	Stdin string            `json:"stdin"` // what "-" reads
	Files map[string]string `json:"files"` // texts that files have instead of those on disk, by names as Args has them
}

// A Reply is what a process would have left.
type Reply struct {
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
}

// A Tool is what the server knows of tv. Its functions are called by several goroutines at once.
type Tool struct {
	Version string
	Run     func(context.Context, *Request) (*Reply, error) // a command line in the working directory; an error says why it is not run
	Edit    func(context.Context, io.ReadWriteCloser) error // a conversation with an editor, to its end
	Warn    func(format string, args ...any)                // what the one who started the server should know
}

// Serve answers all connections of l until ctx is done; then what runs is stopped, and l is closed. No more than jobs command
// lines run at once. Errors: those of l.
func Serve(ctx context.Context, l net.Listener, jobs int, tool Tool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	turns, err := newTurns(jobs)
	if err != nil {
		return err
	}
	defer l.Close() // which waits for a close that has begun: the socket is gone when Serve returns
	defer context.AfterFunc(ctx, func() { l.Close() })()
	s := &server{tool: tool, turns: turns}
	defer s.connections.Wait()
	defer cancel()
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case err != nil:
			return err
		}
		s.connections.Go(func() { s.connection(ctx, conn) })
	}
}

type server struct {
	tool        Tool
	turns       *turns
	connections sync.WaitGroup
}

// connection answers one client until it leaves.
func (s *server) connection(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })() // a read that waits ends
	defer conn.Close()
	in := bufio.NewReader(conn)
	first, err := in.Peek(1)
	if err != nil {
		return
	}
	stream := &begun{in, conn}
	if first[0] == 'C' { // of Content-Length or Content-Type: no line of JSON begins like that
		if err := s.tool.Edit(ctx, stream); err != nil && ctx.Err() == nil {
			s.tool.Warn("an editor: %v", err)
		}
		return
	}
	c := &client{server: s, ctx: ctx, running: map[jsonrpc2.ID]context.CancelFunc{}}
	rpc := jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(stream, &lines{out: conn}), c, jsonrpc2.SetLogger(quiet{}))
	<-rpc.DisconnectNotify()
	cancel()
	c.work.Wait()
}

// begun is a connection of which the beginning was looked at.
type begun struct {
	in *bufio.Reader
	net.Conn
}

func (b *begun) Read(p []byte) (int, error) { return b.in.Read(p) }

// quiet takes the remarks of the library: whoever sent a message that is wrong is told in the answer.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// A client is one connection.
type client struct {
	*server
	ctx  context.Context
	work sync.WaitGroup

	mu      sync.Mutex
	running map[jsonrpc2.ID]context.CancelFunc
}

// Handle implements jsonrpc2.Handler: it must not wait for what it answers, or a cancel would wait for what it is to end.
func (c *client) Handle(_ context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	if req.Method == "cancel" {
		c.cancel(req)
	}
	if req.Notif {
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	_, twice := c.running[req.ID]
	if !twice {
		c.running[req.ID] = cancel
	}
	c.mu.Unlock()
	if twice {
		cancel()
		c.reply(conn, req.ID, nil, invalid(jsonrpc2.CodeInvalidRequest, "id %s is that of a request that is still open", req.ID))
		return
	}
	answer := func() (any, error) { return c.answer(req) }
	if req.Method == "run" {
		answer = c.run(ctx, req) // in the queue before the next message is read
	}
	c.work.Go(func() {
		defer cancel()
		result, err := guarded(answer)
		c.mu.Lock()
		delete(c.running, req.ID)
		c.mu.Unlock()
		c.reply(conn, req.ID, result, err)
	})
}

// reply answers; a client that is gone wants none.
func (c *client) reply(conn *jsonrpc2.Conn, id jsonrpc2.ID, result any, err error) {
	if err == nil {
		_ = conn.Reply(c.ctx, id, result)
		return
	}
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) {
		coded = invalid(jsonrpc2.CodeInternalError, "%v", err)
	}
	_ = conn.ReplyWithError(c.ctx, id, coded)
}

func invalid(code int64, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// codeCancelled is the code of a request that was cancelled, that of the Language Server Protocol.
const codeCancelled = -32800

// guarded turns a panic into an error.
func guarded(f func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a fault of tv's own: %v", p)
		}
	}()
	return f()
}

// answer answers what takes no time.
func (c *client) answer(req *jsonrpc2.Request) (any, error) {
	switch req.Method {
	case "version":
		return map[string]string{"version": c.tool.Version, "protocol": Protocol}, nil
	case "cancel":
		return nil, invalid(jsonrpc2.CodeInvalidRequest, "cancel has no id of its own: nothing is answered")
	}
	return nil, invalid(jsonrpc2.CodeMethodNotFound, "there is no method %q; there are run, version and cancel", req.Method)
}

// run puts a command line into the queue, and returns what waits for its turn and runs it.
func (c *client) run(ctx context.Context, req *jsonrpc2.Request) func() (any, error) {
	var r Request
	err := params(req, &r)
	switch {
	case err != nil:
	case len(r.Args) == 0:
		err = invalid(jsonrpc2.CodeInvalidParams, "run wants args, a command line")
	case r.Dir != "" && !filepath.IsAbs(r.Dir):
		err = invalid(jsonrpc2.CodeInvalidParams, "dir is %q, an absolute name is wanted", r.Dir)
	}
	if err != nil {
		return func() (any, error) { return nil, err }
	}
	turn := c.turns.ask(r.Dir)
	return func() (any, error) {
		err := c.turns.wait(ctx, turn)
		if err == nil {
			defer c.turns.leave()
		}
		var out *Reply
		if err == nil {
			out, err = c.tool.Run(ctx, &r)
		}
		switch {
		case ctx.Err() != nil:
			return nil, invalid(codeCancelled, "cancelled")
		case err != nil:
			return nil, invalid(jsonrpc2.CodeInvalidParams, "%v", err)
		}
		return out, nil
	}
}

// cancel ends a request of this client; one that is not open needs no end.
func (c *client) cancel(req *jsonrpc2.Request) {
	var p struct {
		ID jsonrpc2.ID `json:"id"`
	}
	if params(req, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[p.ID]; cancel != nil {
		cancel()
	}
}

// params reads the parameters of a message. What it does not know is an error: it may be a flag that somebody relies on.
func params(req *jsonrpc2.Request, to any) error {
	if req.Params == nil {
		return invalid(jsonrpc2.CodeInvalidParams, "%s wants params", req.Method)
	}
	if err := strictly(*req.Params, to); err != nil {
		return invalid(jsonrpc2.CodeInvalidParams, "%s: %v", req.Method, err)
	}
	return nil
}
