// A load is killed at any moment, or the disk is full: all of it is there, or nothing but terms.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "engine/store/verify.h"
#include "tests/engine/load/load_fixture.h"

using namespace quadrille;
using namespace quadrille::load;
using namespace quadrille::load::testing;

namespace {

constexpr int quads_of_a_load = 12'000;

std::string lines(int load) {
  std::string text;
  for (int i = 0; i < quads_of_a_load; ++i) {
    text += fmt::format("<urn:s{}> <urn:p{}> \"text {} of {}\" .\n", i / 5, i % 5, i, load);
  }
  return text;
}

// With so little memory that it needs temporary files.
base::Result<void> load_once(store::Store& store, int number) {
  test::SeededRandom random(static_cast<uint64_t>(number));
  StartedThreads threads(2);
  DirectStoreWriter writer(store);
  LoadOptions options;
  options.memory_bytes = 0;
  const LoadParts parts{store, writer, threads, random, nullptr, {}};
  QUADRILLE_ASSIGN(const auto prepared,
                   prepare_load({document("a.nt", io::RdfFormat::NTriples, lines(number))}, parts, options));
  base::Result<uint64_t> added = uint64_t{0};
  QUADRILLE_TRY(writer.write([&](store::Transaction& transaction) { added = prepared->switch_in(transaction); }));
  return added.ok() ? base::Result<void>() : added.error();
}

// How many quads there are, all of them sound.
uint64_t sound_quads(store::Store& store) {
  const auto verified = store::verify(store);
  REQUIRE(verified.ok());
  CHECK(verified->findings == std::vector<std::string>());
  return store.snapshot()->quad_count();
}

void check_no_temporary_files(const std::filesystem::path& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    CHECK(entry.path().extension() != ".tmp");
  }
}

// True if the child had acknowledged its load before it was killed.
bool kill_a_load(const std::filesystem::path& directory, int number, useconds_t microseconds) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    auto store = store::Store::open(directory, store::testing::quick_options());
    if (!store.ok() || !load_once(**store, number).ok()) ::_exit(1);
    if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    ::pause();
  }
  ::close(ends[1]);
  ::usleep(microseconds);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  char byte = 0;
  const bool is_acknowledged = ::read(ends[0], &byte, 1) == 1;
  ::close(ends[0]);
  return is_acknowledged;
}

// In a process of its own: with room for so many more bytes a load fails and leaves nothing, or is done. Says which by
// its exit status.
enum Outcome : int { Done = 0, Failed = 10, Wrong = 20 };
int load_with_little_room(const std::filesystem::path& directory, uint64_t room) {
  auto store = store::Store::open(directory, store::testing::quick_options());
  if (!store.ok()) return Wrong;
  const uint64_t before = (*store)->snapshot()->quad_count();
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limited{std::filesystem::file_size(directory / "data.mdb") + room, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limited);
  const auto loaded = load_once(**store, 1);
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &unlimited);
  const auto verified = store::verify(**store);
  const uint64_t expected = before + (loaded.ok() ? quads_of_a_load : 0);
  if (!verified.ok() || !verified->is_sound() || (*store)->snapshot()->quad_count() != expected) return Wrong;
  if (loaded.ok()) return Done;
  if (loaded.error().kind != base::ErrorKind::ResourceExhausted) return Wrong;
  return load_once(**store, 2).ok() ? Failed : Wrong;  // there is room again
}

}  // namespace

TEST_CASE("a load that is killed at any moment is there as a whole or not at all") {
  store::testing::TemporaryDirectory directory;
  store::testing::make_store(directory.path());
  uint64_t quads = 0;
  int acknowledged = 0, absent = 0;
  // Later and later, until at least one load was done first.
  for (int round = 0; round < 16 || (acknowledged == 0 && round < 60); ++round) {
    const bool is_acknowledged =
        kill_a_load(directory.path(), round, static_cast<useconds_t>(2'000 + round * round * 3'000));
    const auto store = store::testing::open_store(directory.path());
    const uint64_t now = sound_quads(*store);
    CHECK((now == quads || now == quads + quads_of_a_load));
    if (is_acknowledged) CHECK(now == quads + quads_of_a_load);
    acknowledged += is_acknowledged ? 1 : 0;
    absent += now == quads ? 1 : 0;
    quads = now;
    check_no_temporary_files(directory.path());
    bool has_more = true;
    while (has_more) {
      const auto transaction = store->begin();
      has_more = transaction->compact(100'000);
      REQUIRE(transaction->commit().ok());
    }
  }
  CHECK(absent > 0);
  CHECK(acknowledged > 0);
}

TEST_CASE("a full disk fails a load, says so, and leaves the store as it was") {
  int failed = 0, done = 0;
  for (uint64_t room = 0; done == 0; room = room * 3 / 2 + 4096 * 5) {
    store::testing::TemporaryDirectory directory;
    store::testing::make_store(directory.path());
    const pid_t child = ::fork();
    if (child == 0) ::_exit(load_with_little_room(directory.path(), room));
    int status = 0;
    ::waitpid(child, &status, 0);
    INFO("room for " << room << " bytes");
    REQUIRE(WIFEXITED(status));
    const int outcome = WEXITSTATUS(status);
    CHECK((outcome == Done || outcome == Failed));
    failed += outcome == Failed ? 1 : 0;
    done += outcome == Failed ? 0 : 1;
    check_no_temporary_files(directory.path());
  }
  CHECK(failed > 3);
}
