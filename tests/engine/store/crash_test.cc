// A process is killed at any moment of its work, and another one opens the store.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "engine/store/verify.h"
#include "tests/engine/store/store_fixture.h"

using namespace quadrille::store;
using namespace quadrille::store::testing;

namespace {

constexpr int quads_per_commit = 20;

StoreOptions durable_options() {
  StoreOptions options;
  options.environment.map_bytes = uint64_t{1} << 32;
  return options;
}

// Commits one group after the other, and acknowledges each on the pipe once it is durable. Never returns.
[[noreturn]] void write_until_killed(const std::filesystem::path& path, int acknowledgements) {
  auto store = Store::open(path, durable_options());
  if (!store.ok()) ::_exit(1);
  int number = static_cast<int>(store.value()->snapshot()->quad_count()) / quads_per_commit;
  for (;; ++number) {
    auto transaction = store.value()->begin();
    {
      Transaction child(*transaction);
      for (int i = 0; i < quads_per_commit; ++i) child.insert(quad(child, number * quads_per_commit + i, 1, i));
      if (!child.commit().ok()) ::_exit(1);
    }
    if (number % 3 == 0) transaction->fold_delta(500);
    if (!transaction->commit().ok()) ::_exit(1);
    if (::write(acknowledgements, &number, sizeof number) != sizeof number) ::_exit(1);
  }
}

// The last acknowledged number of a writer that is killed after `milliseconds`.
int kill_a_writer(const std::filesystem::path& path, int milliseconds) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(path, ends[1]);
  }
  ::close(ends[1]);
  ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  int number = 0, last = -1;
  while (::read(ends[0], &number, sizeof number) == sizeof number) last = number;
  ::close(ends[0]);
  return last;
}

}  // namespace

TEST_CASE("after kill -9 every acknowledged transaction is there, and each is whole or absent") {
  TemporaryDirectory directory;
  make_store(directory.path(), durable_options());
  int acknowledged = -1;
  for (int round = 0; round < 6; ++round) {
    // The last one has time for several commits on a slow machine too.
    const int patience = round == 5 ? 700 : 60 + round * 17;
    acknowledged = std::max(acknowledged, kill_a_writer(directory.path(), patience));
    const auto store = open_store(directory.path(), durable_options());
    const auto result = verify(*store);
    REQUIRE(result.ok());
    CHECK(result.value().findings == std::vector<std::string>{});
    const auto snapshot = store->snapshot();
    CHECK(snapshot->quad_count() % quads_per_commit == 0);
    CHECK(static_cast<int>(snapshot->quad_count()) >= (acknowledged + 1) * quads_per_commit);
  }
  CHECK(acknowledged > 0);
}
