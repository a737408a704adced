#include "engine/store/term_hash_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/result.h"

namespace quadrille::store {
namespace {

bool is_of_dictionary(model::TermId id) noexcept {
  return id.tag() >= model::TermTag::Iri && id.tag() <= model::TermTag::Literal;
}

}  // namespace

TermHashFile::TermHashFile(std::filesystem::path directory, uint64_t first_number)
    : directory_(std::move(directory)), first_number_(first_number) {}

TermHashFile::~TermHashFile() = default;

void TermHashFile::Unmapper::operator()(uint64_t* chunk) const noexcept {
  ::munmap(chunk, numbers_in_chunk * sizeof(uint64_t));
}

void TermHashFile::set(model::TermId id, uint64_t hash) {
  if (!is_of_dictionary(id) || id.payload() < first_number_) return;
  const uint64_t place = id.payload() - first_number_;
  if (place < numbers_in_chunk) {
    if (place >= in_memory_.size()) in_memory_.resize(place + 1);
    in_memory_[place] = hash;
    return;
  }
  const uint64_t chunk = place / numbers_in_chunk - 1;
  while (chunks_.size() <= chunk) add_chunk();
  chunks_[chunk].get()[place % numbers_in_chunk] = hash;
}

// What the disk has no room for is to be an error now, not a signal when the page is written.
void TermHashFile::add_chunk() {
  if (!file_) file_ = std::make_unique<base::TemporaryFile>(directory_, "digest");
  constexpr size_t bytes = numbers_in_chunk * sizeof(uint64_t);
  const auto offset = static_cast<off_t>(chunks_.size() * bytes);
  int code = ::posix_fallocate(file_->descriptor(), offset, bytes);
  void* mapped = MAP_FAILED;
  if (code == 0) {
    mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_->descriptor(), offset);
    if (mapped == MAP_FAILED) code = errno;
  }
  if (code != 0) {
    throw base::StorageError(
        {base::ErrorKind::IoFailure,
         fmt::format("{}: cannot make a temporary file of {} bytes: {}", directory_.string(),
                     static_cast<uint64_t>(offset) + bytes, std::error_code(code, std::generic_category()).message()),
         {}});
  }
  chunks_.emplace_back(static_cast<uint64_t*>(mapped));
}

// 0 says that nothing was set: a term that has this hash is looked up each time.
std::optional<uint64_t> TermHashFile::find(model::TermId id) const noexcept {
  if (!is_of_dictionary(id) || id.payload() < first_number_) return std::nullopt;
  const uint64_t place = id.payload() - first_number_;
  uint64_t hash = 0;
  if (place < numbers_in_chunk) {
    hash = place < in_memory_.size() ? in_memory_[place] : 0;
  } else if (const uint64_t chunk = place / numbers_in_chunk - 1; chunk < chunks_.size()) {
    hash = chunks_[chunk].get()[place % numbers_in_chunk];
  }
  return hash == 0 ? std::nullopt : std::optional<uint64_t>(hash);
}

}  // namespace quadrille::store
