#!/usr/bin/env bash
# Plays `exuvia mcp` with the official Python client of the Model Context Protocol, and sessions of a shim: .ci/with-shim tests/mcp.sh
# The client is installed from PyPI into a directory beside the build.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
python=$target/mcp-client/bin/python

[ -x "$python" ] || python3 -m venv "$target/mcp-client"
"$python" -c 'import mcp' 2>/dev/null || "$python" -m pip install -q 'mcp>=2'
# The program that the tests are played with.
cargo test -q --no-run --features "${EXUVIA_FEATURES:-mcp,server}" --test shim
"$python" tests/mcp_client.py "$target/debug/exuvia"
