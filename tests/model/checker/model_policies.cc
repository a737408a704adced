#include "tests/model/checker/model_policies.h"

#include <algorithm>
#include <array>

namespace quadrille::model_check {
namespace {

constexpr Content zero = 128;  // a sum of 0, so that 0 can mean that there is none
constexpr Content content_a = 1;
constexpr Content content_b = 2;
constexpr std::array all_policies = {
    ModelPolicy::AddWins,     ModelPolicy::DeleteWins, ModelPolicy::LastWriterWins, ModelPolicy::FirstWriterWins,
    ModelPolicy::Max,         ModelPolicy::Min,        ModelPolicy::SitePriority,   ModelPolicy::KeepAll,
    ModelPolicy::Union,       ModelPolicy::Sum,        ModelPolicy::HistoryHash,    ModelPolicy::MaximalHash,
    ModelPolicy::SettledHash,
};

bool decides_quads(ModelPolicy policy) { return policy == ModelPolicy::AddWins || policy == ModelPolicy::DeleteWins; }

// A component as one policy sees it.
struct Question {
  size_t index;
  const History& history;
  size_t cell;
  Content base;
  std::span<const Place> in_order;
  ChangesetSet maximal;

  Content left(Place place) const { return history.at(place).writes[cell].left[index]; }
  Content saw(Place place) const { return history.at(place).writes[cell].saw[index]; }
  bool is_maximal(Place place) const { return contains(maximal, place); }
};

Content sum(const Question& question) {
  const Place* start = nullptr;
  for (const Place& place : question.in_order) {
    if (question.is_maximal(place) && question.left(place) != 0 && !start) start = &place;
  }
  if (!start) return 0;
  int total = question.left(*start) - zero;
  for (const Place place : question.in_order) {
    if (place == *start || question.left(place) == 0 || question.history.has_seen(*start, place)) continue;
    const Content saw = question.saw(place);
    total += question.left(place) - zero - (saw == 0 ? 0 : saw - zero);
  }
  return static_cast<Content>(total + zero);
}

Content extreme(const Question& question, bool wants_largest) {
  Content best = 0;
  for (const Place place : question.in_order) {
    const Content left = question.left(place);
    if (!question.is_maximal(place) || left == 0) continue;
    if (best == 0 || (left > best) == wants_largest) best = left;
  }
  return best;
}

Content of_first_site(const Question& question) {
  Place best = changesets_max;
  for_each_place(question.maximal, [&](Place place) { best = std::min(best, place); });
  return question.left(best);
}

Content of_all_maximal(const Question& question) {
  Content all = 0;
  for_each_place(question.maximal, [&](Place place) { all |= question.left(place); });
  return all;
}

Content hash_of(const Question& question, ChangesetSet shown) {
  uint64_t hash = mix(0, question.base);
  for (const Place place : question.in_order) {
    if (!contains(shown, place)) continue;
    hash = mix(hash, place);
    hash = mix(hash, question.saw(place));
    hash = mix(hash, question.left(place));
    hash = mix(hash, question.is_maximal(place));
    hash = mix(hash, question.history.at(place).seen & shown);
  }
  return static_cast<Content>(hash % 4 == 0 ? 0 : 16 + hash % 239);
}

ChangesetSet all_versions(const Question& question) {
  ChangesetSet all = 0;
  for (const Place place : question.in_order) all |= set_of(place);
  return all;
}

ChangesetSet not_seen_by_all_maximal(const Question& question) {
  ChangesetSet seen_by_all = ~ChangesetSet{0};
  for_each_place(question.maximal, [&](Place place) { seen_by_all &= question.history.at(place).seen; });
  return all_versions(question) & ~seen_by_all;
}

}  // namespace

std::string_view name_of(ModelPolicy policy) {
  constexpr std::array<std::string_view, all_policies.size()> names = {
      "add-wins",    "delete-wins", "last-writer-wins", "first-writer-wins",
      "max",         "min",         "site-priority",    "keep-all",
      "union",       "sum",         "history-hash",     "maximal-hash",
      "settled-hash"};
  return names[static_cast<size_t>(policy)];
}

std::span<const ModelPolicy> all_model_policies() { return all_policies; }

Retention retention_of(ModelPolicy policy) {
  if (policy == ModelPolicy::HistoryHash) return Retention::AllVersions;
  if (policy == ModelPolicy::Sum || policy == ModelPolicy::SettledHash) return Retention::UnlessStableAndAllSeen;
  return Retention::MaximalVersions;
}

Content first_content(ModelPolicy policy) { return policy == ModelPolicy::Sum ? zero + 10 : content_a; }

Content left_by(ModelPolicy policy, Write write, Content saw) {
  if (write == Write::Delete) return 0;
  if (decides_quads(policy)) return content_a;
  if (policy == ModelPolicy::Sum) {
    return static_cast<Content>((saw == 0 ? zero : saw) + (write == Write::A ? 5 : -3));
  }
  return write == Write::A ? content_a : content_b;
}

std::string describe(ModelPolicy policy, Content content) {
  if (content == 0) return "nothing";
  if (decides_quads(policy)) return "the quad";
  if (policy == ModelPolicy::Sum) return std::to_string(content - zero);
  if (content == content_a) return "A";
  if (content == content_b) return "B";
  if (content == (content_a | content_b)) return "A and B";
  return "hash " + std::to_string(content);
}

Content resolve(ModelPolicy policy, size_t index, const History& history, size_t cell, Content base,
                std::span<const Place> in_order, ChangesetSet maximal) {
  const Question question{index, history, cell, base, in_order, maximal};
  switch (policy) {
    case ModelPolicy::AddWins:
    case ModelPolicy::Union:
    case ModelPolicy::KeepAll: return of_all_maximal(question);
    case ModelPolicy::DeleteWins: {
      bool all_left_it = true;
      for_each_place(maximal, [&](Place place) { all_left_it = all_left_it && question.left(place) != 0; });
      return all_left_it ? content_a : 0;
    }
    case ModelPolicy::LastWriterWins: return question.left(in_order.back());
    case ModelPolicy::FirstWriterWins:
      return question.left(
          *std::find_if(in_order.begin(), in_order.end(), [&](Place place) { return question.is_maximal(place); }));
    case ModelPolicy::Max: return extreme(question, true);
    case ModelPolicy::Min: return extreme(question, false);
    case ModelPolicy::SitePriority: return of_first_site(question);
    case ModelPolicy::Sum: return sum(question);
    case ModelPolicy::HistoryHash: return hash_of(question, all_versions(question));
    case ModelPolicy::MaximalHash: return hash_of(question, maximal);
    case ModelPolicy::SettledHash: return hash_of(question, not_seen_by_all_maximal(question));
  }
  return 0;
}

uint64_t mix(uint64_t hash, uint64_t value) {
  uint64_t mixed = hash + 0x9e3779b97f4a7c15 + (value << 1 | 1) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return mixed ^ mixed >> 31;
}

}  // namespace quadrille::model_check
