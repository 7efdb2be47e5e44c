// Package lsp answers editors: the Language Server Protocol, version 3.17, over any stream.
//
//	server.go    the server: documents that are open, requests, problems that are published a moment after a change
//	protocol.go  its messages
//	document.go  a version of a text; offsets in bytes against positions in UTF-16
//	forms.go     lists and words of a text that need not be whole
//	glenside.go  hover, completion, definitions: by the operator table, or what a program of another language is given
//	actions.go   fixes of problems, and questions that one may ask about a document
//
// What a text's problems and layout are, and what the commands of tv say, it is told by a [Tool].
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"tv/internal/source"
)

// A Tool is what the server knows of tv.
type Tool struct {
	Version string
	// Problems are those of a text, whose name says what it is, and remarks on it.
	Problems func(*source.File) (problems, remarks source.Errors)
	// Format is the text in canonical layout.
	Format func(*source.File) (string, error)
	// Run runs a command line, for which files have the texts given; it returns the exit status, all that the command says, and what it says of
	// places.
	Run func(ctx context.Context, args []string, texts map[string]string) (status int, said string, verdicts source.Errors)
}

// settle is how long a text has to stay as it is before its problems are looked for.
const settle = 60 * time.Millisecond

// mostProblems are published of one text.
const mostProblems = 200

// ErrExit is returned where the editor left without saying that it would.
var ErrExit = errors.New("the editor left without a shutdown")

type server struct {
	tool   Tool
	ctx    context.Context
	settle time.Duration

	mu        sync.Mutex
	documents map[string]*document
	timers    map[string]*time.Timer
	running   map[jsonrpc2.ID]context.CancelFunc // requests that take long
	work      sync.WaitGroup
	shutdown  bool
	exited    chan struct{}
	exit      sync.Once
}

// Serve answers an editor until it exits, its stream ends or ctx does. Errors: ErrExit, and what is wrong with a message that is none.
func Serve(ctx context.Context, stream io.ReadWriteCloser, tool Tool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{tool: tool, ctx: ctx, settle: settle, documents: map[string]*document{}, timers: map[string]*time.Timer{},
		running: map[jsonrpc2.ID]context.CancelFunc{}, exited: make(chan struct{})}
	read := &messages{ObjectStream: jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{})}
	quiet := jsonrpc2.SetLogger(discard{}) // standard error is the editor's log of what is wrong with tv, not with an answer
	conn := jsonrpc2.NewConn(ctx, read, s, quiet)
	select {
	case <-conn.DisconnectNotify():
	case <-s.exited:
	case <-ctx.Done():
	}
	cancel()
	conn.Close()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.shutdown:
		return nil
	case read.why() != nil:
		return fmt.Errorf("a message of the editor cannot be read: %w", read.why())
	}
	return ErrExit
}

type discard struct{}

func (discard) Printf(string, ...any) {}

// messages keeps why a stream of messages ended before the editor left.
type messages struct {
	jsonrpc2.ObjectStream
	mu  sync.Mutex
	err error
}

// ReadObject implements jsonrpc2.ObjectStream.
func (m *messages) ReadObject(v any) error {
	err := m.ObjectStream.ReadObject(v)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrClosedPipe) {
		m.mu.Lock()
		m.err = err
		m.mu.Unlock()
	}
	return err
}

func (m *messages) why() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Handle implements jsonrpc2.Handler. Messages are handled one after the other, as changes have to be; what takes long goes on by itself.
func (s *server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	if req.Method == "workspace/executeCommand" && !req.Notif {
		ctx, cancel := context.WithCancel(s.ctx)
		s.mu.Lock()
		s.running[req.ID] = cancel
		s.mu.Unlock()
		s.work.Go(func() {
			defer cancel()
			s.reply(ctx, conn, req)
			s.mu.Lock()
			delete(s.running, req.ID)
			s.mu.Unlock()
		})
		return
	}
	s.reply(ctx, conn, req)
}

func (s *server) reply(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	result, err := s.answer(ctx, conn, req)
	if req.Notif {
		return
	}
	if err == nil {
		err = conn.Reply(s.ctx, req.ID, result)
		if err == nil || s.ctx.Err() != nil {
			return
		}
	}
	var coded *jsonrpc2.Error
	if !errors.As(err, &coded) {
		coded = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
	}
	_ = conn.ReplyWithError(s.ctx, req.ID, coded) // an editor that is gone wants no answer
}

