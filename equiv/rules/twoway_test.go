package rules

import (
	"testing"

	"tv/equiv"
	"tv/equiv/machine"
)

// The rules that programs are mapped by are proved in both directions, and those beside them that are wrong are refuted. What a
// machine's contract says of a call stands for the call in one direction only: the converse would say what a call alone computes.
func TestMapRulesAreTwoWay(t *testing.T) {
	for _, r := range readRules(t, "../../hwmodels/rules/map/*.rules", "../../hwmodels/rules/map/exact/*.rules") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			opts := equiv.Options{Timeout: patience, Unmended: true, FirstOnly: true}
			elem := typesOf(r)[0]
			contract, err := machine.ApplyRuleContracts(r, elem)
			if err != nil {
				t.Fatal(err)
			}
			bitwise := Arith(r, opts) == equiv.Exact && contract != nil
			if bitwise {
				r = contract.Rule
			}
			forth, back, err := Both(t.Context(), r, elem, opts)
			if err != nil {
				t.Fatal(err)
			}
			if r.Want == "refuted" {
				if forth.Verdict != equiv.Refuted {
					t.Errorf("%v, wanted refuted", forth.Verdict)
				}
				return
			}
			if forth.Verdict != equiv.Proved || !bitwise && (back == nil || back.Verdict != equiv.Proved) {
				t.Errorf("%v, and back %+v", forth.Verdict, back)
			}
		})
	}
}
