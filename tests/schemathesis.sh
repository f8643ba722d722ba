#!/usr/bin/env bash
# Schemathesis asks a live server what its OpenAPI document allows, and what it forbids: .ci/with-shim tests/schemathesis.sh [SECONDS]
# No answer may be a 500, or other than the document says. Schemathesis is installed from PyPI into a directory beside the build.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath "${CARGO_TARGET_DIR:-target}")
tool=$target/schemathesis/bin/schemathesis
seconds=${1:-20}

[ -x "$target/schemathesis/bin/python" ] || python3 -m venv "$target/schemathesis"
[ -x "$tool" ] || "$target/schemathesis/bin/python" -m pip install -q 'schemathesis>=4,<5'

# What the paths name is there, so that requests get past "no such session".
exuvia=$target/debug/exuvia
ask() {
  python3 - "$@" <<'PYTHON'
import json, os, sys, urllib.request
method, path, body, kind = sys.argv[1:]
headers = {"Authorization": "Bearer " + os.environ["EXUVIA_KEY"], "Nylorun-Protocol": "10", "Content-Type": kind}
request = urllib.request.Request(os.environ["EXUVIA_URL"] + path, body.encode(), headers, method=method)
answer = json.load(urllib.request.urlopen(request))
print(answer.get("artifact", {}).get("id", ""))
PYTHON
}
ask PUT /v1/sessions/known '{"requestId": "r", "agentId": "a", "ownerUserId": "u", "sandbox": {}}' application/json
ask PUT /v1/sandboxes/known '{}' application/json
artifact=$(ask POST '/v1/artifacts?name=known' contents text/plain)
"$exuvia" tool bash --session known 'echo hello > file' >/dev/null

# What it remembers from run to run goes away with the folder.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >settings.toml <<TOML
[parameters]
"path.sessionId" = "known"
"path.sandboxId" = "known"
"path.artifactId" = "$artifact"
"path.version" = "1"

# What is known stays: others are deleted.
[[operations]]
include-method = "DELETE"
parameters = { "path.sessionId" = "other", "path.sandboxId" = "other", "path.artifactId" = "af_other" }

# No body is an empty file.
[[operations]]
include-path-regex = "^/v1/artifacts|/files/"
checks.negative_data_rejection.enabled = false
TOML

# Not every limit is in the document: some are of the tenant, some need a second look at the same request. So what fits it may be refused; what does
# not fit it must be. The ids are given, so what a request made is not what the next one names. The stream of events has no end, which tests/shim
# looks at; /mcp speaks another protocol, see tests/mcp.sh.
play() {
  local key=$1
  shift
  "$tool" --config-file settings.toml run "$EXUVIA_URL/openapi.json" -H "Authorization: Bearer $key" -H 'Nylorun-Protocol: 10' \
    --max-time "$seconds" --phases coverage,fuzzing,stateful --request-timeout 30 --seed 1 --warnings off \
    --exclude-checks positive_data_acceptance,ensure_resource_availability "$@"
}
well=0
play "$EXUVIA_KEY" --exclude-path-regex '^/v1/tenant|^/v1/sessions/.*/(events|mcp)$' || well=1
seconds=5 play "$EXUVIA_MANAGEMENT_KEY" --include-path-regex '^/v1/tenant' || well=1
if grep -E 'internal error|panic' "$EXUVIA_TEST_LOG"; then well=1; fi
exit $well
