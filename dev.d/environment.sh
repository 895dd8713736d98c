# shellcheck shell=bash
# The Debian 13 root in which the project is built where the host itself lacks the packages: made once, entered by
# every call. Needs root. All mounts live in a private mount namespace and end with the call.

environment_folder=${PORTOPS_ENV_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/portops}
environment_recipe=$project/dev.d/recipe.sh
environment_root=$environment_folder/debian13-$(sha256sum "$environment_recipe" | cut -c 1-12)
needed_gigabytes=9

step() { echo "portops environment: $* ($(date +%H:%M:%S))"; }

mount_kernel_folders() {
  local root=$1 folder
  for folder in proc sys dev; do
    mkdir -p "$root/$folder"
    mount --rbind "/$folder" "$root/$folder"
  done
}

# Variables that name folders or compilers of the host would name nothing inside; nor is the caller's home there.
into_root() {
  local name names=(CC CXX CUDA_HOME LD_LIBRARY_PATH LD_PRELOAD LIBRARY_PATH PIP_FIND_LINKS PYTHONHOME PYTHONPATH TMPDIR
    VIRTUAL_ENV XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR)
  root_prefix=(env)
  for name in "${names[@]}"; do root_prefix+=(-u "$name"); done
  root_prefix+=(HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
    PATH=/opt/portops/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$1")
}

in_root() {
  into_root "$1"
  "${root_prefix[@]}" "${@:2}"
}

need_namespaces() {
  unshare --mount true 2>/dev/null || fail "this system does not allow mount namespaces (unshare --mount): in a" \
    "container, start it with --privileged or --cap-add SYS_ADMIN"
}

host_can_make_environment() {
  local free
  [ "$(id -u)" = 0 ] || fail "this system lacks the packages and making an environment needs root: run as root, or" \
    "install the packages of dev.d/recipe.sh on Debian 13 and set PORTOPS_HOST=1"
  command -v apt-get >/dev/null || fail "this system is not Debian-like: install the packages of dev.d/recipe.sh and" \
    "set PORTOPS_HOST=1"
  need_namespaces
  mkdir -p "$environment_folder" 2>/dev/null || fail "cannot write $environment_folder: set PORTOPS_ENV_DIR"
  free=$(($(df -Pk "$environment_folder" | awk 'END { print $4 }') / 1048576))
  [ "$free" -ge "$needed_gigabytes" ] || fail "the disk is too full: $environment_folder has $free GB free, the" \
    "environment needs $needed_gigabytes GB (set PORTOPS_ENV_DIR to another disk)"
}

# debootstrap is used where it is installed, else unpacked beside the environment: the host stays as it is.
find_debootstrap() {
  local tools=$1
  if command -v debootstrap >/dev/null; then
    debootstrap=(debootstrap)
    return
  fi
  mkdir -p "$tools/lists/partial"
  (cd "$tools" && { apt-get -q download debootstrap ||
    { apt-get -q -o Dir::State::Lists="$tools/lists" update &&
      apt-get -q -o Dir::State::Lists="$tools/lists" -o APT::Sandbox::User=root download debootstrap; }; } &&
    dpkg-deb -x debootstrap_*.deb .) >"$tools/log" 2>&1 ||
    fail "no debootstrap, and apt-get cannot fetch it (is there a network?): apt-get install debootstrap"
  debootstrap=(env "DEBOOTSTRAP_DIR=$tools/usr/share/debootstrap" "$tools/usr/sbin/debootstrap")
}

# Runs in mount and process namespaces of its own (see ensure_environment). A temporary name is renamed when all is
# there, so an interrupted set-up leaves nothing that looks complete.
make_environment() {
  local work=$environment_folder/making
  mkdir -p "$work/root"
  trap 'exit 130' INT TERM HUP
  # shellcheck source=dev.d/recipe.sh
  . "$environment_recipe"
  find_debootstrap "$work/tools"
  step "made once, under $environment_folder; takes a few minutes"
  : >"$work/log"
  (set -e; make_root "$work/root") >"$work/log" 2>&1 &
  follow_log "$work/log" $!
  umount --recursive --lazy "$work/root/proc" "$work/root/sys" "$work/root/dev"
  mv "$work/root" "$environment_root"
  rm -f "$environment_folder/failed.log"
}

# Shows the steps of a set-up that runs in the background; on failure the reason, by what the log says.
follow_log() {
  local log=$1 child=$2 shown=0 lines
  while :; do
    lines=$(grep -c '^portops environment:' "$log")
    [ "$lines" = "$shown" ] || grep '^portops environment:' "$log" | tail -n +$((shown + 1))
    shown=$lines
    kill -0 "$child" 2>/dev/null || break
    sleep 0.3
  done
  wait "$child" && return
  mv "$log" "$environment_folder/failed.log" # no copy: the disk may be full
  log=$environment_folder/failed.log
  if grep -q 'No space left' "$log"; then fail "the disk became full: see $log"; fi
  if grep -qiE "resolve|unreachable|Failed getting release|connection (failed|timed out)|Couldn't download" "$log"; then
    fail "no network to the package servers: see $log"
  fi
  fail "the environment could not be made: see the end of $log"
}

ensure_environment() {
  [ -e "$environment_root" ] && return
  host_can_make_environment
  exec 9>"$environment_folder/lock"
  flock --nonblock 9 || { step "another call is making it, waiting"; flock 9; }
  rm -rf --one-file-system "$environment_folder/making" # of a call that was killed
  [ -e "$environment_root" ] || make_apart || exit
  exec 9>&-
}

# When the first process of a process namespace ends, however it ends, so do all the others, and their mounts with
# them: nothing writes any more when the rest is removed. They hold the lock (descriptor 9) even if this shell is
# killed.
make_apart() {
  local status
  trap : INT TERM HUP
  PORTOPS_STAGE='make' unshare --mount --propagation private --pid --fork --kill-child "$project/dev"
  status=$?
  rm -rf --one-file-system "$environment_folder/making"
  trap - INT TERM HUP
  return "$status"
}

# Runs ./dev again inside the root. What the command line names outside the project is bound to the same path; an owner
# other than root (sudo) keeps the project's files.
enter_environment() {
  ensure_environment
  [ "$(id -u)" = 0 ] || fail "entering $environment_root needs root"
  need_namespaces
  # The command runs where it was called, or in the project: no other folder of the host is there inside.
  case $(pwd -P)/ in "$project"/*) PORTOPS_FOLDER=$(pwd -P) ;; *) PORTOPS_FOLDER=$project ;; esac
  export PORTOPS_FOLDER
  PORTOPS_STAGE=enter exec unshare --mount --propagation private "$project/dev" "$@"
}

# A place inside is free if there is nothing, or what an earlier call put there to bind to: an empty file or folder.
place_is_free() {
  if [ -d "$1" ]; then [ -z "$(ls -A "$1")" ]; else [ ! -s "$1" ]; fi
}

bind() {
  if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")" && touch "$2"; fi
  mount --rbind "$1" "$2"
}

bind_and_run() {
  local root=$environment_root argument
  mount_kernel_folders "$root"
  bind "$project" "$root$project"
  for argument in "${@:2}"; do
    if [[ $argument = /* && -e $argument ]] && place_is_free "$root$argument"; then
      bind "$argument" "$root$argument"
    fi
  done
  into_root "$root"
  if [ -n "${SUDO_UID:-}" ]; then
    root_prefix+=(setpriv "--reuid=$SUDO_UID" "--regid=${SUDO_GID:-$SUDO_UID}" --clear-groups)
  fi
  PORTOPS_STAGE=inside exec "${root_prefix[@]}" "$project/dev" "$@"
}
