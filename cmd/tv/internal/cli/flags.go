package cli

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/ci/cache"
	"tv/equiv"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/domain"
)

// questionFlags are the flags that belong to a question: they are in the report and in the command that
// replays, and a litmus file may give them.
type questionFlags struct {
	shapes  string
	inputs  []string
	equal   *choice
	arith   *choice
	timeout time.Duration
	rlimit  uint64
	memory  byteSize
	solver  *choice
	bind    []string // of tv check
	assume  []string // conditions on BEFORE's sizes
	// function is the one that is meant of texts that have several, or two, BEFORE,AFTER.
	function string
	// contracts is a file with contracts of functions that texts in C call.
	contracts string
	out       string  // the parameters that are results, with commas
	overflow  *choice // what signed overflow is in C
	alias     *choice // whether parameters overlap in C
	exact     bool    // of tv check: proofs about real numbers have to hold bit for bit

	implementation *choice // of tv check: whose choices the machine of a listing follows
	sequential     bool    // of tv check: instructions of a listing one after the other
}

func newQuestionFlags() *questionFlags {
	return &questionFlags{
		equal:   newChoice("tensor", "access"),
		arith:   newArith(),
		timeout: equiv.DefaultTimeout,
		memory:  equiv.DefaultMemory,
		solver:  newChoice("auto", "z3", "cvc5", "none"),

		overflow: newChoice("wraps", "undefined"),
		alias:    newChoice("no", "may"),
	}
}

// newArith is the flag that says the arithmetic.
func newArith() *choice { return newChoice("auto", "real", "exact") }

const arithUsage = "arithmetic: each element type by itself, real numbers, or bit for bit in the element types"

// arithOf is the arithmetic that such a flag says.
func arithOf(c *choice) equiv.Arith {
	a, _ := domain.ParseArith(c.value)
	return a
}

func (q *questionFlags) register(fs *pflag.FlagSet) {
	registerDeclarations(fs, &q.shapes, &q.inputs)
	fs.Var(q.equal, "equal", "what equal means: same values, or the same split as well")
	fs.Var(q.arith, "arith", arithUsage)
	fs.DurationVar(&q.timeout, "timeout", q.timeout, "time a question may take")
	fs.Uint64Var(&q.rlimit, "rlimit", 0, "resource units that a solver query may take (0: the default)")
	fs.Var(&q.memory, "memory", "memory that a question may take")
	fs.Var(q.solver, "solver", "solver for what the other engines leave")
}

// registerNames adds the flags that say who is who.
func (q *questionFlags) registerNames(fs *pflag.FlagSet) {
	fs.StringArrayVar(&q.bind, "bind", nil, "the tensor of BEFORE that one of AFTER is: `A=X` (repeatable)")
	fs.StringArrayVar(&q.assume, "assume", nil, "ask about sizes for which a condition holds alone: `'(<= 2 N)'` (repeatable)")
	q.registerSupplement(fs)
	fs.StringVar(&q.function, "function", "", "`NAME` of the function that is meant of texts that have several, or two, BEFORE,AFTER")
}

// registerSupplement adds the flags that say more of texts than they do.
func (q *questionFlags) registerSupplement(fs *pflag.FlagSet) {
	fs.StringVar(&q.contracts, "contracts", "", "what functions do that texts in C call and do not have: a `file` in C (doc/loops.md)")
	fs.StringVar(&q.out, "out", "", "the parameters of procedures that are results: `NAME[,NAME]`; others that they write are scratch")
	fs.Var(q.overflow, "overflow", "what signed overflow of data is in C: it wraps, as with -fwrapv, or it is undefined")
	fs.Var(q.alias, "alias", "whether parameters in C may overlap that are not restrict")
}

// registerExact adds the flag that asks proofs to hold bit for bit.
func registerExact(fs *pflag.FlagSet, exact *bool) {
	fs.BoolVar(exact, "require-exact", *exact, "a proof about real numbers counts only where it holds bit for bit")
}

// registerDeclarations adds the flags that declare tensors.
func registerDeclarations(fs *pflag.FlagSet, shapes *string, inputs *[]string) {
	fs.StringVar(shapes, "shapes", "",
		"declare tensors in a JSON `file`: {\"A\":[32,\"K\"]} or {\"A\":{\"shape\":[32],\"type\":\"int8\"}}")
	fs.StringArrayVar(inputs, "input", nil,
		"declare a tensor: `NAME=32x32:int8` (repeatable; a scalar is NAME=:int8, and N*K a number of elements by names of sizes)")
}

// options returns what the flags ask for; read finds the file of --shapes.
func (q *questionFlags) options(read func(string) (*source.File, error)) (equiv.Options, error) {
	opts := equiv.Options{Timeout: q.timeout, RLimit: q.rlimit, Memory: int64(q.memory), Solver: q.solver.value}
	if q.timeout <= 0 {
		return opts, usageError("--timeout takes a time above 0, such as 10s")
	}
	if q.equal.value == equiv.Access.String() {
		opts.Equal = equiv.Access
	}
	opts.Arith = arithOf(q.arith)
	var err error
	opts.Tensors, err = declarations(q.shapes, q.inputs, read)
	return opts, err
}

