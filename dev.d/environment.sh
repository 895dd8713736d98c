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

# PATH is fixed because the host's may name nothing that exists inside; the host's pip folders do not exist there.
in_root() {
  local root=$1
  shift
  env -u PIP_FIND_LINKS -u LIBRARY_PATH -u CUDA_HOME -u PYTHONHOME -u VIRTUAL_ENV DEBIAN_FRONTEND=noninteractive \
    LC_ALL=C.UTF-8 PATH=/opt/portops/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" "$@"
}

host_can_make_environment() {
  local free
  [ "$(id -u)" = 0 ] || fail "this system lacks the packages and making an environment needs root: run as root, or" \
    "install the packages of dev.d/recipe.sh on Debian 13 and set PORTOPS_HOST=1"
  command -v apt-get >/dev/null || fail "this system is not Debian-like: install the packages of dev.d/recipe.sh and" \
    "set PORTOPS_HOST=1"
  unshare --mount true 2>/dev/null || fail "this system does not allow mount namespaces (unshare --mount): in a" \
    "container, start it with --privileged or --cap-add SYS_ADMIN"
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

# Runs in its own mount namespace (see below). A temporary name is renamed when all is there, so an interrupted
# set-up leaves nothing that looks complete; the next one removes it.
make_environment() {
  work=$environment_folder/making # global: the trap runs after this function has returned
  [ ! -e "$environment_root" ] || return 0
  rm -rf --one-file-system "$work"
  mkdir -p "$work/root"
  trap 'rm -rf --one-file-system "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  # shellcheck source=dev.d/recipe.sh
  . "$environment_recipe"
  find_debootstrap "$work/tools"
  step "made once, under $environment_folder; takes a few minutes"
  (set -e; make_root "$work/root") >"$work/log" 2>&1 3>&1 &
  follow_log "$work/log" $!
  umount --recursive --lazy "$work/root/proc" "$work/root/sys" "$work/root/dev"
  mv "$work/root" "$environment_root"
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
  cp "$log" "$environment_folder/failed.log"
  if grep -q 'No space left' "$log"; then fail "the disk became full: see $environment_folder/failed.log"; fi
  if grep -qiE "resolve|unreachable|Failed getting release|connection (failed|timed out)|Couldn't download" "$log"; then
    fail "no network to the package servers: see $environment_folder/failed.log"
  fi
  fail "the environment could not be made: see the end of $environment_folder/failed.log"
}

ensure_environment() {
  [ -e "$environment_root" ] && return
  host_can_make_environment
  exec 9>"$environment_folder/lock"
  flock --nonblock 9 || { step "another call is making it, waiting"; flock 9; }
  [ -e "$environment_root" ] ||
    PORTOPS_STAGE='make' unshare --mount --propagation private "$project/dev" 9>&- || exit $?
  exec 9>&-
}

# Runs ./dev again inside the root. Files named on the command line that lie outside the project are bound to the
# same path; an owner other than root (sudo) keeps the project's files.
enter_environment() {
  ensure_environment
  [ "$(id -u)" = 0 ] || fail "entering $environment_root needs root"
  # The command runs where it was called, or in the project: no other folder of the host is there inside.
  case $(pwd -P)/ in "$project"/*) PORTOPS_FOLDER=$(pwd -P) ;; *) PORTOPS_FOLDER=$project ;; esac
  export PORTOPS_FOLDER
  PORTOPS_STAGE=enter exec unshare --mount --propagation private "$project/dev" "$@"
}

bind_folder() {
  mkdir -p "$2" && mount --rbind "$1" "$2"
}

bind_and_run() {
  local root=$environment_root argument
  mount_kernel_folders "$root"
  bind_folder "$project" "$root$project"
  for argument in "$@"; do
    [[ $argument = /* && -f $argument && ! -e $root$argument ]] || continue
    mkdir -p "$(dirname "$root$argument")" && touch "$root$argument" && mount --bind "$argument" "$root$argument"
  done
  local as_owner=()
  [ -z "${SUDO_UID:-}" ] || as_owner=(setpriv "--reuid=$SUDO_UID" "--regid=${SUDO_GID:-$SUDO_UID}" --clear-groups)
  PORTOPS_STAGE=inside in_root "$root" "${as_owner[@]}" "$project/dev" "$@"
}
