// Joins rows with a pattern by looking each of them up in the index.
//
// For each batch of rows: sort their keys, then walk one scan of the index upwards, skipping to each key, and pair all
// rows of a key with what the scan has for it. Where an order of the index leads with constants, this is a merge join
// that gallops; where it does not, it is a lookup a key in ascending order, each near the one before.
//
// Where look-ups turn out to be many, it goes on as a hash join (join_switch.h).
//
// A row in which a join variable is unbound (an OPTIONAL came before) is compatible with any value: such rows are read
// with a scan of their own. So are rows whose key is known by `=` only (PatternAccess::equal_to) and holds a literal:
// it may be written in many ways.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/exec/column_map.h"
#include "engine/exec/join_switch.h"
#include "engine/exec/operators.h"
#include "engine/exec/pattern_reader.h"
#include "engine/exec/profile.h"
#include "engine/plan/pattern_access.h"

namespace quadrille::exec {
namespace {

using plan::no_variable;
using plan::VariableId;

constexpr size_t smallest_read = 4;
constexpr size_t largest_read = 1024;
// Of so many look-ups one reads on behind its key, to find out whether the next keys are near.
constexpr int lookups_a_probe = 8;

class IndexJoin final : public Operator {
 public:
  IndexJoin(const plan::Plan& plan, OperatorPointer left, RunState& run)
      : plan_(plan),
        run_(run),
        left_columns_(plan.children.front()->columns),
        left_(std::move(left)),
        reader_(plan.access, left_columns_, run),
        figures_(run.profile == nullptr ? nullptr : &run.profile->of(plan)),
        switch_(plan, run) {
    const auto order = model::columns_of(plan.access.order);
    for (size_t i = plan.access.prefix_length; i < plan.access.key_length; ++i) {
      size_t left_column = left_column_of(order[i]);
      if (left_column == no_column && !reader_.constant(order[i]).is_bound()) {
        left_column = column_of(left_columns_, plan.access.equal_to[static_cast<size_t>(order[i])]);
        equal_columns_.push_back(left_column);
      }
      key_parts_.push_back({order[i], reader_.constant(order[i]), left_column});
    }
    for (size_t i = plan.access.key_length; i < 4; ++i) {
      if (const size_t column = left_column_of(order[i]); column != no_column) {
        compared_.emplace_back(order[i], column);
      }
    }
    for (size_t i = 0; i < 4; ++i) {
      const auto column = static_cast<model::Column>(i);
      const VariableId variable = plan::variable_of(plan.access, column);
      if (variable == no_variable) continue;
      const size_t target = column_of(plan.columns, variable);
      if (target >= left_columns_.size()) {
        if (std::none_of(added_.begin(), added_.end(), [&](const auto& one) { return one.second == target; })) {
          added_.emplace_back(column, target);
        }
      } else if (!plan.children.front()->certain.has(variable)) {
        loose_columns_.push_back(target);
      }
    }
  }

  void next(Batch& batch, size_t wanted) override {
    if (hashing_) return hashing_->next(batch, wanted);
    batch.reset(plan_.columns.size());
    emitted_.clear();
    overrides_.clear();
    gathered_ = 0;
    while (emitted_.size() < wanted) {
      if (in_run_) {
        emit_run(batch, wanted);
      } else if (run_end_ < keys_.size()) {
        begin_run();
      } else if (next_loose_ < loose_rows_.size()) {
        emit_loose(batch, loose_rows_[next_loose_++]);
      } else if (switch_.is_due(lookups_)) {
        hashing_ = switch_.make(std::move(left_));
        if (figures_ != nullptr) figures_->has_switched = true;
        if (emitted_.empty()) return hashing_->next(batch, wanted);
        break;
      } else {
        gather(batch);
        if (!load_left(wanted)) break;
      }
    }
    gather(batch);
    batch.set_rows(emitted_.size());
  }

 private:
  struct KeyPart {
    model::Column column;
    TermId constant;     // or
    size_t left_column;  // where the value stands
  };
  struct Key {
    std::array<TermId, 4> values;
    uint32_t row;
  };
  struct Override {
    size_t row;
    size_t column;
    TermId value;
  };

  size_t left_column_of(model::Column column) const {
    const VariableId variable = plan::variable_of(plan_.access, column);
    return variable == no_variable ? no_column : column_of(left_columns_, variable);
  }

  bool load_left(size_t wanted) {
    run_.check();
    left_wanted_ = left_wanted_ == 0 ? std::min(wanted, first_batch_rows) : grown(left_wanted_);
    left_->next(left_rows_, left_wanted_);
    keys_.clear();
    loose_rows_.clear();
    run_begin_ = run_end_ = next_loose_ = 0;
    if (left_rows_.rows() == 0) return false;
    for (uint32_t row = 0; row < left_rows_.rows(); ++row) {
      if (is_loose(row)) {
        loose_rows_.push_back(row);
        continue;
      }
      Key& key = keys_.emplace_back();
      key.row = row;
      for (size_t i = 0; i < key_parts_.size(); ++i) {
        const KeyPart& part = key_parts_[i];
        key.values[i] = part.constant.is_bound() ? part.constant : left_rows_.at(row, part.left_column);
      }
    }
    const auto before = [](const Key& a, const Key& b) { return a.values < b.values; };
    if (!std::is_sorted(keys_.begin(), keys_.end(), before)) std::stable_sort(keys_.begin(), keys_.end(), before);
    if (!keys_.empty()) place_scan();
    return true;
  }

