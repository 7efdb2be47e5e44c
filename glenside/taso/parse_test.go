package taso_test

import (
	"strings"
	"testing"

	"tv/glenside/taso"
	"tv/internal/source"
)

func TestParse(t *testing.T) {
	got, err := taso.Parse(source.NewFile("f", "a(b, 1)==c relu( input_1 ) ==\n input_1 a(b,1) == c"))
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, e := range got {
		text = append(text, e.Name+" "+e.Left.String()+" == "+e.Right.String()+" at "+e.Span.Position().String())
	}
	want := []string{"taso-001 a(b,1) == c at f:1:1", "taso-002 relu(input_1) == input_1 at f:1:12"}
	if strings.Join(text, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "f:1:1: there is no equation in the file [no-rule]"},
		{"input_1", "f:1:8: == is wanted between the terms of an equation [bad-equation]"},
		{"relu(input_1 == input_1", "f:1:14: a comma or a closing parenthesis is wanted here [bad-equation]"},
		{"relu() == input_1", "f:1:6: a name or a number is wanted here [bad-equation]"},
		{"input_1 ==", "f:1:11: a name or a number is wanted here [bad-equation]"},
		{strings.Repeat("relu(", 300) + "input_1", "f:1:1006: terms nest more than 200 deep [bad-equation]"},
		{"input_1 == tanh(input_1)", "f:1:12: there is no operator tanh [bad-equation]"},
		{"7 == 7", "f:1:1: there is no operator 7 [bad-equation]"},
		{"relu(input_1,input_2) == input_1", "f:1:1: relu takes 1 operands, got 2 [bad-equation]"},
		{"input_1(input_2) == input_1", "f:1:1: there is no operator input_1 [bad-equation]"},
		{"concat(input_3,input_1,input_2) == input_1", "f:1:8: operand 1 of concat is a number [bad-equation]"},
		{"concat(99999999999,input_1,input_2) == input_1", "f:1:8: operand 1 of concat is a number [bad-equation]"},
		{"concat(4000,input_1,input_2) == input_1", "f:1:8: axis 4000 is beyond 15 [bad-equation]"},
		{"conv2d(0,1,0,0,input_1,input_2) == input_1", "f:1:8: a stride is at least 1 [bad-equation]"},
		{"conv2d(1,1,2,0,input_1,input_2) == input_1", "f:1:12: padding is 0 (same) or 1 (valid), got 2 [bad-equation]"},
		{"conv2d(1,1,0,1,input_1,input_2) == input_1", "f:1:14: an activation is 0 (none) or 2 (relu), got 1 [bad-equation]"},
		{"poolmax(3,0,1,1,0,input_1) == input_1", "f:1:11: a window is at least 1 [bad-equation]"},
		{"relu(Iewmul) == input_1", "f:1:1: the left side of taso-001 is nowhere defined: nothing says the shape of " +
			"relu(Iewmul) [vacuous]"},
		{"split_0(0,input_1) == input_1", "f:1:1: the left side of taso-001 is nowhere defined: input_1 has no cut on " +
			"axis 0 [vacuous]"},
		{"split_0(1,concat(0,input_1,input_2)) == input_1", "f:1:1: the left side of taso-001 is nowhere defined: " +
			"concat(0,input_1,input_2) has no cut on axis 1 [vacuous]"},
		{"transpose(conv2d(1,1,0,0,input_1,input_2)) == input_1", "f:1:1: the left side of taso-001 is nowhere defined: " +
			"a rank is 4 and 2 [vacuous]"},
		{"transpose(concat(2,input_1,input_2)) == input_1", "f:1:1: the left side of taso-001 is nowhere defined: " +
			"axis 2 of a tensor of rank 2 [vacuous]"},
	} {
		list, err := taso.Parse(source.NewFile("f", test.text))
		if err == nil {
			_, err = list[0].Cases(taso.Ordinary)
		}
		if got := errorText(err); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.text, got, test.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return source.AsErrors(err)[0].Error()
}
