package crossbar

import (
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/ila/run"
)

// The least widths are found, proved, and a bit less loses something: that run gives another value again, computed in
// plain Go.
func TestLeastADC(t *testing.T) {
	for _, test := range []struct {
		settings []string
		want     int
	}{
		{nil, 20}, {[]string{"rows=128"}, 19}, {[]string{"rows=2"}, 13}, {[]string{"serial=1"}, 13}, {[]string{"serial=1", "rows=16"}, 9},
		{[]string{"drop=1"}, 20}, {[]string{"drop=1", "serial=1"}, 13}, {[]string{"transa=1", "transb=1", "alpha=3", "beta=2"}, 20},
	} {
		o := Defaults()
		if err := o.Set(test.settings); err != nil {
			t.Fatal(err)
		}
		var tasks []*ila.Task
		var answers []*prove.Result
		width, err := LeastADC(o, func(nest func() (*ila.Nest, error)) (proved, wrong bool, err error) {
			task, r := verify(t, nest)
			tasks, answers = append(tasks, task), append(answers, r)
			return r.Verdict == prove.Proved, r.Verdict == prove.Refuted, nil
		})
		if err != nil || width != test.want || len(answers) != width-1 {
			t.Errorf("%v: %d, %v after %d questions, want %d", test.settings, width, err, len(answers), test.want)
			continue
		}
		below, loss := tasks[len(tasks)-2], answers[len(answers)-2]
		out, err := run.NewSimulator(below.Model).Run(below, loss.Inputs)
		if err != nil || out[0] != loss.Got || out[0] == loss.Want {
			t.Errorf("%v: %v, %v: the run below does not replay", test.settings, out, err)
		}
		sum := int64(0)
		for k, x := range loss.Inputs[0] {
			sum += int64(int8(x)) * int64(int8(loss.Inputs[1][k]))
		}
		sum *= int64(o.Alpha)
		if o.Beta != 0 {
			sum += int64(o.Beta) * int64(int8(loss.Inputs[2][0]))
		}
		if uint64(sum)&255 != loss.Want {
			t.Errorf("%v: the product is %d, and the contract says %d", test.settings, sum, loss.Want)
		}
	}
	for _, test := range []struct {
		proved, wrong bool
		part          string
	}{{false, true, "no converter"}, {false, false, "open"}, {true, false, "none below"}} {
		_, err := LeastADC(Defaults(), func(func() (*ila.Nest, error)) (bool, bool, error) { return test.proved, test.wrong, nil })
		if err == nil || !strings.Contains(err.Error(), test.part) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
