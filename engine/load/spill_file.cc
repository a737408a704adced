#include "engine/load/spill_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quadrille::load {
namespace {

using model::TermId;
using store::QuadRow;

constexpr size_t page_header_bytes = 8;

void put_number(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// The file is our own and has no name: nobody else can have written it.
uint64_t take_number(const char*& at) noexcept {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

void put_row(const QuadRow& before, const QuadRow& row, std::string& out) {
  size_t column = 0;
  while (column < 3 && row[column] == before[column]) ++column;
  out.push_back(static_cast<char>(column));
  put_number(row[column].bits() - before[column].bits(), out);
  for (++column; column < 4; ++column) put_number(std::rotl(row[column].bits(), 8), out);
}

void take_row(const char*& at, QuadRow& row) noexcept {
  size_t column = static_cast<uint8_t>(*at++) & 3u;
  row[column] = TermId(row[column].bits() + take_number(at));
  for (++column; column < 4; ++column) row[column] = TermId(std::rotr(take_number(at), 8));
}

class SpilledRows final : public RowSource {
 public:
  SpilledRows(const SpillFile& file, size_t begin, size_t end) : file_(file), page_(begin), end_(end) {}

  std::span<const QuadRow> next() override {
    if (page_ == end_) return {};
    file_.read_page(page_++, rows_);
    return rows_;
  }

 private:
  const SpillFile& file_;
  size_t page_;
  size_t end_;
  std::vector<QuadRow> rows_;
};

}  // namespace

void SpillFile::append(std::span<const QuadRow> rows) {
  while (!rows.empty()) {
    const auto page_rows = rows.first(std::min(rows.size(), page_rows_max));
    page_.assign(page_header_bytes, '\0');
    QuadRow before{};
    for (const QuadRow& row : page_rows) {
      put_row(before, row, page_);
      before = row;
    }
    const uint32_t header[2] = {static_cast<uint32_t>(page_rows.size()),
                                static_cast<uint32_t>(page_.size() - page_header_bytes)};
    std::memcpy(page_.data(), header, sizeof header);
    pages_.push_back({file_.size(), page_rows.front()});
    file_.append(page_);
    rows = rows.subspan(page_rows.size());
  }
}

void SpillFile::read_page(size_t page, std::vector<QuadRow>& rows) const {
  const uint64_t end = page + 1 < pages_.size() ? pages_[page + 1].offset : file_.size();
  std::string bytes(end - pages_[page].offset, '\0');
  file_.read(pages_[page].offset, bytes);
  uint32_t row_count = 0;
  std::memcpy(&row_count, bytes.data(), sizeof row_count);
  rows.resize(row_count);
  const char* at = bytes.data() + page_header_bytes;
  QuadRow row{};
  for (QuadRow& out : rows) {
    take_row(at, row);
    out = row;
  }
}

std::unique_ptr<RowSource> SpillFile::rows_of_pages(size_t begin, size_t end) const {
  return std::make_unique<SpilledRows>(*this, begin, end);
}

std::vector<std::unique_ptr<RowSource>> SpillFile::rows_of_runs() const {
  std::vector<std::unique_ptr<RowSource>> runs;
  for (size_t run = 0; run < run_count(); ++run) runs.push_back(rows_of_run(run));
  return runs;
}

std::unique_ptr<RowSource> SpillFile::rows_of_run(size_t run) const {
  return rows_of_pages(run == 0 ? 0 : run_ends_[run - 1], run_ends_[run]);
}

}  // namespace quadrille::load