// codeRequestCancelled is that of the protocol.
const codeRequestCancelled = -32800

// answer answers a request, or takes a notification.
func (s *server) answer(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a fault of tv's own: %v", p)
		}
	}()
	switch req.Method {
	case "initialize":
		return s.initialize(), nil
	case "initialized", "$/setTrace", "textDocument/didSave", "workspace/didChangeConfiguration":
		return nil, nil
	case "shutdown":
		s.mu.Lock()
		s.shutdown = true
		s.mu.Unlock()
		return nil, nil
	case "exit":
		s.exit.Do(func() { close(s.exited) })
		return nil, nil
	case "$/cancelRequest":
		return nil, s.cancel(req)
	case "textDocument/didOpen":
		var p didOpen
		if err := params(req, &p); err != nil {
			return nil, err
		}
		s.set(conn, newDocument(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text), 0)
		return nil, nil
	case "textDocument/didChange":
		var p didChange
		if err := params(req, &p); err != nil {
			return nil, err
		}
		if d := s.document(p.TextDocument.URI); d != nil {
			s.set(conn, d.changed(p.TextDocument.Version, p.Changes), s.settle)
		}
		return nil, nil
	case "textDocument/didClose":
		var p documentParams
		if err := params(req, &p); err != nil {
			return nil, err
		}
		s.mu.Lock()
		delete(s.documents, p.TextDocument.URI)
		s.mu.Unlock()
		return nil, conn.Notify(s.ctx, "textDocument/publishDiagnostics", publishDiagnostics{URI: p.TextDocument.URI, Diagnostics: []diagnostic{}})
	case "workspace/executeCommand":
		return s.execute(ctx, conn, req)
	case "textDocument/codeAction":
		var p codeActionParams
		d, err := s.about(req, &p, &p.TextDocument)
		if err != nil {
			return nil, err
		}
		list := []codeAction{}
		for _, problem := range p.Context.Diagnostics {
			list = append(list, d.fixes(problem)...)
		}
		return list, nil
	case "textDocument/hover", "textDocument/completion", "textDocument/definition":
		var p positionParams
		d, err := s.about(req, &p, &p.TextDocument)
		if err != nil {
			return nil, err
		}
		at := d.offset(p.Position)
		switch req.Method {
		case "textDocument/hover":
			return d.hover(at), nil
		case "textDocument/completion":
			return d.complete(at), nil
		}
		return d.definition(at), nil
	case "textDocument/formatting", "textDocument/codeLens":
		var p documentParams
		d, err := s.about(req, &p, &p.TextDocument)
		if err != nil {
			return nil, err
		}
		if req.Method == "textDocument/codeLens" {
			return d.lenses(), nil
		}
		return s.format(d)
	}
	if req.Notif {
		return nil, nil
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "there is no method " + req.Method}
}

func (s *server) initialize() initializeResult {
	return initializeResult{
		Capabilities: capabilities{
			PositionEncoding: "utf-16", TextDocumentSync: syncOptions{OpenClose: true, Change: 2}, HoverProvider: true, DefinitionProvider: true,
			FormattingProvider: true, CompletionProvider: completionOptions{[]string{"(", " "}}, CodeActionProvider: codeActionOptions{[]string{"quickfix"}},
			ExecuteCommand: commandOptions{[]string{commandCheck, commandCertify}},
		},
		ServerInfo: serverInfo{"tv", s.tool.Version},
	}
}

// params reads the parameters of a message.
func params(req *jsonrpc2.Request, to any) error {
	if req.Params == nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: req.Method + " wants parameters"}
	}
	if err := json.Unmarshal(*req.Params, to); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: req.Method + ": " + err.Error()}
	}
	return nil
}

// about reads the parameters of a request about a document, which id is a part of.
func (s *server) about(req *jsonrpc2.Request, to any, id *documentID) (*document, error) {
	if err := params(req, to); err != nil {
		return nil, err
	}
	d := s.document(id.URI)
	if d == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: id.URI + " is not open"}
	}
	return d, nil
}

func (s *server) document(uri string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.documents[uri]
}

// set makes d the current version, and has its problems published where it still is that after a while.
func (s *server) set(conn *jsonrpc2.Conn, d *document, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents[d.uri] = d
	if t := s.timers[d.uri]; t != nil {
		t.Stop()
	}
	s.timers[d.uri] = time.AfterFunc(after, func() {
		if s.document(d.uri) != d || s.ctx.Err() != nil {
			return
		}
		published := publishDiagnostics{d.uri, d.version, s.diagnostics(d)}
		if s.document(d.uri) == d { // another change may have come meanwhile
			_ = conn.Notify(s.ctx, "textDocument/publishDiagnostics", published)
		}
	})
}