  bool is_loose(uint32_t row) const {
    const auto is_resource = [](TermId id) {
      return id.tag() == model::TermTag::Iri || id.tag() == model::TermTag::BlankNode;
    };
    return std::any_of(loose_columns_.begin(), loose_columns_.end(),
                       [&](size_t column) { return !left_rows_.at(row, column).is_bound(); }) ||
           std::any_of(equal_columns_.begin(), equal_columns_.end(),
                       [&](size_t column) { return !is_resource(left_rows_.at(row, column)); });
  }

  // A scan never goes back: begin anew unless this batch goes on after the last one.
  void place_scan() {
    if (is_open_ && last_key_ < keys_.front().values) return;
    reader_.open();
    is_open_ = true;
    exhausted_ = has_one_key_ = false;
    position_ = size_ = 0;
  }

  void begin_run() {
    run_begin_ = run_end_;
    while (run_end_ < keys_.size() && keys_[run_end_].values == keys_[run_begin_].values) ++run_end_;
    last_key_ = keys_[run_begin_].values;
    matched_.assign(run_end_ - run_begin_, false);
    seek();
    in_run_ = true;
  }

  std::strong_ordering compare(size_t row) const {
    for (size_t i = 0; i < key_parts_.size(); ++i) {
      const auto order = reader_.at(row, key_parts_[i].column) <=> last_key_[i];
      if (order != 0) return order;
    }
    return std::strong_ordering::equal;
  }

  // Reads more when keys are dense, and the rows of one key alone when they lie far from each other.
  void refill() {
    position_ = 0;
    size_ = exhausted_ ? 0 : reader_.read(read_size_);
    exhausted_ = size_ == 0;
  }

  void seek() {
    if (has_one_key_) position_ = size_ = 0;
    while (position_ < size_ && compare(position_) < 0) ++position_;
    if (position_ < size_) {
      read_size_ = std::min(largest_read, read_size_ * 2);
      is_dense_ = true;
      return;
    }
    if (exhausted_ && !has_one_key_) return;
    look_up();
  }

  void look_up() {
    read_size_ = std::max(smallest_read, read_size_ / 2);
    ++lookups_;
    if (figures_ != nullptr) ++figures_->lookups;
    const auto key = std::span<const TermId>(last_key_).first(key_parts_.size());
    has_one_key_ = !key.empty() && !is_dense_ && ++lookups_since_probe_ < lookups_a_probe;
    if (has_one_key_) {
      reader_.skip_to_rows_of(key);
    } else {
      lookups_since_probe_ = 0;
      is_dense_ = false;
      if (!key.empty()) reader_.skip_to(key);
    }
    exhausted_ = false;
    refill();
  }

  void emit_run(Batch& batch, size_t wanted) {
    while (emitted_.size() < wanted) {
      if (position_ == size_) {
        if (size_ != 0) read_size_ = std::min(largest_read, read_size_ * 2);
        if (!exhausted_) refill();
        run_.check();
      }
      if (position_ == size_ || compare(position_) != 0) {
        end_run(batch);
        return;
      }
      const size_t row = position_++;
      if (!reader_.passes(row) || (reader_.merges_graphs() && reader_.is_repeated(row))) continue;
      for (size_t i = run_begin_; i < run_end_; ++i) {
        if (!agrees(keys_[i].row, row)) continue;
        matched_[i - run_begin_] = true;
        emit(batch, keys_[i].row, row);
      }
    }
  }

  bool agrees(uint32_t left_row, size_t row) const {
    for (const auto& [column, left_column] : compared_) {
      if (reader_.at(row, column) != left_rows_.at(left_row, left_column)) return false;
    }
    return true;
  }

  void end_run(Batch& batch) {
    in_run_ = false;
    if (plan_.mode != plan::JoinMode::LeftOuter) return;
    for (size_t i = run_begin_; i < run_end_; ++i) {
      if (!matched_[i - run_begin_]) emit_alone(batch, keys_[i].row);
    }
  }

  void emit(Batch& batch, uint32_t left_row, size_t row) {
    emitted_.push_back(left_row);
    for (const auto& [column, target] : added_) batch.column(target).push_back(reader_.at(row, column));
  }

  void emit_alone(Batch& batch, uint32_t left_row) {
    emitted_.push_back(left_row);
    for (const auto& [column, target] : added_) batch.column(target).emplace_back();
  }

