package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
	language "tv/semantics/glenside"
	"tv/semantics/value"
)

// registerLang adds the flag that says what language programs are in: one of tv help languages, or of further ones.
func registerLang(fs *pflag.FlagSet, pair bool, further ...string) *choice {
	c := &choice{allowed: append(languageNames(), further...)}
	usage := "language of the program, where it does not go by the extension"
	if pair {
		c.pairs, usage = c.allowed, "language of the programs, where it does not go by the extension, or two, BEFORE,AFTER"
	}
	fs.Var(c, "lang", usage)
	return c
}

// registerFunction adds the flag that says which function of a text is meant.
func registerFunction(fs *pflag.FlagSet) *string {
	return fs.String("function", "", "`NAME` of the function that is meant of a text that has several; FILE:NAME says it, too")
}

// functionOf is what the value of --function says of program number i.
func functionOf(function string, i int) string {
	before, after, pair := strings.Cut(function, ",")
	if pair && i > 0 {
		return after
	}
	return before
}

// parse reads a text of a language, and of it the function that is meant where its name does not say which.
func parse(l *semantics.Language, f *source.File, function string) (semantics.Source, error) {
	if f.Function != "" && !l.Functions {
		return nil, usageError("%s:%s names a function, and a text in %s has none", f.Name, f.Function, l.Name)
	}
	if f.Function == "" && l.Functions {
		f.Function = function
	}
	return l.Parse(f)
}

// supplement is what --out, --overflow, --alias and --contracts say.
func (q *questionFlags) supplement(read func(string) (*source.File, error)) (more languages.Supplement, err error) {
	more = languages.Supplement{Results: q.out, Strict: q.overflow.value == "undefined", Alias: q.alias.value == "may"}
	if q.contracts == "" {
		return more, nil
	}
	f, err := read(q.contracts)
	if err == nil {
		err = cnest.CheckContracts(f)
	}
	if err != nil {
		return more, err
	}
	more.Contracts = f.Text
	return more, nil
}

// languageNames are what --lang takes for a program.
func languageNames() (names []string) {
	for _, l := range languages.All {
		names = append(names, l.Name)
	}
	return names
}

// langOf is what the value of --lang says of a file, which is number i of the arguments: "" where it says nothing. A listing
// is the last file, so that "vta" alone says so of the last one alone.
func langOf(lang string, i int, last bool) string {
	before, after, pair := strings.Cut(lang, ",")
	switch {
	case pair && i > 0:
		return after
	case !pair && lang == langListing && !last:
		return ""
	}
	return before
}

// languageOf returns the language of a program: what --lang says of it, or its extension; Glenside where neither says anything.
func languageOf(name, lang string) *semantics.Language {
	if l := languages.Named(lang); l != nil {
		return l
	}
	if l := languages.ByExtension(extensionOf(name)); l != nil && lang == "" {
		return l
	}
	return language.Language
}

// extensionOf is that of a file, of which the name may say a function.
func extensionOf(name string) string {
	file, _ := files.Named(name)
	return filepath.Ext(file)
}

// extension is that of the files of a program's language.
func extension(s semantics.Source) string { return s.Language().Extensions[0] }

// programExtensions are those of programs: ".sexp or .comp".
func programExtensions() string {
	var list []string
	for _, l := range languages.All {
		list = append(list, l.Extensions...)
	}
	return orList(list)
}

// program reads and parses a program, of which --lang says lang and --function function, and warns of what is likely not meant.
func (a *app) program(name, lang, function string) (semantics.Source, error) {
	kind, err := fileKind(name, lang)
	if e := (*source.Error)(nil); err == nil && kind == langLitmus || errors.As(err, &e) && e.Code == codeKind {
		return nil, &source.Error{Name: name, Code: codeKind,
			Msg: fmt.Sprintf("a program (%s) is wanted here", programExtensions())}
	}
	if err != nil {
		return nil, err
	}
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return nil, err
	}
	p, err := parse(languageOf(name, lang), f, function)
	a.notes(p, err)
	return p, err
}

// notes says what a program that was read has to say.
func (a *app) notes(p semantics.Source, err error) {
	if r, ok := p.(semantics.Remarker); ok && err == nil {
		a.warn(r.Remarks())
	}
}

// exactOnly settles in which arithmetic programs are asked about: in exact where the language of one has no other and the flag was
// not given.
func exactOnly(arith *choice, given bool, programs ...semantics.Source) error {
	for _, p := range programs {
		if !p.Language().Exact || arith.value == value.Exact.String() {
			continue
		}
		if given {
			return usageError("%s computes bit for bit: --arith exact", p.Language().Name)
		}
		arith.value = value.Exact.String()
	}
	return nil
}

// programs reads BEFORE and AFTER.
func (a *app) programs(names []string, lang, function string) (before, after semantics.Source, err error) {
	before, err = a.program(names[0], langOf(lang, 0, false), functionOf(function, 0))
	errs := source.AsErrors(err)
	after, err = a.program(names[1], langOf(lang, 1, true), functionOf(function, 1))
	if errs = append(errs, source.AsErrors(err)...); len(errs) > 0 {
		return nil, nil, errs
	}
	return before, after, nil
}
