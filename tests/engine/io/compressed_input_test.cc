#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/io/input_stream.h"
#include "engine/io/rdf_format.h"
#include "tests/support/seeded_random.h"

using namespace quadrille;

namespace {

// A file of this test's own that goes with it.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& ending, const std::string& content) {
    path_ = (std::filesystem::temp_directory_path() / ("quadrille-XXXXXX" + ending)).string();
    const int descriptor = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string gzipped(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT: zlib does not write there
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd_compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string compressed(const std::string& ending, const std::string& text) {
  return ending == ".gz" ? gzipped(text) : zstd_compressed(text);
}

base::Result<std::string> content_of(const std::string& path) {
  QUADRILLE_ASSIGN(const auto input, io::open_input(path));
  return io::read_all(*input, size_t{1} << 30);
}

std::string long_text() {
  test::SeededRandom random(7);
  std::string text;
  while (text.size() < 1'000'000) text += std::to_string(random.next()) + "\n";
  return text;
}

}  // namespace

TEST_CASE("compressed files are read as they are, also several members in a row") {
  const std::string ending = GENERATE(std::string(".gz"), std::string(".zst"));
  const std::string text = long_text();
  CHECK(*content_of(TemporaryFile(ending, compressed(ending, text)).path()) == text);
  CHECK(*content_of(TemporaryFile(ending, compressed(ending, text) + compressed(ending, "") + compressed(ending, "end"))
                        .path()) == text + "end");
  CHECK(*content_of(TemporaryFile(ending, compressed(ending, "")).path()) == "");
}

TEST_CASE("a compressed file that is cut off anywhere is an error, not a short file") {
  const std::string ending = GENERATE(std::string(".gz"), std::string(".zst"));
  const std::string whole = compressed(ending, long_text());
  const std::string two_members = whole + compressed(ending, "more");
  for (const size_t size : {size_t{0}, size_t{1}, size_t{5}, size_t{11}, whole.size() / 2, whole.size() - 1,
                            whole.size() + 1, two_members.size() - 1}) {
    INFO(ending << " " << size);
    const TemporaryFile file(ending, two_members.substr(0, size));
    const auto content = content_of(file.path());
    REQUIRE_FALSE(content);
    CHECK_THAT(content.error().message, Catch::Contains(file.path()));
  }
}

TEST_CASE("a compressed file that was changed is an error") {
  const std::string ending = GENERATE(std::string(".gz"), std::string(".zst"));
  CHECK_FALSE(content_of(TemporaryFile(ending, "<urn:s> <urn:p> <urn:o> .\n").path()));
  CHECK_FALSE(content_of(TemporaryFile(ending, compressed(ending, "text") + "garbage behind it").path()));
}

TEST_CASE("a file that is not there or is a directory is one clear line") {
  const auto missing = io::open_input("/nonexistent/data.nt");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == base::ErrorKind::NotFound);
  CHECK(missing.error().message == "cannot open /nonexistent/data.nt: No such file or directory");
  const auto directory = io::open_input("/tmp");
  REQUIRE_FALSE(directory);
  CHECK(directory.error().message == "cannot read /tmp: expected a file, found a directory");
}

TEST_CASE("progress counts the bytes on the disk") {
  const std::string packed = zstd_compressed(long_text());
  const TemporaryFile file(".zst", packed);
  auto input = io::open_input(file.path());
  REQUIRE(input);
  CHECK((*input)->progress().bytes_total == packed.size());
  CHECK((*input)->progress().bytes_read == 0);
  REQUIRE(io::read_all(**input, size_t{1} << 30));
  CHECK((*input)->progress().bytes_read == packed.size());
}

TEST_CASE("a stream larger than its reader allows is refused") {
  io::MemoryInput input("12345");
  const auto text = io::read_all(input, 4);
  REQUIRE_FALSE(text);
  CHECK(text.error().kind == base::ErrorKind::ResourceExhausted);
}

TEST_CASE("formats are known by file ending and by media type") {
  using io::RdfFormat;
  CHECK(io::rdf_format_by_file_name("a/b.c/data.nt") == RdfFormat::NTriples);
  CHECK(io::rdf_format_by_file_name("data.NQ.gz") == RdfFormat::NQuads);
  CHECK(io::rdf_format_by_file_name("data.ttl.zst") == RdfFormat::Turtle);
  CHECK(io::rdf_format_by_file_name("data.trig") == RdfFormat::TriG);
  CHECK_FALSE(io::rdf_format_by_file_name("data.zst"));
  CHECK_FALSE(io::rdf_format_by_file_name("nt"));
  CHECK_FALSE(io::rdf_format_by_file_name("-"));
  CHECK(io::rdf_format_by_media_type("text/turtle;charset=utf-8") == RdfFormat::Turtle);
  CHECK(io::rdf_format_by_media_type("Application/N-Quads") == RdfFormat::NQuads);
  CHECK_FALSE(io::rdf_format_by_media_type("text/plain"));
}
