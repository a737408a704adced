// Loads of small documents into a store, on threads or on none.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/load/bulk_load.h"
#include "engine/load/direct_store_writer.h"
#include "tests/engine/load/threads.h"
#include "tests/engine/store/store_fixture.h"
#include "tests/support/seeded_random.h"

namespace quadrille::load::testing {

inline Document document(std::string name, io::RdfFormat format, std::string text) {
  Document result;
  result.name = std::move(name);
  result.format = format;
  result.bytes = text.size();
  const auto kept = std::make_shared<const std::string>(std::move(text));
  result.open = [kept]() -> base::Result<std::unique_ptr<io::InputStream>> {
    class KeptInput final : public io::InputStream {
     public:
      explicit KeptInput(std::shared_ptr<const std::string> text) : text_(std::move(text)), input_(*text_) {}
      base::Result<size_t> read(std::span<char> room) override { return input_.read(room); }
      io::InputProgress progress() const override { return input_.progress(); }

     private:
      std::shared_ptr<const std::string> text_;
      io::MemoryInput input_;
    };
    return std::unique_ptr<io::InputStream>(std::make_unique<KeptInput>(kept));
  };
  return result;
}

struct LoadSetting {
  size_t threads = 1;
  size_t piece_bytes = size_t{2} << 20;
  uint64_t seed = 1;
  uint64_t memory_bytes = uint64_t{1} << 30;
};

// A store, and loads into it.
class LoadedStore {
 public:
  LoadedStore() : store_(store::testing::make_store(directory_.path())) {}

  store::Store& store() { return *store_; }
  const std::filesystem::path& directory() const { return directory_.path(); }

  base::Result<std::unique_ptr<PreparedLoad>> prepare(std::vector<Document> documents, const LoadSetting& setting = {},
                                                      std::function<bool(const model::Quad&)> is_bulk = {},
                                                      AssertedQuads* asserted = nullptr) {
    test::SeededRandom random(setting.seed);
    StartedThreads threads(setting.threads);
    LoadOptions options;
    options.piece_bytes = setting.piece_bytes;
    options.memory_bytes = setting.memory_bytes;
    const LoadParts parts{*store_, writer_, threads, random, asserted, std::move(is_bulk)};
    return prepare_load(std::move(documents), parts, options);
  }

  base::Result<LoadCounts> load(std::vector<Document> documents, const LoadSetting& setting = {}) {
    QUADRILLE_ASSIGN(const auto prepared, prepare(std::move(documents), setting));
    QUADRILLE_TRY(switch_in(*prepared));
    return prepared->counts();
  }

  base::Result<uint64_t> switch_in(PreparedLoad& prepared) {
    base::Result<uint64_t> added = uint64_t{0};
    QUADRILLE_TRY(writer_.write([&](store::Transaction& transaction) { added = prepared.switch_in(transaction); }));
    return added;
  }

  DirectStoreWriter& writer() { return writer_; }

  std::vector<model::Quad> ids(model::QuadOrder order = model::QuadOrder::Gspo) {
    return store::testing::all_rows(*store_->snapshot(), order);
  }

  // All quads as text, sorted.
  std::vector<model::TermQuad> quads() {
    const auto snapshot = store_->snapshot();
    std::vector<model::TermQuad> quads;
    for (const model::Quad& quad : store::testing::all_rows(*snapshot)) {
      std::optional<model::Term> graph;
      if (quad.graph != model::TermId::default_graph()) graph = snapshot->get_term(quad.graph);
      quads.push_back({snapshot->get_term(quad.subject), snapshot->get_term(quad.predicate),
                       snapshot->get_term(quad.object), std::move(graph)});
    }
    std::sort(quads.begin(), quads.end());
    return quads;
  }

 private:
  store::testing::TemporaryDirectory directory_;
  std::unique_ptr<store::Store> store_;
  DirectStoreWriter writer_{*store_};
};

// Ask for an error that is there.
inline std::string message_of(const base::Result<LoadCounts>& result) {
  REQUIRE_FALSE(result.ok());
  return result.error().message;
}

}  // namespace quadrille::load::testing
