# shellcheck shell=bash
# What the environment of ./dev holds. Its name is a hash of this file, so a change here makes a new one.
# Sourced by dev.d/environment.sh inside a private mount namespace; $1 of make_root is an empty folder.

# Kokkos and DLPack come from Debian's unstable suite: Debian 13 itself has no usable Kokkos.
unstable_packages="libkokkos-dev libdlpack-dev"
packages="g++ cmake ninja-build libgtest-dev libbenchmark-dev $unstable_packages python3-dev python3-venv git
  ca-certificates alsa-utils libsndfile1-dev clang-format clang-tidy shellcheck valgrind"
python_packages="torch==2.11.0 torchaudio==2.11.0 numba==0.68.1 numpy==2.5.5 scipy==1.18.1 matplotlib==3.11.2
  pytest==9.2.0 expecttest==0.3.0 ruff==0.17.6 setuptools==81.0.0 torchlpc==0.7.2
  cuda-toolkit[nvcc,cccl,crt,nvvm]==13.0.2"

make_root() {
  local root=$1
  step "Debian 13 base system"
  "${debootstrap[@]}" --variant=minbase trixie "$root"
  add_unstable_source "$root"
  share_host_network "$root"
  mount_kernel_folders "$root"

  step "compiler, CMake, Kokkos, GoogleTest"
  in_root "$root" apt-get -q update
  # shellcheck disable=SC2086  # a list of packages
  in_root "$root" apt-get -q install -y --no-install-recommends $packages
  share_host_network "$root" # the package ca-certificates has just replaced the bundle
  mend_kokkos_package "$root"

  step "Python packages (the longest step: torch is large)"
  in_root "$root" python3 -m venv /opt/portops
  # shellcheck disable=SC2086
  in_root "$root" /opt/portops/bin/pip install -q --no-cache-dir --disable-pip-version-check $python_packages
  in_root "$root" apt-get clean
  echo /opt/portops >"$root/etc/portops-environment"
}

# The address of the mirror is the one that debootstrap took; it stands in no file of the project.
add_unstable_source() {
  local root=$1 preferences="$1/etc/apt/preferences.d/portops"
  sed -n 's/^deb \([^ ]*\) trixie main.*/deb [check-valid-until=no] \1 unstable main/p' "$root/etc/apt/sources.list" \
    >"$root/etc/apt/sources.list.d/unstable.list"
  printf 'Package: *\nPin: release a=unstable\nPin-Priority: 100\n\n' >"$preferences"
  printf 'Package: libkokkos* libdlpack-dev\nPin: release a=unstable\nPin-Priority: 600\n' >>"$preferences"
}

# Certificates and name servers that the host trusts are valid inside as well.
share_host_network() {
  local root=$1 bundle=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  if [ -r "$bundle" ]; then
    mkdir -p "$root/etc/ssl/certs"
    cp -L "$bundle" "$root/etc/ssl/certs/ca-certificates.crt"
  fi
}

# Debian's CMake files for Kokkos name two placeholder archives that the package does not install.
mend_kokkos_package() {
  local root=$1 folder name
  folder=$(dirname "$(find "$root/usr/lib" -name libkokkoscore.so | head -n 1)")
  for name in libkokkosalgorithms.a libkokkossimd.a; do
    [ -e "$folder/$name" ] || in_root "$root" ar rcs "${folder#"$root"}/$name"
  done
}
