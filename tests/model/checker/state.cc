#include "tests/model/checker/state.h"

#include <xxhash.h>

#include <algorithm>

namespace quadrille::model_check {
namespace {

// No number takes more bytes than it has in memory.
constexpr size_t encoding_max = sizeof(State);

class Writer {
 public:
  explicit Writer(std::vector<uint8_t>& bytes) : bytes_(bytes) { bytes_.resize(encoding_max); }
  ~Writer() { bytes_.resize(at_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <typename Number>
  void operator()(const Number& number, size_t width) {
    for (size_t i = 0; i < width; ++i) bytes_[at_++] = static_cast<uint8_t>(uint64_t{number} >> (8 * i));
  }
  void operator()(const Contents& contents, size_t count) {
    std::copy_n(contents.begin(), count, bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += count;
  }

 private:
  std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  template <typename Number>
  void operator()(Number& number, size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) value |= uint64_t{bytes_[at_++]} << (8 * i);
    number = static_cast<Number>(value);
  }
  void operator()(Contents& contents, size_t count) {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, contents.begin());
    at_ += count;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

constexpr size_t set_width = 3;
static_assert(changesets_max <= 8 * set_width);

// Each of these is told how to walk once, for writing and for reading. An enum goes by its number.
template <typename Enum, typename Archive, typename Value>
void walk_enum(Archive& archive, Value& value) {
  auto number = static_cast<uint8_t>(value);
  archive(number, 1);
  if constexpr (!std::is_const_v<Value>) value = static_cast<Enum>(number);
}

template <typename Archive, typename Histories>
void walk_history(Archive& archive, const Setting& setting, Histories& history) {
  archive(history.issued, set_width);
  for_each_place(history.issued, [&](Place place) {
    auto& changeset = history.changesets[place];
    walk_enum<Purpose>(archive, changeset.purpose);
    archive(changeset.rank, 1);
    archive(changeset.number, 1);
    archive(changeset.seen, set_width);
    for (size_t cell = 0; cell < setting.cells; ++cell) {
      auto& write = changeset.writes[cell];
      walk_enum<Write>(archive, write.write);
      if (write.write == Write::None) continue;
      archive(write.saw, setting.policies.size());
      archive(write.left, setting.policies.size());
    }
  });
}

template <typename Archive, typename Data>
void walk_data(Archive& archive, const Setting& setting, Data& data) {
  archive(data.has, set_width);
  for (size_t c = 0; c < setting.cells; ++c) {
    auto& cell = data.cells[c];
    archive(cell.base.content, setting.policies.size());
    archive(cell.base.records, 8);
    archive(cell.count, 1);
    for (size_t i = 0; i < cell.count; ++i) {
      archive(cell.open[i].here, set_width);
      archive(cell.open[i].gone, set_width);
    }
  }
}

template <typename Archive, typename Sites>
void walk_site(Archive& archive, const Setting& setting, Sites& site, bool has_durable) {
  archive(site.is_up, 1);
  archive(site.is_stopped, 1);
  walk_data(archive, setting, site.data);
  if (has_durable) walk_data(archive, setting, site.durable);
  for (size_t other = 0; other < setting.sites; ++other) archive(site.known[other], set_width);
}

template <typename Archive, typename States>
void walk_state(Archive& archive, const Setting& setting, States& state) {
  archive(state.transactions_left, 1);
  archive(state.heartbeats_left, 1);
  archive(state.crashes_left, 1);
  archive(state.heartbeat_count, 1);
  for (size_t i = 0; i < state.heartbeat_count; ++i) {
    archive(state.heartbeats[i].site, 1);
    archive(state.heartbeats[i].has, set_width);
  }
  walk_history(archive, setting, state.history);
  for (size_t i = 0; i < setting.sites; ++i) walk_site(archive, setting, state.sites[i], state.crashes_left > 0);
}

}  // namespace

void encode(const Setting& setting, const State& state, std::vector<uint8_t>& bytes) {
  Writer writer(bytes);
  walk_state(writer, setting, state);
}

State decode(const Setting& setting, std::span<const uint8_t> bytes) {
  State state;
  Reader reader(bytes);
  walk_state(reader, setting, state);
  if (state.crashes_left == 0) {
    for (SiteState& site : state.sites) site.durable = site.data;
  }
  return state;
}

uint64_t fingerprint(const Setting& setting, const State& state, Site site, std::vector<uint8_t>& bytes) {
  {
    Writer writer(bytes);
    walk_history(writer, setting, state.history);
    walk_data(writer, setting, state.sites[site].data);
  }
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace quadrille::model_check