// declarations reads --shapes and --input, in that order.
func declarations(
	shapes string, inputs []string, read func(string) (*source.File, error),
) (list []equiv.Declaration, err error) {
	var errs source.Errors
	add := func(origin string, weak bool, err error, inputs ...domain.Input) {
		errs = append(errs, source.AsErrors(err)...)
		for _, in := range inputs {
			list = append(list, equiv.Declaration{Input: in, Origin: origin, Weak: weak})
		}
	}
	if shapes != "" {
		f, err := read(shapes)
		var declared []domain.Input
		if err == nil {
			declared, err = glenside.ParseShapes(f.Name, []byte(f.Text))
		}
		add(shapes, true, err, declared...)
	}
	for _, value := range inputs {
		in, err := glenside.ParseInputFlag(value)
		add("--input", false, err, in)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return list, nil
}

// questionArgs returns the flags of a question that were given, in the order of their names.
func questionArgs(fs *pflag.FlagSet) []string {
	belongs := pflag.NewFlagSet("", pflag.ContinueOnError)
	none := newQuestionFlags()
	none.register(belongs)
	none.registerNames(belongs)
	var args []string
	fs.Visit(func(f *pflag.Flag) {
		if belongs.Lookup(f.Name) != nil || f.Name == implementationFlag || f.Name == sequentialFlag {
			args = append(args, flagArgs(f)...)
		}
	})
	return args
}

// replayArgs returns them for a command that asks again: it names the arithmetic.
func replayArgs(fs *pflag.FlagSet) []string {
	args := questionArgs(fs)
	for _, name := range []string{"arith", "require-exact"} {
		if f := fs.Lookup(name); f != nil && f.Changed != (name == "arith") {
			args = append(args, flagArgs(f)...)
		}
	}
	return args
}

// flagArgs returns a flag as a command line gives it, each of its values in one argument.
func flagArgs(f *pflag.Flag) []string {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	args := make([]string, len(values))
	for i, v := range values {
		args[i] = "--" + f.Name + "=" + v
	}
	return args
}

// withLitmusArgs returns the flags with those of a litmus file, which come on top. Files that they name
// are sections of the litmus file.
func (q *questionFlags) withLitmusArgs(l *casefile.Litmus) (*questionFlags, error) {
	copied := *q
	equal, arith, solver, overflow, alias := *q.equal, *q.arith, *q.solver, *q.overflow, *q.alias
	copied.equal, copied.arith, copied.solver, copied.overflow = &equal, &arith, &solver, &overflow
	copied.alias = &alias
	inputs := q.inputs
	fs := pflag.NewFlagSet("args:", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	copied.register(fs)
	copied.registerNames(fs)
	registerExact(fs, &copied.exact)
	if q.implementation != nil && l.Extensions[1] == "."+langListing {
		implementation := *q.implementation
		copied.implementation = &implementation
		fs.Var(&implementation, implementationFlag, "")
		registerSequential(fs, &copied.sequential)
	}
	copied.inputs = nil
	err := fs.Parse(l.Args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("%q is no flag of a question", fs.Arg(0))
	}
	if err != nil {
		return nil, source.Errorf(l.ArgsSpan, casefile.CodeLitmus, "args: %s", flagProblem(err))
	}
	copied.inputs = slices.Concat(inputs, copied.inputs)
	return &copied, nil
}

// reader returns the way to read files that a command line names.
func (a *app) reader() func(string) (*source.File, error) {
	return func(name string) (*source.File, error) { return files.Read(name, a.stdin) }
}

// checkFlags are all flags of tv check.
type checkFlags struct {
	*questionFlags
	reportFlags
	jobs           int // 0: one a processor
	counterexample string
	certificate    string
	certificates   string // of tv certify: a directory
	explain        bool
	expect         bool
	lang           *choice
	langUsage      string
	cache          string
	shard          string
	latency        int // of circuits; below 0: what the specification says
	circuit        circuitOptions
	opened         *cache.Cache // that cache; nil: none
	cluster        clusterFlags
}

// saysVerdictsAlone tells whether nothing that the command writes names what is to blame.
func (c *checkFlags) saysVerdictsAlone() bool {
	return c.quiet && c.format.value == "text" && len(c.reports) == 0 && c.baseline == "" && c.opened == nil && c.counterexample == "" && !c.explain
}

func (c *checkFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	c.questionFlags.register(fs)
	c.reportFlags.register(cmd)
	fs.IntVar(&c.jobs, "jobs", 0, "questions to work on at a time (0: one a processor)")
	fs.StringVar(&c.counterexample, "counterexample", "",
		"write the first counterexample to a `file`; an older file is removed")
	fs.StringVar(&c.cache, "cache", "", "keep verdicts in this `directory`, and check those that are there instead of "+
		"searching again")
	fs.StringVar(&c.shard, "shard", "", shardUsage)
	c.cluster.registerQuestions(fs)
	fs.BoolVar(&c.explain, "explain", false, "show how the answer was found")
	fs.BoolVar(&c.expect, "expect", false, "compare verdicts with those that the files want (none: proved)")
	fs.Var(c.lang, "lang", c.langUsage)
}

// checkJobs refuses a value of --jobs that is none.
func checkJobs(jobs int) error {
	if jobs < 0 {
		return usageError("--jobs takes a number from 0")
	}
	return nil
}

// workers returns how many questions or cases --jobs asks to work on at a time.
func workers(jobs int) int {
	if jobs == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return jobs
}

// shellQuote returns the arguments as a line for a shell.
func shellQuote(args ...string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		plain := func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
				strings.ContainsRune("-_./=:,+@%", r)
		}
		if arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return !plain(r) }) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
