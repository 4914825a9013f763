#!/bin/sh
# Proves that a backup can be restored: puts a copy and its key into an empty folder and checks everything in it.
# Usage: restore-drill.sh <copy made by refbridge backup> <its secret.key>
# REFBRIDGE: how the command is called, such as "npm run -s refbridge --"; TMPDIR: where the copy is put meanwhile.
# Touches neither the server nor the copy. Exit code 0: everything can be read, and nothing is broken.
set -eu
if [ $# -ne 2 ]; then
  echo "Usage: $0 <copy> <secret.key>" >&2
  exit 2
fi
# or an empty file would get everything from the migrations
if ! grep -q schema_migrations "$1"; then
  echo "$1 is no copy of a Refbridge database." >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# dash leaves out the line above when a signal ends it
trap 'exit 130' INT TERM HUP
# or Node would leave its cache of compiled code there
unset TMPDIR
umask 077
cp "$1" "$folder/refbridge.db"
cp "$2" "$folder/secret.key"
# The keys of the running server would hide that the copy's is wrong. Empty rather than unset, or .env would set them.
export SECRET_KEY='' SECRET_KEY_FALLBACKS='' DATABASE_URL="file:$folder/refbridge.db"
# a copy made by an earlier version needs it, as at a restore
${REFBRIDGE:-refbridge} migrate
${REFBRIDGE:-refbridge} doctor
echo "$1 can be restored."