// diagnostics are the problems of a document.
func (s *server) diagnostics(d *document) (list []diagnostic) {
	list = []diagnostic{}
	defer func() {
		if p := recover(); p != nil {
			list = append(list, diagnostic{Severity: severityError, Code: "internal", Source: "tv", Message: fmt.Sprintf("a fault of tv's own: %v", p)})
		}
	}()
	problems, remarks := s.tool.Problems(d.file())
	for _, of := range []struct {
		list     source.Errors
		severity int
	}{{problems, severityError}, {remarks, severityWarning}} {
		for _, e := range of.list {
			if len(list) == mostProblems {
				break
			}
			start := d.at(e.Position())
			end := start
			if e.Span.File != nil {
				end = d.at(e.Span.EndPosition())
			}
			list = append(list, diagnostic{d.rangeOf(start, end), of.severity, e.Code, "tv", e.Msg})
		}
	}
	return list
}

// publishVerdicts shows what a command said of places of an open document beside its problems, until the text changes.
func (s *server) publishVerdicts(conn *jsonrpc2.Conn, uri string, texts map[string]string, verdicts source.Errors) {
	d := s.document(uri)
	if d == nil || d.text != texts[d.name()] { // it has changed meanwhile
		return
	}
	list := s.diagnostics(d)
	for _, v := range verdicts {
		// The programs of an archive have its name before their own, and the places that they have in it.
		if of := v.Span.File.Name; of != d.name() && !strings.HasPrefix(of, d.name()+"/") {
			continue
		}
		list = append(list, diagnostic{d.rangeOf(d.at(v.Span.Position()), d.at(v.Span.EndPosition())), severityWarning, v.Code, "tv", v.Msg})
	}
	_ = conn.Notify(s.ctx, "textDocument/publishDiagnostics", publishDiagnostics{d.uri, d.version, list})
}

// format is the edit that gives a text its canonical layout; a text that cannot be read stays as it is.
func (s *server) format(d *document) (any, error) {
	text, err := s.tool.Format(d.file())
	if err != nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: err.Error()}
	}
	if text == d.text {
		return []textEdit{}, nil
	}
	return []textEdit{{d.rangeOf(0, len(d.text)), text}}, nil
}

// cancel ends a request that takes long.
func (s *server) cancel(req *jsonrpc2.Request) error {
	var p cancelParams
	if err := params(req, &p); err != nil {
		return err
	}
	var id jsonrpc2.ID
	if err := json.Unmarshal(p.ID, &id); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
	}
	return nil
}

// A said is the result of a command.
type said struct {
	Status int    `json:"status"`
	Text   string `json:"text"`
}

// execute asks what a code lens offers, of the texts as the editor has them, and shows what is said of it first.
func (s *server) execute(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	var p executeCommand
	if err := params(req, &p); err != nil {
		return nil, err
	}
	var words []string
	for _, raw := range p.Arguments {
		var word string
		if err := json.Unmarshal(raw, &word); err != nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: p.Command + " takes words: " + err.Error()}
		}
		words = append(words, word)
	}
	var args []string
	switch {
	case p.Command == commandCheck && (len(words) == 1 || len(words) == 2):
		args = []string{"check", "--"}
	case p.Command == commandCertify && len(words) == 2:
		args, words = []string{"certify", "--only", words[1], "--"}, words[:1]
	default:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("there is no command %s of %d arguments", p.Command, len(words))}
	}
	texts := map[string]string{}
	for _, uri := range words {
		d := s.document(uri)
		if d != nil {
			texts[d.name()] = d.text
		} else {
			d = newDocument(uri, 0, "")
		}
		args = append(args, d.name())
	}
	status, text, verdicts := s.tool.Run(ctx, args, texts)
	if ctx.Err() != nil {
		return nil, &jsonrpc2.Error{Code: codeRequestCancelled, Message: "cancelled"}
	}
	for _, uri := range words {
		s.publishVerdicts(conn, uri, texts, verdicts)
	}
	first, _, _ := strings.Cut(text, "\n")
	_ = conn.Notify(s.ctx, "window/showMessage", showMessage{3, first})
	return said{status, text}, nil
}
