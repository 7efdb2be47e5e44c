package main

import "tv/cmd/tv/internal/cli"

func main() { cli.Page() }
