package flexasr

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tv/internal/source"
)

// text prints tables as files have them.
func (t *Tables) text() string {
	list := []string{"release " + t.Release}
	for _, k := range t.named() {
		list = append(list, strings.Trim(fmt.Sprint(k.name, " slopes ", k.pieces.Slopes), "[]"),
			strings.Trim(fmt.Sprint(k.name, " intercepts ", k.pieces.Intercepts), "[]"))
	}
	return strings.NewReplacer("[", "", "]", "").Replace(strings.Join(list, "\n")) + "\n"
}

func TestReadTables(t *testing.T) {
	text := PublicTables().text()
	got, err := ReadTables(source.NewFile("t", "# public\n"+text))
	if err != nil || !reflect.DeepEqual(got, PublicTables()) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, test := range []struct{ name, old, new, at, want string }{
		{"one entry less", " 10 6\n", " 10\n", "t:2:1", "have 7 entries; the machine takes 8"},
		{"one entry more", " 1719", " 1719 0", "t:9:1", "have 5 entries; the machine takes 4"},
		{"another name", "tanh slopes", "tan slopes", "t:4:1", "no table"},
		{"twice", "tanh slopes", "tanh intercepts", "t:5:1", "twice"},
		{"half", "exp2 slopes 194 230 273 325\n", "", "t:8:1", "missing"},
		{"no release", "release", "# release", "t:9:1", "whose"},
		{"no number", "155", "15.5", "t:2:1", "no entry"},
		{"too large", "155", "40000", "t:2:1", "no entry"},
		{"words", "release", "from", "t:1:1", "a line is"},
	} {
		_, err := ReadTables(source.NewFile("t", strings.Replace(text, test.old, test.new, 1)))
		var e *source.Error
		if !errors.As(err, &e) || e.Code != CodeTables || e.Span.Position().String() != test.at || !strings.Contains(e.Msg, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// Distances rise with tables that are off, and are those of all arguments: of one entry that is off by a unit in 1024 too.
func TestDistances(t *testing.T) {
	for name, distance := range map[string]func(t *Tables) string{
		"sigmoid": (*Tables).sigmoidDistance, "tanh": (*Tables).tanhDistance, "inverse-root": (*Tables).inverseRootDistance,
		"exp2": (*Tables).expDistance,
	} {
		right, off := PublicTables(), PublicTables()
		for _, k := range off.named() {
			if k.name == name {
				k.pieces.Intercepts[1] += 40
			}
		}
		var is, would float64
		fmt.Sscan(strings.Split(distance(right), ",")[0], &is)
		fmt.Sscan(strings.Split(distance(off), ",")[0], &would)
		if is <= 0 || would <= is {
			t.Errorf("%s: %s; off: %s", name, distance(right), distance(off))
		}
	}
}
