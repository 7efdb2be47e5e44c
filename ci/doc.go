// Package ci writes reports: what a run asked and what came out, for people and for programs.
//
//	Run    everything that a report says
//	Item   one question of it: its result or the errors that kept it from being asked
//	Text   for people; its first line of a result is stable
//	JSON   for programs, as ci/schema/report.schema.json describes
//
// Both say the same. Without timing, what they write depends on the questions and their answers alone.
package ci
