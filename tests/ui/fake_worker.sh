#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Stands for an octet-engine that does not get as far as its experiment. FAKE_WORKER says how it ends.
case "$FAKE_WORKER" in
    says-why) echo "octet-engine: There is no preset \"hybrid-99\"." >&2; echo "  Did you mean hybrid-16?" >&2; exit 2 ;;
    loader) echo "octet-engine: error while loading shared libraries: libc10.so" >&2; exit 127 ;;
    silent) exit 1 ;;
    killed) kill -9 $$ ;;
esac
