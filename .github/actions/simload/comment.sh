#!/usr/bin/env bash
# Writes the comment on the pull request, or writes it anew where it stands already. A pull request
# from a fork has a token that may not: that is told and is no failure.
#
# Reads GH_TOKEN, SIMLOAD_COMMENT (a file), SIMLOAD_NAME and SIMLOAD_PULL, and GITHUB_REPOSITORY of the
# runner.
set -uo pipefail

mark="$(head -n 1 "$SIMLOAD_COMMENT")"
comments="repos/$GITHUB_REPOSITORY/issues/$SIMLOAD_PULL/comments"
id="$(MARK="$mark" gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.MARK)) | .id' | head -n 1)"

if [ -n "$id" ]; then
	gh api --silent -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$SIMLOAD_COMMENT"
else
	gh api --silent -X POST "$comments" -F "body=@$SIMLOAD_COMMENT"
fi || echo "::notice title=simload::the comment could not be written; the job needs the permission pull-requests: write"
