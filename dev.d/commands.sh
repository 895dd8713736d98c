# shellcheck shell=bash
# What ./dev does once it runs where the packages are.

preset=${PORTOPS_PRESET:-openmp}
build_folder=$project/build/$preset
torch_library=$build_folder/torch_bridge/libportops_torch.so

show_help() {
  cat <<'END'
Usage: ./dev COMMAND [ARGUMENTS]. The first call makes the environment where the system lacks the packages.

  demo [FILE.wav]      compare portops with other ways to an operator; send a recording through a delay line
  test [CTEST OPTIONS] build everything and run all tests; -R core/ runs those whose name matches
  bench [OPTIONS]      measure portops beside ATen, torch.compile and Numba (--help: its options)
  bench NAME [OPTIONS] run the C++ benchmarks whose name holds NAME; options go to Google Benchmark
  build [TARGET...]    build everything, or these targets
  python FILE [ARGS]   Python with torch; PORTOPS_TORCH_LIBRARY names the built bridge
  shell [COMMAND]      a shell, or one command, inside the environment
  format               format C++ and Python in place
  lint                 check format, names, scripts and line lengths; changes nothing
  clean                remove what was built (not the environment)

Variables: PORTOPS_PRESET   openmp (default), debug or asan, see CMakePresets.json
           PORTOPS_JOBS     how many compilers run at once
           PORTOPS_ENV_DIR  where the environment lives
           PORTOPS_HOST=1   use the packages of this system and make no environment
END
}

clean() { rm -rf "$project/build"; }

# A compiler on torch's headers takes 2 GB.
job_count() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 2097152) }' /proc/meminfo)
  echo "${PORTOPS_JOBS:-$((memory < 1 ? 1 : memory < processors ? memory : processors))}"
}

configure() {
  local log=$project/build/configure.log
  mkdir -p "$project/build"
  (cd "$project" && cmake --preset "$preset") >"$log" 2>&1 || {
    cat "$log" >&2
    fail "CMake stopped; its message is above"
  }
  [ "${1:-}" != --summary ] || sed -n '/^-- portops /,/^--   parts/p' "$log"
}

# Makes targets before a command of their own runs: silent unless it fails.
build_quietly() {
  local log=$project/build/build.log
  configure
  cmake --build "$build_folder" -j "$(job_count)" --target "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "the build failed; its messages are above"
  }
}

run_build() {
  configure --summary
  [ $# != 0 ] || set -- all
  cmake --build "$build_folder" -j "$(job_count)" --target "$@" || fail "the build failed; its messages are above"
}

# CTest prints more after its summary; the summary is repeated, so that it is the last line.
run_test() {
  local log=$project/build/test.log status
  run_build all
  ctest --test-dir "$build_folder" --output-on-failure --no-tests=error --timeout 300 -j "$(job_count)" "$@" 2>&1 |
    tee "$log"
  status=${PIPESTATUS[0]}
  grep 'tests passed' "$log" | tail -n 1
  return "$status"
}

run_demo() {
  echo "building the demo" >&2
  build_quietly demo demo_naive portops_torch
  PORTOPS_TORCH_LIBRARY=$torch_library PORTOPS_DEMO_PROGRAM=$build_folder/examples/demo/demo \
    PORTOPS_DEMO_NAIVE_LIBRARY=$build_folder/examples/demo/libdemo_naive.so \
    exec python3 "$project/examples/demo/run.py" "$@"
}

run_bench() {
  case ${1:-} in [!-]*) run_cpp_bench "$@"; return ;; esac
  echo "building the benchmarks" >&2
  build_quietly bench
  PORTOPS_TORCH_LIBRARY=$torch_library PORTOPS_BENCH_FOLDER=$build_folder/perf \
    exec python3 "$project/perf/bench.py" "$@"
}

run_cpp_bench() {
  local name=$1 source found=0
  for source in "$project"/perf/*"$name"*_bench.cpp; do
    [ -e "$source" ] || continue
    found=1
    build_quietly "$(basename "$source" .cpp)"
    "$build_folder/perf/$(basename "$source" .cpp)" "${@:2}" || return
  done
  [ "$found" = 1 ] || fail "no benchmark's name holds '$name': see perf/"
}

run_python() {
  build_quietly portops_torch
  PORTOPS_TORCH_LIBRARY=$torch_library exec python3 "$@"
}

run_shell() {
  [ $# != 0 ] || set -- bash
  exec "$@"
}

# Files of the project: with what git ignores left out, and without asking git, which refuses other people's folders.
files() {
  local pattern=$1
  find "$project" \( -name .git -o -path "$project/build" -o -name __pycache__ \) -prune -o -type f -regex "$pattern" \
    -print0
}

run_format() {
  files '.*\.[ch]pp' | xargs -0r clang-format -i
  (cd "$project" && ruff format -q && ruff check -q --fix)
}

# Every check runs, so that one call shows all that is wrong.
run_lint() {
  local failed=()
  files '.*\.[ch]pp' | xargs -0r clang-format --dry-run -Werror || failed+=("format (./dev format mends it)")
  lint_python || failed+=(Python)
  shellcheck -x -a -P "$project" "$project/dev" "$project/.ci/run" || failed+=("shell scripts")
  lint_lines || failed+=("line length")
  lint_names || failed+=("clang-tidy")
  [ ${#failed[@]} = 0 ] || fail "lint: $(printf '%s; ' "${failed[@]}")"
  echo "lint: nothing found"
}

lint_python() { (cd "$project" && ruff format -q --check && ruff check -q); }

lint_lines() {
  ! files '.*\(\.[ch]pp\|\.py\|\.sh\|\.cmake\|\.md\|\.in\|CMakeLists.txt\|/dev\|/run\)' |
    LC_ALL=C.UTF-8 xargs -0r grep -nE '^.{121,}'
}

# clang-tidy parses with clang, which has no omp.h of its own here: g++'s serves without an attribute that clang lacks.
lint_names() {
  local include=$project/build/lint_include arguments
  configure
  mkdir -p "$include"
  ln -sf "$(g++ -print-file-name=include/omp.h)" "$include/omp.h"
  arguments=("--extra-arg=-isystem$include" '--extra-arg=-D__malloc__(function)=' --extra-arg=-Wno-unknown-pragmas)
  # Only what the build compiles: without its command a file cannot be parsed.
  grep -ohE "\"$project/(core|torch_bridge|examples|perf)/[^\"]*\.cpp\"" "$build_folder/compile_commands.json" |
    sort -u | tr -d '"' | tr '\n' '\0' |
    xargs -0r -n 1 -P "$(job_count)" clang-tidy -p "$build_folder" --quiet "${arguments[@]}" 2>&1 |
    grep -vE '^[0-9]+ warnings?.* generated|^[0-9]+ warnings? treated|^Suppressed|^Error while|^Use -header-filter|^$'
  [ "${PIPESTATUS[4]}" = 0 ]
}
