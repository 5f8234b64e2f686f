#!/usr/bin/env bash
# The tests open the report in a headless browser. Install Debian's Chromium where that is possible without asking;
# elsewhere say what is missing. The tests that need it are skipped, with a word, when there is none.
set -euo pipefail

for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null; then
    exit 0
  fi
done

if [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] && grep -qs '^ID=debian' /etc/os-release; then
  echo "Installing Chromium for the tests of the report"
  if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; then
    exit 0
  fi
  echo "Chromium could not be installed; the tests that look at the report are skipped." >&2
  exit 0
fi

echo "No Chromium or Chrome on the PATH; the tests that look at the report are skipped." >&2
