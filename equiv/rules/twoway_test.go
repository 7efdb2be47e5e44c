package rules

import (
	"testing"

	"tv/equiv"
	"tv/equiv/machine"
	"tv/semantics/domain"
)

// The rules that programs are mapped by are proved in both directions, and those beside them that are wrong are refuted.
func TestMapRulesAreTwoWay(t *testing.T) {
	for _, r := range readRules(t, "../../hwmodels/rules/map/*.rules", "../../hwmodels/rules/map/exact/*.rules") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			opts := equiv.Options{Timeout: patience, Unmended: true, FirstOnly: true}
			forth, back, err := Both(t.Context(), r, domain.Float32, opts)
			if err != nil {
				t.Fatal(err)
			}
			if r.Want == "refuted" {
				if forth.Verdict != equiv.Refuted {
					t.Errorf("%v, wanted refuted", forth.Verdict)
				}
				return
			}
			contract, err := machine.ApplyRuleContracts(r, domain.Float32)
			if err != nil {
				t.Fatal(err)
			}
			if Arith(r, opts) == equiv.Exact && contract != nil { // what a call computes is the contract's to say
				if got, err := Check(t.Context(), contract.Rule, domain.Float32, opts); err != nil || got.Verdict != equiv.Proved {
					t.Errorf("by its contract %v, %v", got.Verdict, err)
				}
				return // one-way: of a call alone, the mapper says nothing
			}
			if forth.Verdict != equiv.Proved || back == nil || back.Verdict != equiv.Proved {
				t.Errorf("%v, and back %+v", forth.Verdict, back)
			}
		})
	}
}
