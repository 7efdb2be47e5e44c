package passes

// c returns a file of C whose function is named as the side.
func (c *compilation) c(side, text string) (string, error) {
	return c.write(side+".c", "#define f "+side+"\n"+text)
}
