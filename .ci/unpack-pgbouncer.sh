#!/usr/bin/env bash
# bash unpack-pgbouncer.sh <folder>: PgBouncer from Debian's packages, started by <folder>/pgbouncer. Installs nothing.
# npm does not have it. Without it, its tests are reported as skipped.
set -euo pipefail
cd "$1"
timeout 100 apt-get download -qq pgbouncer libevent-2.1-7 libc-ares2
for package in *.deb; do dpkg -x "$package" root; done
cat > pgbouncer <<SCRIPT
#!/bin/sh
export LD_LIBRARY_PATH="\$(echo "$PWD"/root/usr/lib/*-linux-gnu)"
exec "$PWD/root/usr/sbin/pgbouncer" "\$@"
SCRIPT
chmod +x pgbouncer
./pgbouncer --version
