// The hashes of all terms that come new with one large piece of work, a load or a changeset of millions of quads, for
// the digest of its quads: 8 bytes a term, beyond the first ones in a temporary file that is mapped, so that the
// kernel may take the memory back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/temporary_file.h"
#include "engine/model/term_id.h"

namespace quadrille::store {

class TermHashFile {
 public:
  // For terms whose numbers are not below `first_number`; those that are, and inline ones, are passed over.
  // `directory`: where the file is made, if one is needed.
  TermHashFile(std::filesystem::path directory, uint64_t first_number);
  ~TermHashFile();
  TermHashFile(const TermHashFile&) = delete;
  TermHashFile& operator=(const TermHashFile&) = delete;

  // Throws StorageError where the disk is full. Not while another thread calls anything of it.
  void set(model::TermId id, uint64_t hash);
  // From any thread once all is set.
  std::optional<uint64_t> find(model::TermId id) const noexcept;

 private:
  static constexpr size_t numbers_in_chunk = size_t{1} << 17;  // 1 MiB
  struct Unmapper {
    void operator()(uint64_t* chunk) const noexcept;
  };
  using Chunk = std::unique_ptr<uint64_t, Unmapper>;
  void add_chunk();

  std::filesystem::path directory_;
  uint64_t first_number_;
  std::vector<uint64_t> in_memory_;  // the first chunk, as far as it is needed
  std::unique_ptr<base::TemporaryFile> file_;
  std::vector<Chunk> chunks_;  // those behind it
};

}  // namespace quadrille::store
