package algebra

import (
	"fmt"
	"runtime"

	"tv/internal/source"
)

// Codes of the reasons to refuse a certificate.
const (
	CodeMalformed   = "certificate-malformed"
	CodeDigest      = "certificate-damaged"
	CodeStatement   = "certificate-statement"
	CodeWitness     = "certificate-witness"
	CodeRange       = "certificate-range"
	CodeInverse     = "certificate-inverse"
	CodeIndex       = "certificate-index"
	CodeGoal        = "certificate-goal"
	CodeDefined     = "certificate-undefined"
	CodeUnsupported = "certificate-unsupported"
	CodeLimit       = "certificate-limit"

	// CodeObligation is that of obligations that are not those of the statement.
	CodeObligation = "certificate-obligation"

	// CodeWeaker is that of a statement that says less than what is wanted.
	CodeWeaker = "certificate-weaker"
)

// Refusal is the panic that ends a check.
type Refusal struct{ Code, Msg string }

func Fail(code, format string, args ...any) {
	panic(Refusal{code, fmt.Sprintf(format, args...)})
}

func Recovered(name string, err *error) {
	var why Refusal
	switch r := recover().(type) {
	case nil:
		return
	case Refusal:
		why = r
	case runtime.Error: // to refuse is safe, whatever the fault is
		why = Refusal{CodeUnsupported, "a fault of the checker: " + r.Error()}
	default:
		panic(r)
	}
	f := source.NewFile(name, "")
	*err = source.Errors{source.Errorf(source.Span{File: f}, why.Code, "%s", why.Msg)}
}
