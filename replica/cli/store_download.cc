#include "replica/cli/store_download.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "engine/io/output_sink.h"
#include "replica/cli/http_client.h"
#include "replica/cli/site_answer.h"
#include "replica/site/store_copies.h"

namespace quadrille::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view backup_mark = "quadrille-backup-1 ";
constexpr size_t hash_digits = 32;
constexpr size_t trailer_bytes = backup_mark.size() + hash_digits + 1;
// A connection that breaks off this often without a byte between is not taken up again.
constexpr int tries_max = 5;
constexpr auto pause = std::chrono::seconds(1);

base::Error failed(const fs::path& file, const char* what) {
  return {
      base::ErrorKind::IoFailure, fmt::format("{}: cannot {} it: {}", file.string(), what, std::strerror(errno)), {}};
}

// A file that is open, and closed with this.
class File {
 public:
  static base::Result<File> open(const fs::path& name, int flags) {
    const int descriptor = ::open(name.c_str(), flags | O_CLOEXEC, 0600);
    if (descriptor < 0) return failed(name, flags & O_CREAT ? "make" : "open");
    return File(name, descriptor);
  }
  File(File&& other) noexcept : name_(std::move(other.name_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const noexcept { return descriptor_; }
  const fs::path& name() const noexcept { return name_; }

  base::Result<void> read(uint64_t offset, std::span<char> room) const {
    while (!room.empty()) {
      const ssize_t count = ::pread(descriptor_, room.data(), room.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed(name_, "read");
      if (count == 0) {
        return base::Error{base::ErrorKind::InvalidInput, fmt::format("{}: the file is cut off", name_.string()), {}};
      }
      offset += static_cast<uint64_t>(count);
      room = room.subspan(static_cast<size_t>(count));
    }
    return {};
  }
  base::Result<void> flush() const { return ::fsync(descriptor_) == 0 ? base::Result<void>() : failed(name_, "flush"); }

 private:
  File(fs::path name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}
  fs::path name_;
  int descriptor_;
};

base::Result<std::string> hash_of(const File& file, uint64_t size) {
  return base::catch_storage_error([&]() -> base::Result<std::string> {
    return replica::hash_of_copy(size, [&](uint64_t offset, std::span<char> room) {
      if (const auto read = file.read(offset, room); !read.ok()) throw base::StorageError(read.error());
    });
  });
}

// A copy that a site keeps for us.
struct KeptCopy {
  std::string url;
  std::string id;
  uint64_t bytes = 0;
  std::string hash;
};

base::Result<KeptCopy> read_kept(const std::string& url, const std::string& text) {
  const auto json = Json::parse(text, nullptr, false);
  const bool is_one = json.is_object() && json.contains("bytes") && json["bytes"].is_number_unsigned() &&
                      !text_of(json, "copy").empty() && text_of(json, "hash").size() == hash_digits;
  if (!is_one) return not_a_site(url);
  return KeptCopy{url, text_of(json, "copy"), json["bytes"].get<uint64_t>(), text_of(json, "hash")};
}

HttpCall call_of(const KeptCopy& kept, uint64_t from) {
  HttpCall call;
  call.url = join_url(kept.url, fmt::format("/copies?copy={}&from={}", kept.id, from));
  return call;
}

base::Result<KeptCopy> ask_for_copy(const std::string& url) {
  HttpCall call;
  call.method = "POST";
  call.url = join_url(url, "/copies");
  QUADRILLE_ASSIGN(const auto reply, send(call));
  return read_kept(url, reply.body);
}

// What is missing of the file, from wherever its connection breaks off.
base::Result<void> fetch_rest(const KeptCopy& kept, const File& file) {
  io::DescriptorSink sink(file.descriptor(), file.name().string());
  std::error_code trouble;
  uint64_t size = fs::file_size(file.name(), trouble);
  for (int tries = 0; size < kept.bytes;) {
    if (::lseek(file.descriptor(), static_cast<off_t>(size), SEEK_SET) < 0) return failed(file.name(), "write");
    const auto reply = send(call_of(kept, size), &sink);
    const uint64_t before = std::exchange(size, fs::file_size(file.name(), trouble));
    if (trouble) return base::Error{base::ErrorKind::IoFailure, file.name().string() + ": " + trouble.message(), {}};
    if (reply.ok()) break;
    tries = size > before ? 0 : tries + 1;
    if (reply.error().kind != base::ErrorKind::Unavailable || tries == tries_max) return reply.error();
    std::this_thread::sleep_for(pause);
  }
  QUADRILLE_TRY(file.flush());
  QUADRILLE_ASSIGN(const auto hash, hash_of(file, size));
  if (size == kept.bytes && hash == kept.hash) return {};
  return base::Error{base::ErrorKind::Corruption,
                     fmt::format("{}: what came is not what the site sent ({} of {} bytes); fetch it again",
                                 file.name().string(), size, kept.bytes),
                     {}};
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The copy that an earlier call began to fetch, if the site still has it.
std::optional<KeptCopy> find_begun(const std::string& url, const fs::path& note) {
  const auto json = Json::parse(read_text(note), nullptr, false);
  if (!json.is_object() || text_of(json, "url") != url) return std::nullopt;
  const auto kept = read_kept(url, json.dump());
  if (!kept.ok()) return std::nullopt;
  // From its end on there is nothing, but the answer says whether there is the copy.
  return send(call_of(*kept, kept->bytes)).ok() ? std::optional(*kept) : std::nullopt;
}

base::Result<KeptCopy> begin_copy(const std::string& url, const fs::path& part, const fs::path& note) {
  QUADRILLE_ASSIGN(const auto kept, ask_for_copy(url));
  std::error_code ignored;
  fs::remove(part, ignored);
  std::ofstream out(note, std::ios::binary);
  out << Json{{"url", url}, {"copy", kept.id}, {"bytes", kept.bytes}, {"hash", kept.hash}}.dump();
  out.close();
  if (!out) return base::Error{base::ErrorKind::IoFailure, note.string() + ": cannot be written", {}};
  return kept;
}

void give_back(const KeptCopy& kept) {
  HttpCall call = call_of(kept, 0);
  call.method = "DELETE";
  [[maybe_unused]] const auto ignored = send(call);  // it goes by itself after a while
}

base::Result<void> move_file(const fs::path& from, const fs::path& to) {
  std::error_code trouble;
  fs::rename(from, to, trouble);
  if (!trouble) return {};
  return base::Error{base::ErrorKind::IoFailure, fmt::format("{}: {}", to.string(), trouble.message()), {}};
}

}  // namespace

base::Result<void> download_store(const std::string& url, const fs::path& directory) {
  const fs::path part = directory / "copy.part";
  const fs::path note = directory / "copy.json";
  auto kept = find_begun(url, note);
  if (!kept) {
    QUADRILLE_ASSIGN(kept, begin_copy(url, part, note));
  }
  QUADRILLE_ASSIGN(const auto file, File::open(part, O_RDWR | O_CREAT));
  std::error_code ignored;
  if (const auto fetched = fetch_rest(*kept, file); !fetched.ok()) {
    // What arrived whole and is wrong is of no use to go on with.
    if (fetched.error().kind == base::ErrorKind::Corruption) fs::remove(part, ignored);
    return fetched;
  }
  QUADRILLE_TRY(move_file(part, directory / "data.mdb"));
  fs::remove(note, ignored);
  give_back(*kept);
  return {};
}

base::Result<void> download_backup(const std::string& url, const fs::path& file) {
  if (fs::exists(file)) {
    return base::Error{base::ErrorKind::Refused, fmt::format("{} exists; expected a new file", file.string()), {}};
  }
  const fs::path part = file.string() + ".part";
  QUADRILLE_ASSIGN(const auto out, File::open(part, O_RDWR | O_CREAT | O_TRUNC));
  const auto write = [&]() -> base::Result<void> {
    QUADRILLE_ASSIGN(const auto kept, ask_for_copy(url));
    QUADRILLE_TRY(fetch_rest(kept, out));
    give_back(kept);
    io::DescriptorSink sink(out.descriptor(), part.string());
    if (::lseek(out.descriptor(), 0, SEEK_END) < 0) return failed(part, "write");
    QUADRILLE_TRY(sink.write(fmt::format("{}{}\n", backup_mark, kept.hash)));
    QUADRILLE_TRY(out.flush());
    return move_file(part, file);
  };
  auto written = write();
  std::error_code ignored;
  if (!written.ok()) fs::remove(part, ignored);
  return written;
}

base::Result<void> unpack_backup(const fs::path& file, const fs::path& directory) {
  QUADRILLE_ASSIGN(const auto in, File::open(file, O_RDONLY));
  std::error_code trouble;
  const uint64_t size = fs::file_size(file, trouble);
  const auto no_backup = [&](const char* why) {
    return base::Error{base::ErrorKind::InvalidInput,
                       fmt::format("{}: {}; expected a file of `quadrille backup`", file.string(), why),
                       {}};
  };
  if (trouble || size <= trailer_bytes) return no_backup("no backup, or cut off");
  std::array<char, trailer_bytes> trailer{};
  QUADRILLE_TRY(in.read(size - trailer_bytes, trailer));
  const std::string_view text(trailer.data(), trailer.size());
  if (!text.starts_with(backup_mark)) return no_backup("no backup, or cut off");
  const uint64_t store_bytes = size - trailer_bytes;
  QUADRILLE_ASSIGN(const auto hash, hash_of(in, store_bytes));
  if (hash != text.substr(backup_mark.size(), hash_digits)) return no_backup("the backup is damaged");

  QUADRILLE_ASSIGN(const auto out, File::open(directory / "data.mdb", O_RDWR | O_CREAT | O_EXCL));
  io::DescriptorSink sink(out.descriptor(), out.name().string());
  std::vector<char> piece(size_t{1} << 20);
  for (uint64_t at = 0; at < store_bytes;) {
    const auto room = std::span(piece).first(std::min<uint64_t>(piece.size(), store_bytes - at));
    QUADRILLE_TRY(in.read(at, room));
    QUADRILLE_TRY(sink.write({room.data(), room.size()}));
    at += room.size();
  }
  return out.flush();
}

}  // namespace quadrille::cli
