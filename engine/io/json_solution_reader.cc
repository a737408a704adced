// https://www.w3.org/TR/sparql11-results-json/
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/io/solution_reader.h"
#include "engine/io/solution_terms.h"
#include "engine/model/utf8.h"

namespace quadrille::io {
namespace {

using nlohmann::json;

// Follows the parser's events. Where nothing of ours is, everything is passed over, however deep.
class JsonSolutions final : public nlohmann::json_sax<json> {
 public:
  explicit JsonSolutions(SolutionSink& sink) : sink_(sink) {}

  base::Result<void> result(bool is_parsed) && {
    if (error_) return std::move(*error_);
    if (!is_parsed) return bad_solutions("the answer", "JSON");
    if (!has_bindings_) return bad_solutions("the answer", "results.bindings, as of a SELECT");
    return {};
  }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }

  bool string(string_t& text) override {
    if (at() != Place::Term) return value();
    if (key_ == "type") pieces_.type = std::move(text);
    if (key_ == "value") pieces_.text = std::move(text);
    if (key_ == "xml:lang") pieces_.language = std::move(text);
    if (key_ == "datatype") pieces_.datatype = std::move(text);
    return true;
  }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool start_object(size_t) override {
    switch (at()) {
      case Place::Outside: return enter(places_.empty() ? Place::Document : Place::Outside);
      case Place::Document: return enter(key_ == "results" ? Place::Results : Place::Outside);
      case Place::Bindings:
        ++number_;
        solution_.clear();
        return enter(Place::Solution);
      case Place::Solution:
        pieces_ = {};
        pieces_.variable = key_;
        return enter(Place::Term);
      default: return enter(Place::Outside);
    }
  }
  bool start_array(size_t) override {
    if (at() == Place::Bindings || at() == Place::Solution || at() == Place::Term) return value();
    const bool is_bindings = at() == Place::Results && key_ == "bindings";
    has_bindings_ = has_bindings_ || is_bindings;
    return enter(is_bindings ? Place::Bindings : Place::Outside);
  }
  bool end_array() override { return leave(); }
  bool end_object() override {
    if (at() == Place::Term) {
      std::string variable = pieces_.variable;
      auto term = make_term(std::move(pieces_), number_);
      if (!term.ok()) return fail(term.error());
      solution_.emplace_back(std::move(variable), std::move(term).value());
    }
    if (at() == Place::Solution) {
      if (auto added = sink_.add(solution_); !added.ok()) return fail(added.error());
    }
    return leave();
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return fail(bad_solutions(fmt::format("byte {}", position), "JSON"));
  }

 private:
  enum class Place : uint8_t { Outside, Document, Results, Bindings, Solution, Term };

  Place at() const noexcept { return places_.empty() ? Place::Outside : places_.back(); }
  bool enter(Place place) {
    places_.push_back(place);
    return true;
  }
  bool leave() {
    places_.pop_back();
    return true;
  }
  // A value that is no object, where there may be one.
  bool value() {
    if (at() == Place::Bindings) return fail(bad_solutions(fmt::format("solution {}", number_ + 1), "an object"));
    if (at() == Place::Solution) {
      return fail(bad_solutions(fmt::format("solution {}, ?{}", number_, model::describe_text(key_)), "an object"));
    }
    if (at() == Place::Term && (key_ == "type" || key_ == "value" || key_ == "xml:lang" || key_ == "datatype")) {
      return fail(bad_solutions(fmt::format("solution {}, ?{}", number_, model::describe_text(pieces_.variable)),
                                fmt::format("a string as {}", key_)));
    }
    return true;
  }
  bool fail(base::Error error) {
    if (!error_) error_ = std::move(error);
    return false;
  }

  SolutionSink& sink_;
  std::optional<base::Error> error_;
  std::vector<Place> places_;
  std::string key_;
  bool has_bindings_ = false;
  size_t number_ = 0;
  TermPieces pieces_;
  std::vector<std::pair<std::string, model::Term>> solution_;
};

}  // namespace

base::Result<void> read_json_solutions(std::string_view document, SolutionSink& sink) {
  JsonSolutions reader(sink);
  const bool is_parsed = json::sax_parse(document.begin(), document.end(), &reader);
  return std::move(reader).result(is_parsed);
}

}  // namespace quadrille::io
