# A thin front for CMake. What a person types; CI types the same.
.PHONY: all setup demo test check format tidy clean
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
	@cmake --preset clang >/dev/null && scripts/tidy

clean:
	@rm -rf build
