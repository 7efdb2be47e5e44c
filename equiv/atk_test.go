package equiv

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
	"fmt"

	"tv/equiv/witness"
	"tv/glenside"
	"tv/internal/source"
)

func TestAtk(t *testing.T) {
	data, err := os.ReadFile(os.Getenv("ATK"))
	if err != nil {
		t.Skip()
	}
	for _, block := range strings.Split(string(data), "\n=== ")  {
		head, rest, _ := strings.Cut(block, "\n")
		x, y, ok := strings.Cut(rest, "\n---\n")
		if !ok {
			continue
		}
		opts := Options{Solver: os.Getenv("SOLVER"), Timeout: 10 * time.Second}
		if strings.Contains(head, "exact") {
			opts.Arith = Exact
		}
		if strings.Contains(head, "access") {
			opts.Equal = Access
		}
		bp, err := glenside.Parse(source.NewFile("before", x))
		if err != nil {
			fmt.Printf("%-40s PARSE %v\n", head, err)
			continue
		}
		ap, err := glenside.Parse(source.NewFile("after", y))
		if err != nil {
			fmt.Printf("%-40s PARSE %v\n", head, err)
			continue
		}
		q, err := ask(bp, ap, opts)
		if err != nil {
			fmt.Printf("%-40s ASK %v\n", head, err)
			continue
		}
		proved, _ := Prove(context.Background(), bp, ap, opts)
		_, cerr := witness.Certify(context.Background(), bp, ap, q.env, witness.Options{Exact: opts.Arith == Exact, Access: opts.Equal == Access})
		opts.Certify = true
		r, _ := Check(context.Background(), bp, ap, opts)
		flag := "  "
		if (proved || cerr == nil) && r.Verdict != Proved {
			flag = "!!"
		}
		ce := "ACCEPTED"
		if cerr != nil {
			ce = strings.TrimPrefix(cerr.Error(), "certificate:1:1: ")
		}
		fmt.Printf("%s %-34s prover=%-5v tv=%-8v %-20.300s checker=%.110s\n", flag, head, proved, r.Verdict, r.Reason+" "+r.Detail, ce)
	}
}
