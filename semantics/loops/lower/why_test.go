package lower_test

import (
	"fmt"
	"regexp"
	"sort"
	"testing"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/loops/lower"
	"tv/semantics/term"
)

func TestWhy(t *testing.T) {
	m := map[string]int{}
	ex := map[string]uint64{}
	re := regexp.MustCompile(`[0-9]+|random.c:`)
	for seed := uint64(0); seed < 300; seed++ {
		text := cnest.Generate(seed)
		p, err := cnest.Parse(source.NewFile("random.c", string(text)), "")
		if err != nil {
			t.Fatal(err)
		}
		why := func() string {
			s, err := loops.SourceOf(p)
			if err != nil {
				return "source " + err.Error()
			}
			env, _ := domain.Merge([]domain.Declarations{s.Declarations()})
			ty, err := s.Under(env, nil)
			if err != nil {
				return "under " + err.Error()
			}
			b := term.NewBuilder()
			_, err = lower.Lower(ty, b, semantics.LowerOptions{Arith: domain.Auto, Whole: true, Size: func(n string) *index.Expr { return b.Index.Size(n, 1) }})
			if err != nil {
				return "lower " + err.Error()
			}
			return "ok"
		}()
		why = re.ReplaceAllString(why, "#")
		if len(why) > 110 {
			why = why[:110]
		}
		m[why]++
		ex[why] = seed
	}
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	sort.Slice(ks, func(i, j int) bool { return m[ks[i]] > m[ks[j]] })
	for i, k := range ks {
		if i < 40 {
			fmt.Println(m[k], ex[k], k)
		}
	}
}
func TestShow(t *testing.T) { for _, s := range []uint64{299, 273, 238} { fmt.Println(string(cnest.Generate(s))) } }
