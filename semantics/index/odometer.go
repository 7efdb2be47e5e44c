package index

// Next moves at to the index that follows it in row-major order within ends. Behind the last one it reports false, and at is
// all 0 again.
func Next(at, ends []int64) bool {
	for k := len(at) - 1; k >= 0; k-- {
		if at[k]++; at[k] < ends[k] {
			return true
		}
		at[k] = 0
	}
	return false
}
