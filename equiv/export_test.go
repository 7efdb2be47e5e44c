package equiv

// RunningFrom are options under which relations of recurrences are guessed from runs at sizes so much greater.
func (o Options) RunningFrom(sizes int64) Options {
	o.runsFrom = sizes
	return o
}
