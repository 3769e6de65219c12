#!/usr/bin/env bash
# Builds deploy/Containerfile where no registry of images is reached: on a base that mmdebstrap makes of Debian packages.
#
#   deploy/build-image.sh [name] [processor]        jackfield, for this machine's processor
#
# For another processor (`arm64` on an amd64 machine, or the other way round) the kernel has to run its programs:
# qemu-user-static with its entry in binfmt_misc, and arch-test, by which mmdebstrap finds that it does.
#
# Needs buildah, mmdebstrap and npm, and node_modules as `npm ci` leaves them; binutils for that processor
# (`binutils-aarch64-linux-gnu`) makes the image 35 MB smaller. The same commit and the same Debian packages give the
# same image. Settings:
#
#   BASE           an image to build on, instead of making one
#   SUITE          bookworm
#   APT_SOURCES    lists of Debian packages; those of this machine for the suite
#   BUILDAH        buildah, with options such as `--storage-driver vfs`
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-jackfield}
own=$(dpkg --print-architecture)
processor=${2:-$own}
suite=${SUITE:-bookworm}
read -ra buildah <<<"${BUILDAH:-buildah}"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Chroot as root, user namespaces otherwise; both share the machine's network and need no further rights.
build=(--arch "$processor" --format docker --timestamp "$SOURCE_DATE_EPOCH" --network host --isolation chroot --ulimit nofile=1024:4096)

make_base() {
  local work
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  local sources=(/etc/apt/sources.list.d/debian.sources)
  [ -e "${sources[0]}" ] || sources=(/etc/apt/sources.list)
  [ -z "${APT_SOURCES:-}" ] || read -ra sources <<<"$APT_SOURCES"
  mmdebstrap --architectures="$processor" --quiet --variant=essential --format=tar \
    --include=bubblewrap,libatomic1,libstdc++6,mount,tini,usr-is-merged,util-linux \
    --hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' \
    --customize-hook='rm -f "$1/etc/hostname" "$1/etc/resolv.conf"' \
    "$suite" "$work/base.tar" "${sources[@]}"
  printf 'FROM scratch\nADD base.tar /\n' >"$work/Containerfile"
  "${buildah[@]}" build "${build[@]}" --quiet --tag "$1" "$work" >/dev/null
}

base=${BASE:-}
if [ -z "$base" ]; then
  base=localhost/jackfield-base:$suite
  [ "$processor" = "$own" ] || base+=-$processor
  make_base "$base"
fi
npm run --silent assemble -- --cpu "${processor/amd64/x64}"
"${buildah[@]}" build "${build[@]}" --pull=never --file deploy/Containerfile --tag "$name" \
  --build-arg "BASE=$base" --build-arg "BUILDER=$base" .
