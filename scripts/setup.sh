#!/bin/sh
# Makes .venv, installs what requirements.lock names and albic itself, and looks for Java, PostgreSQL, what
# isolated nodes need, and what tests the live page.
# Needs Python 3.11 or newer, nothing else. Harmless to run again.
#
#   scripts/setup.sh          everything (what the Makefile calls)
#   scripts/setup.sh java     only look for Java
#   scripts/setup.sh postgres only look for PostgreSQL
#   scripts/setup.sh nodes    only look for what isolated nodes need
#   scripts/setup.sh page     only look for Prometheus and Chromium, which test the live page
#
# PYTHON=/path/to/python chooses the interpreter for a new .venv.
set -eu

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

recent_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if is_recent "$candidate"; then echo "$candidate"; return; fi
    done
    found=$("${PYTHON:-python3}" --version 2>&1) || found="no ${PYTHON:-python3}"
    fail "albic needs Python 3.11 or newer, here is $found; install one and name it with PYTHON=..."
}

may_install() { [ -f /etc/debian_version ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() {
    say "installing $1"
    export DEBIAN_FRONTEND=noninteractive
    # The lists of a fresh container are empty, those of an old machine are stale.
    { apt-get -qq update && apt-get -qq -y --no-install-recommends install "$1"; } >/dev/null 2>&1
}

make_environment() {
    # Somebody may have upgraded or removed the interpreter that an old .venv points to.
    if is_recent .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then return; fi
    python=$(recent_python)
    if ! "$python" -c 'import ensurepip' 2>/dev/null; then
        # Debian and Ubuntu ship Python without the means to make environments.
        { may_install && apt_install python3-venv && "$python" -c 'import ensurepip' 2>/dev/null; } ||
            fail "$python cannot make virtual environments; install python3-venv (apt-get install python3-venv)"
    fi
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
}

install_packages() {
    say "installing the packages of requirements.lock; the first time takes a while"
    # The lock is whole. Left to look for itself, an older pip takes the newest of a package that is asked
    # for with an extra, finds no hash for it, and stops.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
        --requirement requirements.lock
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-index \
        --no-deps --no-build-isolation --editable .
}

has_java() {
    version=$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 |
        sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${version:-0}" -ge 17 ]
}

# Only Spark needs Java, so its absence is told and never stops the rest.
look_for_java() {
    if has_java; then return; fi
    if [ -n "${JAVA_HOME:-}" ]; then
        say "JAVA_HOME is $JAVA_HOME, where there is no Java 17 or newer; Spark will need one"
        return
    fi
    if may_install; then
        # Debian 13 has no 17 any more, older releases have an older default.
        if apt_install openjdk-17-jre-headless && has_java; then return; fi
        if apt_install default-jre-headless && has_java; then return; fi
    fi
    say "Java 17 or newer is missing; Spark will need it: install a JRE, for example openjdk-17-jre-headless"
}

has_postgres() {
    command -v initdb >/dev/null || { set -- "${POSTGRES_HOME:-/usr/lib/postgresql}"/*/bin/initdb; [ -x "$1" ]; }
}

# Only the tests of the store need a server; without one they say so and are skipped.
look_for_postgres() {
    if has_postgres; then return; fi
    if may_install && apt_install postgresql && has_postgres; then return; fi
    say "PostgreSQL is missing; its tests will be skipped: install it, for example Debian's postgresql"
}

has_nodes() {
    PATH=$PATH:/usr/sbin:/sbin
    for program in ip tc nsenter unshare sshfs; do command -v "$program" >/dev/null || return 1; done
    for server in ${SFTP_SERVER:-/usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server \
        /usr/lib/ssh/sftp-server /usr/libexec/sftp-server}; do [ ! -x "$server" ] || return 0; done
    return 1
}

# Only nodes with a link and a processor share of their own need these; other tests do without.
look_for_nodes() {
    if has_nodes; then return; fi
    # None of them starts a service.
    if may_install; then for package in iproute2 util-linux sshfs openssh-sftp-server; do apt_install "$package" || :; done; fi
    has_nodes || say "isolated nodes need iproute2, util-linux, sshfs and openssh-sftp-server;" \
        "without them their tests are skipped"
}

has_page() {
    for program in prometheus promtool chromium chromedriver; do command -v "$program" >/dev/null || return 1; done
}

# Only the tests of the live page and its metrics need these; without them they say so and are skipped.
look_for_page() {
    if has_page; then return; fi
    if may_install; then
        # Debian's Prometheus would start as a service; in run level 1 none is.
        export RUNLEVEL=1
        for package in prometheus chromium chromium-driver; do apt_install "$package" || :; done
    fi
    has_page || say "tests of the live page need prometheus, chromium and chromium-driver; without them they are skipped"
}

cd "$(dirname "$0")/.."
case "${1:-all}" in
    all) make_environment; install_packages; look_for_java; look_for_postgres; look_for_nodes; look_for_page ;;
    java) look_for_java ;;
    postgres) look_for_postgres ;;
    nodes) look_for_nodes ;;
    page) look_for_page ;;
    *) fail "there is no part $1; known are java, postgres, nodes and page" ;;
esac
