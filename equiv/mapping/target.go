package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Target is an accelerator as --target names it.
type Target struct {
	Name  string           // flexasr
	Given map[string]int64 // sizes of the array, by the names that rules have for them
	Steps []string         // operators that its rules go through, and that are none of its own
	Cuts  []string         // those of them that are taken apart after the search
	Parts bool             // its rules are about the parts of splits and stacks: Families
}

// The targets: those of arrays have a size, R rows by C columns, or one that is theirs without saying so.
var targets = []struct {
	name  string
	array bool
	size  string
}{
	{"flexasr", false, ""}, {"flexasr-lstm", false, ""}, {"flexasr-attention", false, ""}, {"vta", false, ""}, {"hlscnn", false, ""},
	{"systolic", true, ""}, {"systolic-blocking", true, ""}, {"cim", true, "256x256"}, {"cimblas", false, ""},
}

var arraySize = regexp.MustCompile(`^([1-9][0-9]{0,8})x([1-9][0-9]{0,8})$`)

// TargetNames lists how targets are written.
func TargetNames() []string {
	var names []string
	for _, t := range targets {
		switch {
		case t.size != "":
			names = append(names, t.name, t.name+"=RxC")
		case t.array:
			names = append(names, t.name+"=RxC")
		default:
			names = append(names, t.name)
		}
	}
	return names
}

// ParseTarget reads the name of a target, with the size of its array.
func ParseTarget(text string) (Target, error) {
	name, size, sized := strings.Cut(text, "=")
	for _, t := range targets {
		if t.name != name {
			continue
		}
		switch {
		case sized && !t.array:
			return Target{}, fmt.Errorf("%s has no size", name)
		case !sized && t.array && t.size == "":
			return Target{}, fmt.Errorf("%s wants the size of the array: %s=16x16", name, name)
		case !t.array:
			target := Target{Name: name}
			if name == "flexasr-lstm" {
				target.Steps, target.Parts = []string{"flex-lstm-cells"}, true
			}
			return target, nil
		case !sized:
			size = t.size
		}
		m := arraySize.FindStringSubmatch(size)
		if m == nil {
			return Target{}, fmt.Errorf("the size of an array is RxC, rows by columns, not %q", size)
		}
		r, _ := strconv.ParseInt(m[1], 10, 64)
		c, _ := strconv.ParseInt(m[2], 10, 64)
		target := Target{Name: name, Given: map[string]int64{"?R": r, "?C": c}}
		if name == "systolic" {
			target.Steps = []string{"systolic-array-with-blocking"}
			target.Cuts = target.Steps
		}
		return target, nil
	}
	return Target{}, fmt.Errorf("there is no target %q; there are %s", name, strings.Join(TargetNames(), " "))
}

// groups are the operator groups under which calls are counted.
var groups = map[string]string{"flex-linear": "flexasr", "flex-maxpool": "flexasr-maxpool", "flex-meanpool": "flexasr-meanpool",
	"flex-layernorm": "flexasr-layernorm", "flex-attention": "flexasr-attention", "flex-lstm": "flexasr-lstm", "vta-dense": "vta",
	"vta-conv1d": "vta", "hlscnn-conv2d": "hlscnn", "cim-gemm": "cim"}

// group is that of a call.
func group(name string) string {
	if g, ok := groups[name]; ok {
		return g
	}
	if strings.HasPrefix(name, "systolic") {
		return "systolic"
	}
	return name
}

// Groups lists the groups that calls are counted under, sorted.
func Groups() []string {
	list := []string{"systolic"}
	for _, g := range groups {
		list = append(list, g)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// IsTarget tells whether there is a target of that name, whatever its size.
func IsTarget(name string) bool {
	for _, t := range targets {
		if t.name == name {
			return true
		}
	}
	return false
}
