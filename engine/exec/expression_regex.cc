// REGEX and REPLACE by PCRE2, with the flags of XPath (https://www.w3.org/TR/xpath-functions/#flags).
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>

#include "engine/exec/call.h"

namespace quadrille::exec {

using model::Term;
using sparql::Function;

namespace {

// How much a match may backtrack, so that a hostile pattern cannot hold the engine.
constexpr uint32_t match_limit = 1'000'000;
constexpr uint32_t depth_limit = 10'000;

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

// A compiled pattern, kept while pattern and flags stay the same from row to row.
class Pattern {
 public:
  Pattern() : context_(pcre2_match_context_create(nullptr)) {
    pcre2_set_match_limit(context_.get(), match_limit);
    pcre2_set_depth_limit(context_.get(), depth_limit);
  }

  // False if the pattern or a flag is not one.
  bool prepare(const std::string& pattern, const std::string& flags) {
    if (is_prepared_ && pattern == pattern_ && flags == flags_) return code_ != nullptr;
    is_prepared_ = true;
    pattern_ = pattern;
    flags_ = flags;
    code_.reset();
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY;
    is_literal_ = false;
    for (const char flag : flags) {
      switch (flag) {
        case 'i': options |= PCRE2_CASELESS; break;
        case 's': options |= PCRE2_DOTALL; break;
        case 'm': options |= PCRE2_MULTILINE; break;
        case 'x': options |= PCRE2_EXTENDED; break;
        case 'q': is_literal_ = true; break;
        default: return false;
      }
    }
    if (is_literal_) options = (options & (PCRE2_UTF | PCRE2_CASELESS)) | PCRE2_LITERAL;
    int error = 0;
    PCRE2_SIZE where = 0;
    code_.reset(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options, &error, &where, nullptr));
    if (!code_) return false;
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
    match_.reset(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    return true;
  }

  // Whether there is a match from `start` on; negative other than NOMATCH: it was too much work.
  int match(const std::string& text, size_t start, uint32_t options = 0) {
    return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), start, options,
                       match_.get(), context_.get());
  }
  // Of the last match: where group `number` begins and ends; false if it took no part.
  bool group(uint32_t number, size_t& begin, size_t& end) const {
    if (number >= pcre2_get_ovector_count(match_.get())) return false;
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match_.get());
    begin = ends[2 * number];
    end = ends[2 * number + 1];
    return begin != PCRE2_UNSET;
  }
  bool is_literal() const noexcept { return is_literal_; }

 private:
  bool is_prepared_ = false;
  bool is_literal_ = false;
  std::string pattern_;
  std::string flags_;
  std::unique_ptr<pcre2_code, FreeCode> code_;
  std::unique_ptr<pcre2_match_data, FreeMatch> match_;
  std::unique_ptr<pcre2_match_context, FreeContext> context_;
};

// Appends the replacement with $1 .. $9 filled in; false where it is not one (XPath: err:FORX0004).
bool expand(const Pattern& pattern, const std::string& text, const std::string& replacement, std::string& out) {
  if (pattern.is_literal()) {
    out += replacement;
    return true;
  }
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    if (c != '\\' && c != '$') {
      out.push_back(c);
      continue;
    }
    if (++i == replacement.size()) return false;
    const char next = replacement[i];
    if (c == '\\') {
      if (next != '\\' && next != '$') return false;
      out.push_back(next);
      continue;
    }
    if (next < '0' || next > '9') return false;
    size_t begin = 0;
    size_t end = 0;
    if (pattern.group(static_cast<uint32_t>(next - '0'), begin, end)) out.append(text, begin, end - begin);
  }
  return true;
}

// Nothing on errors, one of them a pattern that matches nothing at all (XPath: err:FORX0003).
std::optional<std::string> replace_all(Pattern& pattern, const std::string& text, const std::string& replacement) {
  std::string out;
  size_t at = 0;
  while (at <= text.size()) {
    const int found = pattern.match(text, at);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) return std::nullopt;
    size_t begin = 0;
    size_t end = 0;
    pattern.group(0, begin, end);
    if (begin == end || begin < at) return std::nullopt;
    out.append(text, at, begin - at);
    if (!expand(pattern, text, replacement, out)) return std::nullopt;
    at = end;
  }
  out.append(text, at, std::string::npos);
  return out;
}

TermId regex(Pattern& pattern, TermId text_id, TermId pattern_id, const std::string& flags, TransientTerms& terms) {
  const auto text = string_argument(text_id, terms);
  const Term expression = terms.term(pattern_id);
  if (!text || !expression.is_plain_string() || !pattern.prepare(expression.text(), flags)) return TermId();
  const int found = pattern.match(text->text(), 0);
  if (found < 0 && found != PCRE2_ERROR_NOMATCH) return TermId();
  return boolean_id(found >= 0);
}

TermId replace(Pattern& pattern, TermId text_id, TermId pattern_id, TermId replacement_id, const std::string& flags,
               TransientTerms& terms) {
  const auto text = string_argument(text_id, terms);
  const Term expression = terms.term(pattern_id);
  const Term replacement = terms.term(replacement_id);
  if (!text || !expression.is_plain_string() || !replacement.is_plain_string()) return TermId();
  if (!pattern.prepare(expression.text(), flags)) return TermId();
  auto replaced = replace_all(pattern, text->text(), replacement.text());
  if (!replaced) return TermId();
  return terms.pass(text->language().empty()
                        ? Term::literal(std::move(*replaced))
                        : Term::language_literal(std::move(*replaced), std::string(text->language())));
}

}  // namespace

ExpressionPointer make_regex_call(Function function, Arguments& arguments, RunState& run) {
  auto& terms = run.terms;
  const auto pattern = std::make_shared<Pattern>();
  if (function == Function::Regex && arguments.size() == 2) {
    return per_row<2>(std::move(arguments), [&terms, pattern](TermId text, TermId expression) {
      return regex(*pattern, text, expression, {}, terms);
    });
  }
  if (function == Function::Regex) {
    return per_row<3>(std::move(arguments), [&terms, pattern](TermId text, TermId expression, TermId flags) {
      const Term letters = terms.term(flags);
      return letters.is_plain_string() ? regex(*pattern, text, expression, letters.text(), terms) : TermId();
    });
  }
  if (function == Function::Replace && arguments.size() == 3) {
    return per_row<3>(std::move(arguments), [&terms, pattern](TermId text, TermId expression, TermId replacement) {
      return replace(*pattern, text, expression, replacement, {}, terms);
    });
  }
  if (function == Function::Replace) {
    return per_row<4>(std::move(arguments),
                      [&terms, pattern](TermId text, TermId expression, TermId replacement, TermId flags) {
                        const Term letters = terms.term(flags);
                        if (!letters.is_plain_string()) return TermId();
                        return replace(*pattern, text, expression, replacement, letters.text(), terms);
                      });
  }
  return nullptr;
}

}  // namespace quadrille::exec
