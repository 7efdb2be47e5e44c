// Package litmusfile reads litmus files of any languages as questions, for tests: it is what the flags of tv check that litmus files
// have are to the command line.
package litmusfile

import (
	"fmt"
	"os"
	"strings"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Case is a litmus file as a question. The options have the arithmetic and the tensors of its flags alone.
type Case struct {
	*casefile.Litmus
	Question equiv.Question
	Options  equiv.Options
}

// Read reads a litmus file.
func Read(name string) (*Case, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	l, err := casefile.ReadLitmus(source.NewFile(name, string(data)))
	if err != nil {
		return nil, err
	}
	c := &Case{Litmus: l}
	for i, side := range []*semantics.Source{&c.Question.Before, &c.Question.After} {
		language := languages.ByExtension(l.Extensions[i])
		if language == nil {
			return nil, fmt.Errorf("%s: no language has texts in %s", name, l.Extensions[i])
		}
		f, err := c.supplement().To(language, []*source.File{l.Before, l.After}[i])
		if err != nil {
			return nil, err
		}
		if *side, err = language.Parse(f); err != nil {
			return nil, err
		}
	}
	return c, c.flags()
}

// supplement is what flags say of the texts.
func (c *Case) supplement() (s languages.Supplement) {
	for i := 0; i+1 < len(c.Args); i += 2 {
		switch value := c.Args[i+1]; c.Args[i] {
		case "--out":
			s.Results = value
		case "--overflow":
			s.Strict = value == "undefined"
		case "--alias":
			s.Alias = value == "may"
		case "--contracts":
			f, _ := c.Section(value)
			s.Contracts = f.Text
		}
	}
	return s
}

// flags are those that say something of the question.
func (c *Case) flags() error {
	for i := 0; i+1 < len(c.Args); i += 2 {
		switch value := c.Args[i+1]; c.Args[i] {
		case "--arith":
			c.Options.Arith, _ = domain.ParseArith(value)
		case "--assume":
			f := source.NewFile("--assume", value)
			p, err := glenside.ParsePred(f)
			if err != nil {
				return err
			}
			assumes := []*domain.Assume{{Pred: p, Span: source.Span{File: f}}}
			c.Question.Before = c.Question.Before.(semantics.Assumer).Assuming(assumes)
		case "--input":
			in, err := glenside.ParseInputFlag(value)
			if err != nil {
				return err
			}
			c.Options.Tensors = append(c.Options.Tensors, equiv.Declaration{Input: in, Origin: "--input"})
		case "--bind":
			for _, pair := range strings.Split(value, ",") {
				before, after, _ := strings.Cut(pair, "=")
				c.Question.Bind = append(c.Question.Bind, equiv.Binding{Before: before, After: after})
			}
		}
	}
	return nil
}
