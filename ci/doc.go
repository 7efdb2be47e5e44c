// Package ci writes reports: what a run asked and what came out, for people and for programs.
//
//	Run      everything that a report says
//	Item     one question of it: its result or the errors that kept it from being asked
//	Write    a report in one of the Formats:
//	  text   for people; its first line of a result is stable
//	  json   for programs, as ci/schema/report.schema.json describes
//	  junit  JUnit's XML, one suite of tests a run
//	  sarif  SARIF 2.1.0, for code scanning
//	  github annotations of a GitHub workflow; StepSummary writes its page
//	  html   a page to look at, which shows programs and values too (html.go, htmltrace.go), written by package page
//
// All say the same. Without timing, what they write depends on the questions and their answers alone.
//
// A baseline is the fingerprints of an earlier report (ReadBaseline): refutations that are in it are known and
// do not count. Beside the Go files are a composite action, examples of workflows, a problem matcher and the
// schema; doc/ci.md describes them.
package ci
