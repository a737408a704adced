// Room beyond memory, for as long as one piece of work lasts. Handed in: nothing inside the engine chooses a path.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace quadrille::base {

// Bytes that are appended and read back; gone with the object. One thread at a time. Failures are thrown as
// StorageError, a full disk as ErrorKind::ResourceExhausted.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;
  virtual void append(std::string_view bytes) = 0;
  // Fills `room` from `offset` on. The bytes must be there.
  virtual void read(uint64_t offset, std::span<char> room) const = 0;
  virtual uint64_t size() const noexcept = 0;
};

// Callable from any thread; outlives its files.
class ScratchPlace {
 public:
  virtual ~ScratchPlace() = default;
  virtual std::unique_ptr<ScratchFile> make_file() = 0;  // throws StorageError
};

}  // namespace quadrille::base
