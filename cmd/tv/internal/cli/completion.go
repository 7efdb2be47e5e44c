//go:build !js

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/equiv/mapping"
	"tv/hwmodels"
	"tv/semantics/bits/cells"
)

// completing tells whether a shell asks for completions: only then is it worked out what there is.
func completing(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete lets shells complete the words of all flags that take one of a few, and the names of machines, drivers,
// targets, architectures, cells and rules.
func (a *app) complete(root *cobra.Command) {
	arguments := map[string]func() []string{
		"tv ila show": machineWords, "tv ila check": machineWords, "tv ila error": driverWords,
		"tv ila verify":  func() []string { return append(driverWords(), machineWords()...) },
		"tv fuzz models": func() []string { return append(driverWords(), machineWords()...) },
		"tv fuzz cells":  cellWords,
	}
	flags := map[string]func() []string{
		"--target": mapping.TargetNames, "--without": a.mapRuleWords, "--against": machineWords, "--arch": func() []string { return cells.Arches },
	}
	for _, cmd := range root.Commands() {
		a.complete(cmd)
	}
	if words := arguments[root.CommandPath()]; words != nil {
		root.ValidArgsFunction = completion(words)
	}
	root.Flags().VisitAll(func(f *pflag.Flag) {
		words := flags["--"+f.Name]
		if c, ok := f.Value.(*choice); ok {
			words = c.words
		}
		if words != nil && (f.Name != "against" || root.Name() == "verify" && root.Parent().Name() == "ila") {
			_ = root.RegisterFlagCompletionFunc(f.Name, completion(words)) // fails only for flags that there are not
		}
	})
}

func completion(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, start string) (list []string, _ cobra.ShellCompDirective) {
		for _, w := range words() {
			if strings.HasPrefix(w, start) {
				list = append(list, w)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func machineWords() (list []string) {
	for _, m := range hwmodels.All() {
		list = append(list, cobra.CompletionWithDesc(m.Name, m.Doc))
	}
	return list
}

func driverWords() (list []string) {
	for _, d := range hwmodels.Drivers() {
		list = append(list, cobra.CompletionWithDesc(d.Name, d.Doc))
	}
	return list
}

func cellWords() (list []string) {
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			list = append(list, cobra.CompletionWithDesc(c.Name, arch))
		}
	}
	return list
}

// mapRuleWords are the names of the rules onto any target.
func (a *app) mapRuleWords() (list []string) {
	for _, target := range mapping.TargetNames() {
		set, err := a.mapRules(&mapFlags{targets: []string{target}, mode: newChoice(""), pad: true, ideal: true, split: true, join: true})
		if err != nil { // a target whose size is wanted, or procedures
			continue
		}
		for _, r := range set.list {
			list = append(list, r.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
