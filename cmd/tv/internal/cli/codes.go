package cli

// A Code is a kind of problem, as tv explain and doc/errors.md describe it.
type Code struct {
	Name    string
	Meaning string
	Example string // commands and, where they need any, files (txtar) that trigger it
}

// Codes returns all codes, sorted by name.
func Codes() []Code { return nil }
