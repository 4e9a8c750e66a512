#!/usr/bin/env bash
# Runs the scenario, compares its report with the base branch's, and writes what the next steps
# need to GITHUB_OUTPUT. Ends with the run's exit code, or with 4 for a regression.
#
# Reads SIMLOAD_SCENARIO, SIMLOAD_ARGS, SIMLOAD_BASELINE, SIMLOAD_COMPARE_ARGS and SIMLOAD_NAME (see
# action.yml), and RUNNER_TEMP, GITHUB_OUTPUT and GITHUB_EVENT_NAME of the runner.
set -uo pipefail

out="$RUNNER_TEMP/simload-out"
kept="$RUNNER_TEMP/simload-base/report.json"
rm -rf "$out"
mkdir -p "$out"

# One argument a line; empty lines are none.
args=() compare_args=()
while IFS= read -r line; do [ -z "$line" ] || args+=("$line"); done <<<"${SIMLOAD_ARGS:-}"
while IFS= read -r line; do [ -z "$line" ] || compare_args+=("$line"); done <<<"${SIMLOAD_COMPARE_ARGS:-}"

simload run --quiet -o "$out/report.json" -o "$out/report.xml" -o "$out/report.md" "${args[@]}" -- "$SIMLOAD_SCENARIO"
code=$?

{
	echo "exit-code=$code"
	[ ! -s "$out/report.json" ] || echo "report=$out/report.json"
	[ ! -s "$out/report.xml" ] || echo "junit=$out/report.xml"
} >>"$GITHUB_OUTPUT"
[ -s "$out/report.json" ] || exit "$code"

base="${SIMLOAD_BASELINE:-}"
if [ -z "$base" ] && [ "${GITHUB_EVENT_NAME:-}" = pull_request ] && [ -s "$kept" ]; then
	base="$kept"
fi

# The comment: a mark by which it is found again, the comparison, and the report behind a fold.
{
	printf '<!-- simload %s -->\n' "${SIMLOAD_NAME//[^A-Za-z0-9._-]/_}"
	if [ -n "$base" ]; then
		simload compare --format markdown "${compare_args[@]}" -- "$base" "$out/report.json" 2>"$out/compare.err"
		compared=$?
		cat "$out/compare.err" >&2
		case "$compared" in
		0) ;;
		4)
			# Whatever the run found comes first.
			[ "$code" -ne 0 ] || code=4
			;;
		*)
			# A cached report that no longer fits is nobody's fault; a baseline that was named, and arguments that
			# are wrong, are to be told. The gate must not be open without a word.
			if [ "$code" -eq 0 ] && { [ -n "${SIMLOAD_BASELINE:-}" ] || ! simload compare "${compare_args[@]}" -- "$out/report.json" "$out/report.json" >/dev/null 2>&1; }; then
				code="$compared"
			fi
			printf '\nNot compared with the base branch:\n\n```\n'
			head -c 2000 "$out/compare.err" | tr '`' "'"
			printf '\n```\n'
			;;
		esac
	else
		printf 'No report of the base branch to compare with yet.\n'
	fi
	printf '\n<details><summary>The report</summary>\n\n'
	# GitHub takes 65536 characters; the step's summary has all.
	head -c 50000 "$out/report.md" | iconv -c -f UTF-8 -t UTF-8
	printf '\n</details>\n'
} >"$out/comment.md"

{
	echo "comment=$out/comment.md"
	echo "exit-code=$code" # the last one counts
} >>"$GITHUB_OUTPUT"

# What is kept for pull requests is what the base branch measured, whether it passed or not, but
# no run that was cut short or invalid.
if [ "$code" -eq 0 ] || [ "$code" -eq 99 ] || [ "$code" -eq 4 ]; then
	mkdir -p "$(dirname "$kept")"
	[ "${GITHUB_EVENT_NAME:-}" = pull_request ] || cp "$out/report.json" "$kept"
	echo "keep=true" >>"$GITHUB_OUTPUT"
fi
exit "$code"
