package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"golang.org/x/tools/txtar"

	"tv/cmd/tv/internal/lsp"
	"tv/internal/source"
)

// An editor is a client of a server of its own.
type editor struct {
	t        *testing.T
	conn     *jsonrpc2.Conn
	problems chan json.RawMessage
	left     chan error
}

func newEditor(t *testing.T) *editor {
	here, there := net.Pipe()
	e := &editor{t: t, problems: make(chan json.RawMessage, 100), left: make(chan error, 1)}
	go func() { e.left <- lsp.Serve(context.Background(), there, editorTool()) }()
	handler := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Method == "textDocument/publishDiagnostics" {
			e.problems <- *r.Params
		}
		return nil, nil
	})
	e.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(here, jsonrpc2.VSCodeObjectCodec{}), handler)
	t.Cleanup(func() { e.conn.Close() })
	return e
}

func (e *editor) ask(method string, params any) string {
	var out json.RawMessage
	if err := e.conn.Call(context.Background(), method, params, &out); err != nil {
		return "error: " + err.Error()
	}
	return compact(e.t, out)
}

func compact(t *testing.T, data []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (e *editor) tell(method string, params any) {
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.t.Fatal(err)
	}
}

type object = map[string]any

func at(line, character string) object {
	l, _ := strconv.Atoi(line)
	c, _ := strconv.Atoi(character)
	return object{"line": l, "character": c}
}

// TestEditor asks a server what testdata/editor says: an archive's first file is open, and a line of its section requests is
//
//	problems                     waits for the problems of the text
//	hover|complete|define L C    at a line and a column of UTF-16, from 0
//	format, lenses
//	fixes                        of the problems that came last
//	type L C L C "TEXT"          changes a range, and waits for the problems
//	run COMMAND WORD...          of a code lens; the first line of what it says
//
// The section want has the answers; -update writes it.
func TestEditor(t *testing.T) {
	names, err := filepath.Glob("../../../../testdata/editor/*.txtar")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			doc, requests, want := a.Files[0], a.Files[1], a.Files[2]
			if requests.Name != "requests" || want.Name != "want" {
				t.Fatal("the sections are a text, requests, want")
			}
			e := newEditor(t)
			e.ask("initialize", object{})
			uri := "file:///w/" + doc.Name
			text := strings.TrimSuffix(strings.ReplaceAll(string(doc.Data), "__ ", "-- "), "\n")
			id := object{"uri": uri}
			e.tell("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 1, "text": text}})
			var got strings.Builder
			var last struct{ Diagnostics []any }
			for _, line := range strings.Split(strings.TrimSpace(string(requests.Data)), "\n") {
				w := strings.Fields(line)
				answer := ""
				switch w[0] {
				case "problems", "type":
					if w[0] == "type" {
						text, err := strconv.Unquote(strings.Join(w[5:], " "))
						if err != nil {
							t.Fatal(err)
						}
						e.tell("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 2},
							"contentChanges": []any{object{"range": object{"start": at(w[1], w[2]), "end": at(w[3], w[4])}, "text": text}}})
					}
					raw := <-e.problems
					if err := json.Unmarshal(raw, &last); err != nil {
						t.Fatal(err)
					}
					answer = compact(t, raw)
				case "hover", "complete", "define":
					method := map[string]string{"hover": "hover", "complete": "completion", "define": "definition"}[w[0]]
					answer = e.ask("textDocument/"+method, object{"textDocument": id, "position": at(w[1], w[2])})
					if w[0] == "complete" {
						answer = labels(t, answer)
					}
				case "format":
					answer = e.ask("textDocument/formatting", object{"textDocument": id})
				case "lenses":
					answer = e.ask("textDocument/codeLens", object{"textDocument": id})
				case "fixes":
					answer = e.ask("textDocument/codeAction", object{"textDocument": id, "range": object{}, "context": object{"diagnostics": last.Diagnostics}})
				case "run":
					arguments := []any{uri}
					for _, word := range w[2:] {
						arguments = append(arguments, word)
					}
					answer = e.ask("workspace/executeCommand", object{"command": w[1], "arguments": arguments})
					answer, _, _ = strings.Cut(answer, " (") // behind it is the time
				default:
					t.Fatalf("there is no request %q", line)
				}
				fmt.Fprintf(&got, "%s\n%s\n", line, answer)
			}
			e.ask("shutdown", nil)
			e.tell("exit", nil)
			if err := <-e.left; err != nil {
				t.Error(err)
			}
			if *update {
				a.Files[2].Data = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got.String() != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want.Data)
			}
		})
	}
}

