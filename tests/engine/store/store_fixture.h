// A store in a directory of its own that goes away with the test.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "engine/store/verify.h"

namespace quadrille::store::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "quadrille-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline StoreOptions quick_options() {
  StoreOptions options;
  options.environment.map_bytes = uint64_t{1} << 32;
  options.environment.flush = false;
  return options;
}

inline std::unique_ptr<Store> make_store(const std::filesystem::path& path,
                                         const StoreOptions& options = quick_options()) {
  auto store = Store::create(path, options);
  if (!store.ok()) FAIL(store.error().message);
  return std::move(store).value();
}

inline std::unique_ptr<Store> open_store(const std::filesystem::path& path,
                                         const StoreOptions& options = quick_options()) {
  auto store = Store::open(path, options);
  if (!store.ok()) FAIL(store.error().message);
  return std::move(store).value();
}

inline void commit(Transaction& transaction) {
  const auto result = transaction.commit();
  if (!result.ok()) FAIL(result.error().message);
}

// What verify says of a store that must be sound.
inline Verification sound(const Store& store) {
  auto verified = verify(store);
  if (!verified.ok()) FAIL(verified.error().message);
  CHECK(verified->findings == std::vector<std::string>{});
  CHECK(verified->is_sound());
  return std::move(verified).value();
}

inline model::Term iri(int number) { return model::Term::iri("http://example.org/" + std::to_string(number)); }

// A quad of the default graph of numbered IRIs.
inline model::Quad quad(Transaction& transaction, int subject, int predicate, int object) {
  return {transaction.intern(iri(subject)), transaction.intern(iri(predicate)), transaction.intern(iri(object)),
          model::TermId::default_graph()};
}

// All rows of a scan, taken in batches of `capacity`.
inline std::vector<model::Quad> rows_of(model::QuadScan& scan, size_t capacity = 3) {
  std::vector<model::Quad> rows;
  std::vector<model::TermId> columns[4];
  model::ScanBatch batch;
  batch.capacity = capacity;
  for (size_t i = 0; i < 4; ++i) {
    columns[i].resize(capacity);
    batch.columns[i] = columns[i].data();
  }
  while (const size_t count = scan.next(batch)) {
    for (size_t i = 0; i < count; ++i) rows.push_back({columns[0][i], columns[1][i], columns[2][i], columns[3][i]});
  }
  return rows;
}

inline std::vector<model::Quad> all_rows(const model::QuadSource& source,
                                         model::QuadOrder order = model::QuadOrder::Spog) {
  return rows_of(*source.scan(order, {}, model::ColumnSet::all()));
}

}  // namespace quadrille::store::testing
