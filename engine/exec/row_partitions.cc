#include "engine/exec/row_partitions.h"

#include <algorithm>

namespace quadrille::exec {

PartitionWriter::PartitionWriter(uint32_t level, RunState& run, OperatorFigures* figures)
    : level_(level),
      page_bytes_(std::max<size_t>(512, run.spill_page_bytes() >> level)),  // deeper down memory is scarcer
      memory_(run),
      file_(std::make_shared<SpillFile>(run, figures)) {
  memory_.take(partition_count * page_bytes_);
}

void PartitionWriter::add(std::span<const Column* const> columns, size_t row, uint64_t hash) {
  const size_t partition = partition_of(hash, level_);
  std::string& page = pages_[partition];
  if (page.empty()) page.reserve(page_bytes_ + columns.size() * sizeof(TermId));
  for (const Column* column : columns) {
    const uint64_t bits = (*column)[row].bits();
    page.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  ++rows_[partition];
  if (page.size() >= page_bytes_) write_page(partition);
}

void PartitionWriter::write_page(size_t partition) {
  partitions_[partition].pages.push_back({file_->size(), rows_[partition]});
  file_->append(pages_[partition]);
  pages_[partition].clear();
  rows_[partition] = 0;
}

std::array<RowPartition, PartitionWriter::partition_count> PartitionWriter::finish() {
  for (size_t i = 0; i < partition_count; ++i) {
    if (rows_[i] > 0) write_page(i);
    partitions_[i].file = file_;
  }
  return std::move(partitions_);
}

void PartitionReader::next(Batch& batch) {
  batch.reset(columns_);
  if (next_page_ == partition_.pages.size()) return;
  const RowPartition::Page page = partition_.pages[next_page_++];
  page_.resize(page.rows * columns_);
  partition_.file->read(page.offset, {reinterpret_cast<char*>(page_.data()), page_.size() * sizeof(TermId)});
  for (size_t column = 0; column < columns_; ++column) {
    Column& target = batch.column(column);
    target.resize(page.rows);
    for (size_t row = 0; row < page.rows; ++row) target[row] = page_[row * columns_ + column];
  }
  batch.set_rows(page.rows);
}

}  // namespace quadrille::exec
