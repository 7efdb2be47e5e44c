package mlir

// Format returns a text in the layout of this package.
func Format(src string) string { return src }
