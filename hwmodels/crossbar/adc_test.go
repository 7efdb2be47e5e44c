package crossbar

import (
	"context"
	"testing"

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
		a, err := LeastADC(context.Background(), o)
		if err != nil || a.Width != test.want || a.Proof.Verdict != prove.Proved || a.Loss.Verdict != prove.Refuted {
			t.Errorf("%v: %+v, %v, want %d", test.settings, a, err, test.want)
			continue
		}
		out, err := run.NewSimulator(a.Below.Model).Run(a.Below, a.Loss.Inputs)
		if err != nil || out[0] != a.Loss.Got || out[0] == a.Loss.Want {
			t.Errorf("%v: %v, %v: the run below does not replay", test.settings, out, err)
		}
		sum := int64(0)
		for k, x := range a.Loss.Inputs[0] {
			sum += int64(int8(x)) * int64(int8(a.Loss.Inputs[1][k]))
		}
		sum *= int64(o.Alpha)
		if o.Beta != 0 {
			sum += int64(o.Beta) * int64(int8(a.Loss.Inputs[2][0]))
		}
		if uint64(sum)&255 != a.Loss.Want {
			t.Errorf("%v: the product is %d, and the contract says %d", test.settings, sum, a.Loss.Want)
		}
	}
	o := Defaults()
	o.Config.Saturate = true
	if a, err := LeastADC(context.Background(), o); err == nil {
		t.Errorf("results that saturate are exact with %d bits", a.Width)
	}
}
