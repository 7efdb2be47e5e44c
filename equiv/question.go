package equiv

import "tv/semantics"

// A Question is whether AFTER equals BEFORE. BEFORE sets the domain, AFTER has to live up to it.
type Question struct {
	Before, After semantics.Source
	Bind          []Binding // who is who, where names do not say
}