  // Reads what fits one row, taking what the row knows as constants of the pattern.
  void emit_loose(Batch& batch, uint32_t left_row) {
    plan::PatternAccess access = plan_.access;
    for (plan::Place& place : access.triple) bind(place.constant, place.variable, left_row);
    if (access.graph.mode == plan::GraphMode::Each) {
      TermId graph;
      VariableId variable = access.graph.variable;
      bind(graph, variable, left_row);
      if (graph.is_bound()) {
        if (!access.graph.filter->allows(graph)) graph = TermId();
        access.graph.mode = plan::GraphMode::One;
        access.graph.graph = graph;
      }
    }
    plan::choose_order(access, {});
    PatternReader reader(access, {}, run_);
    reader.open();
    bool found = false;
    const bool impossible = access.graph.mode == plan::GraphMode::One && !access.graph.graph.is_bound();
    for (size_t size = impossible ? 0 : reader.read(largest_read); size > 0; size = reader.read(largest_read)) {
      for (size_t row = 0; row < size; ++row) {
        if (!reader.passes(row) || (reader.merges_graphs() && reader.is_repeated(row))) continue;
        found = true;
        emit_loose_row(batch, left_row, access, reader, row);
      }
      run_.check();
    }
    if (!found && plan_.mode == plan::JoinMode::LeftOuter) emit_alone(batch, left_row);
  }

  void bind(TermId& constant, VariableId& variable, uint32_t left_row) const {
    const size_t column = variable == no_variable ? no_column : column_of(left_columns_, variable);
    if (column == no_column || !left_rows_.at(left_row, column).is_bound()) return;
    constant = left_rows_.at(left_row, column);
    variable = no_variable;
  }

  void emit_loose_row(Batch& batch, uint32_t left_row, const plan::PatternAccess& access, const PatternReader& reader,
                      size_t row) {
    for (const auto& [column, target] : added_) batch.column(target).push_back(reader.at(row, column));
    for (size_t i = 0; i < 4; ++i) {
      const auto column = static_cast<model::Column>(i);
      const VariableId variable = plan::variable_of(access, column);
      const size_t target = variable == no_variable ? no_column : column_of(left_columns_, variable);
      if (target != no_column) overrides_.push_back({emitted_.size(), target, reader.at(row, column)});
    }
    emitted_.push_back(left_row);
  }

  // Fills the left columns of the rows that were emitted since the last time.
  void gather(Batch& batch) {
    for (size_t column = 0; column < left_columns_.size(); ++column) {
      Column& target = batch.column(column);
      const Column& source = left_rows_.column_count() > column ? left_rows_.column(column) : target;
      for (size_t i = gathered_; i < emitted_.size(); ++i) target.push_back(source[emitted_[i]]);
    }
    for (const Override& one : overrides_) batch.column(one.column)[one.row] = one.value;
    overrides_.clear();
    gathered_ = emitted_.size();
  }

  const plan::Plan& plan_;
  RunState& run_;
  const std::vector<VariableId>& left_columns_;
  OperatorPointer left_;
  PatternReader reader_;
  OperatorFigures* figures_;                                // null: nobody wants to know
  std::vector<KeyPart> key_parts_;                          // the key after the constant prefix
  std::vector<std::pair<model::Column, size_t>> compared_;  // bound, but not in the key: with which left column
  std::vector<std::pair<model::Column, size_t>> added_;     // new variables: their columns of the output
  std::vector<size_t> loose_columns_;                       // join columns that may be unbound
  std::vector<size_t> equal_columns_;                       // stand in the key because they are equal (equal_to)

  uint64_t lookups_ = 0;
  JoinSwitch switch_;
  OperatorPointer hashing_;  // joins the rest, once it has switched

  Batch left_rows_;
  size_t left_wanted_ = 0;
  std::vector<Key> keys_;
  std::vector<uint32_t> loose_rows_;
  size_t next_loose_ = 0;
  size_t run_begin_ = 0;  // the keys that are equal to last_key_
  size_t run_end_ = 0;
  bool in_run_ = false;
  std::array<TermId, 4> last_key_;
  std::vector<bool> matched_;  // LeftOuter: for each key of the run

  bool is_open_ = false;
  bool exhausted_ = false;    // of the scan, or of the key
  bool has_one_key_ = false;  // the reader gives the rows of last_key_ alone
  bool is_dense_ = false;     // a key was among the rows that were read for the one before
  int lookups_since_probe_ = 0;
  size_t read_size_ = smallest_read;
  size_t position_ = 0;  // in what the reader has read
  size_t size_ = 0;

  std::vector<uint32_t> emitted_;  // the left row of each row of the output
  size_t gathered_ = 0;
  std::vector<Override> overrides_;
};

}  // namespace

OperatorPointer make_index_join(const plan::Plan& plan, OperatorPointer left, RunState& run) {
  return std::make_unique<IndexJoin>(plan, std::move(left), run);
}

}  // namespace quadrille::exec
