#!/usr/bin/env bash
# What ci/action.yml runs: tv with the reports that a workflow wants. All that a workflow says comes in the
# environment and stays data: no line of it is read as a script.
#
#	TV_COMMAND        check or certify
#	TV_FILES          names or patterns of files, one a line
#	TV_ARGS           further arguments, one a line
#	TV_BASELINE       JSON report whose refutations do not count, or nothing
#	TV_CACHE          directory of verdicts, or nothing
#	TV_REPORTS        directory to write reports to
#	TV_ALLOW_UNKNOWN  true: succeed with the exit status 3
#
# The exit status is that of tv; it is an output too, as are the directory and the SARIF report in it.
set -euo pipefail
shopt -s nullglob globstar

case $TV_COMMAND in
check | certify) ;;
*)
	printf '::error::%s\n' 'tv: command is check, certify or install'
	exit 2
	;;
esac

files=()
while IFS= read -r pattern || [ -n "$pattern" ]; do
	if [ -z "$pattern" ]; then
		continue
	fi
	IFS=
	# shellcheck disable=SC2206 # patterns are to be expanded, and with an empty IFS not split
	found=($pattern)
	unset IFS
	if [ ${#found[@]} -eq 0 ]; then
		printf '::error::%s\n' 'tv: a line of files names no file'
		exit 2
	fi
	files+=("${found[@]}")
done <<<"${TV_FILES-}"

args=()
while IFS= read -r arg || [ -n "$arg" ]; do
	if [ -n "$arg" ]; then
		args+=("$arg")
	fi
done <<<"${TV_ARGS-}"
if [ -n "${TV_BASELINE-}" ]; then
	args+=("--baseline=$TV_BASELINE")
fi
if [ -n "${TV_CACHE-}" ]; then
	args+=("--cache=$TV_CACHE")
fi

mkdir -p "$TV_REPORTS"
rm -f "$TV_REPORTS"/tv.{json,sarif,xml,txt}
status=0
tv "$TV_COMMAND" --format=github --no-timing \
	--report="json=$TV_REPORTS/tv.json" --report="sarif=$TV_REPORTS/tv.sarif" \
	--report="junit=$TV_REPORTS/tv.xml" --report="text=$TV_REPORTS/tv.txt" \
	"${args[@]}" -- "${files[@]}" || status=$?

{
	printf 'exit=%s\nreports=%s\n' "$status" "$TV_REPORTS"
	if [ -f "$TV_REPORTS/tv.sarif" ]; then # there is none where tv could not start
		printf 'sarif=%s\n' "$TV_REPORTS/tv.sarif"
	fi
} >>"${GITHUB_OUTPUT:-/dev/null}"
if [ "$status" -eq 3 ] && [ "${TV_ALLOW_UNKNOWN-}" = true ]; then
	exit 0
fi
exit "$status"
