# A thin front for CMake. What a person types; CI types the same.
.PHONY: all setup demo test check format tidy clang sanitize asan tsan fuzz clean
MAKEFLAGS += --no-print-directory

all: setup
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release

setup:
	@scripts/setup

demo: all
	@scripts/demo

test: all
	@ctest --test-dir build/release --output-on-failure --no-tests=error -j $$(nproc)

check: setup
	@scripts/check_includes
	@scripts/check_format

format: setup
	@scripts/check_format --fix

tidy: setup
	@scripts/tidy

# The second compiler: its warnings are errors too.
clang: setup
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@

# The suite under sanitizers, each in its own build folder. A site that a test serves inherits the options: what is found
# in it ends it, and with it the test. Leaks are looked for at the end of each process.
sanitize: asan tsan

asan: export ASAN_OPTIONS = detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
asan: export UBSAN_OPTIONS = print_stacktrace=1
tsan: export TSAN_OPTIONS = halt_on_error=1:second_deadlock_stack=1:suppressions=$(CURDIR)/scripts/tsan_suppressions.txt
asan tsan: setup
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@
	@ctest --test-dir build/$@ --output-on-failure --no-tests=error -j $$(nproc)

# A minute each, from the kept seeds on; FUZZ_SECONDS=10 for less.
fuzz: setup
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --target fuzzers
	@scripts/fuzz $${FUZZ_SECONDS:-60}

clean:
	@rm -rf build
