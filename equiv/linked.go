package equiv

import "tv/equiv/smt"

// LinkedSolver names the solver in this process, such as "z3 4.8.12"; empty where tv is built without cgo.
func LinkedSolver() string { return smt.LinkedVersion() }
