package lsp

import "encoding/json"

// The messages of the Language Server Protocol, version 3.17, as far as the server takes or sends them; names and fields are
// those of its specification.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16 code units
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type initializeResult struct {
	Capabilities capabilities `json:"capabilities"`
	ServerInfo   serverInfo   `json:"serverInfo"`
}

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type capabilities struct {
	PositionEncoding   string            `json:"positionEncoding"`
	TextDocumentSync   syncOptions       `json:"textDocumentSync"`
	HoverProvider      bool              `json:"hoverProvider"`
	DefinitionProvider bool              `json:"definitionProvider"`
	FormattingProvider bool              `json:"documentFormattingProvider"`
	CompletionProvider completionOptions `json:"completionProvider"`
	CodeActionProvider codeActionOptions `json:"codeActionProvider"`
	CodeLensProvider   struct{}          `json:"codeLensProvider"`
	ExecuteCommand     commandOptions    `json:"executeCommandProvider"`
}

type syncOptions struct {
	OpenClose bool `json:"openClose"`
	Change    int  `json:"change"` // 2: by ranges
}

type completionOptions struct {
	TriggerCharacters []string `json:"triggerCharacters"`
}

type codeActionOptions struct {
	Kinds []string `json:"codeActionKinds"`
}

type commandOptions struct {
	Commands []string `json:"commands"`
}

type documentID struct {
	URI string `json:"uri"`
}

type versionedID struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

type didOpen struct {
	TextDocument struct {
		versionedID
		Text string `json:"text"`
	} `json:"textDocument"`
}

type didChange struct {
	TextDocument versionedID `json:"textDocument"`
	Changes      []change    `json:"contentChanges"`
}

// A change replaces a range, or the whole text where there is none.
type change struct {
	Range *textRange `json:"range"`
	Text  string     `json:"text"`
}

// documentParams are those of requests about a whole document.
type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

// positionParams are those of requests about a place.
type positionParams struct {
	TextDocument documentID `json:"textDocument"`
	Position     position   `json:"position"`
}

type publishDiagnostics struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

const (
	severityError   = 1
	severityWarning = 2
)

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

// Kinds of completion items.
const (
	kindFunction = 3
	kindVariable = 6
	kindKeyword  = 14
)

type completionItem struct {
	Label         string  `json:"label"`
	Kind          int     `json:"kind"`
	Detail        string  `json:"detail,omitempty"`
	Documentation *markup `json:"documentation,omitempty"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type codeActionParams struct {
	TextDocument documentID `json:"textDocument"`
	Range        textRange  `json:"range"`
	Context      struct {
		Diagnostics []diagnostic `json:"diagnostics"`
	} `json:"context"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics"`
	Edit        workspaceEdit `json:"edit"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

type executeCommand struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type showMessage struct {
	Type    int    `json:"type"` // 3: information
	Message string `json:"message"`
}

type cancelParams struct {
	ID json.RawMessage `json:"id"`
}