// labels are those of a completion, the first ten.
func labels(t *testing.T, answer string) string {
	var items []struct{ Label string }
	if err := json.Unmarshal([]byte(answer), &items); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	var list []string
	for _, i := range items[:min(len(items), 10)] {
		list = append(list, i.Label)
	}
	return fmt.Sprintf("%d: %s", len(items), strings.Join(list, " "))
}

// What an editor sends wrongly has an answer, and the server goes on; of a text that changes fast the last version counts.
func TestEditorWrong(t *testing.T) {
	e := newEditor(t)
	for _, test := range []struct {
		method string
		params any
		want   string
	}{
		{"textDocument/hover", object{"textDocument": object{"uri": "file:///none.sexp"}}, "is not open"},
		{"textDocument/hover", 7, "cannot unmarshal"},
		{"textDocument/dance", object{}, "there is no method"},
		{"workspace/executeCommand", object{"command": "rm", "arguments": []any{"-rf"}}, "there is no command rm"},
		{"workspace/executeCommand", object{"command": "tv.check", "arguments": []any{7}}, "takes words"},
	} {
		if got := e.ask(test.method, test.params); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.method, got)
		}
	}
	uri := "file:///w/a.sexp"
	e.tell("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 0, "text": ""}})
	<-e.problems
	for v := 1; v <= 50; v++ {
		e.tell("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": v},
			"contentChanges": []any{object{"text": fmt.Sprintf("(input A (shape 2))\n(access A %d)", v+5)}}})
	}
	for versions := 1; ; versions++ {
		got := compact(t, <-e.problems)
		if strings.Contains(got, `"version":50`) {
			if !strings.Contains(got, "55") {
				t.Error(got)
			}
			break
		}
		if versions > 40 {
			t.Fatal("stale versions are answered")
		}
	}
	e.conn.Close()
	if err := <-e.left; err != lsp.ErrExit {
		t.Errorf("the editor is gone: %v", err)
	}
}

// A long question ends when the editor cancels it.
func TestEditorCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var once sync.Once
	tool := editorTool()
	begun := make(chan struct{})
	tool.Run = func(ctx context.Context, _ []string, _ map[string]string) (int, string, source.Errors) {
		once.Do(func() { close(begun) })
		<-ctx.Done()
		return exitInterrupted, "interrupted", nil
	}
	here, there := net.Pipe()
	go lsp.Serve(ctx, there, tool)
	defer cancel()
	conn := jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(here, jsonrpc2.VSCodeObjectCodec{}),
		jsonrpc2.HandlerWithError(func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) (any, error) { return nil, nil }))
	id := jsonrpc2.ID{Num: 77}
	go func() {
		<-begun
		_ = conn.Notify(ctx, "$/cancelRequest", object{"id": 77})
	}()
	err := conn.Call(ctx, "workspace/executeCommand", object{"command": "tv.check", "arguments": []any{"file:///a.txtar"}}, nil, jsonrpc2.PickID(id))
	if err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Error(err)
	}
}

// BenchmarkEditor is of a text of 1,000 lines: a change and its problems, without the wait before them; then what is at a place.
func BenchmarkEditor(b *testing.B) {
	var text strings.Builder
	text.WriteString("(input A (shape N 64))\n")
	for i := range 997 {
		of := "(access A 1)"
		if i > 0 {
			of = fmt.Sprintf("t%d", i-1)
		}
		fmt.Fprintf(&text, "(define t%d (compute relu %s))\n", i, of)
	}
	text.WriteString("(compute relu t996)\n")
	e := newEditor(&testing.T{})
	uri := "file:///w/a.sexp"
	e.tell("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 0, "text": text.String()}})
	<-e.problems
	for _, request := range []string{"hover", "completion", "definition"} {
		b.Run(request, func(b *testing.B) {
			for b.Loop() {
				e.ask("textDocument/"+request, object{"textDocument": object{"uri": uri}, "position": object{"line": 998, "character": 3}})
			}
		})
	}
	b.Run("problems", func(b *testing.B) {
		for b.Loop() {
			e.tell("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 0, "text": text.String()}})
			select {
			case <-e.problems:
			case <-time.After(time.Minute):
				b.Fatal("no answer")
			}
		}
	})
}

// A message that is none ends the conversation, and is said.
func TestEditorGarbled(t *testing.T) {
	in := struct {
		io.Reader
		io.Writer
		io.Closer
	}{strings.NewReader("Content-Length: 5\r\n\r\nhello"), io.Discard, io.NopCloser(nil)}
	if err := lsp.Serve(t.Context(), in, editorTool()); err == nil || err == lsp.ErrExit || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
}
