# A thin front for CMake. What a person types; CI types the same.
.PHONY: all setup demo test check format tidy asan tsan clean
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

# The suite under sanitizers, each in its own build folder.
asan tsan: setup
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@
	@ctest --test-dir build/$@ --output-on-failure --no-tests=error -j $$(nproc)

clean:
	@rm -rf build
