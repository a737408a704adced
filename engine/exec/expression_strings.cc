// Functions on strings. https://www.w3.org/TR/sparql11-query/#func-strings
#include <cmath>

#include "engine/exec/call.h"
#include "engine/model/utf8.h"
#include "engine/model/vocabulary.h"

namespace quadrille::exec {

using model::Term;
using sparql::Function;

std::optional<Term> string_argument(TermId id, const TransientTerms& terms) {
  if (id.is_inline() || id.tag() == model::TermTag::Iri || id.tag() == model::TermTag::BlankNode) return std::nullopt;
  Term term = terms.term(id);
  if (!term.is_plain_string() && term.language().empty()) return std::nullopt;
  return term;
}

namespace {

// A string with the language of another.
Term with_language_of(const Term& model, std::string text) {
  return model.language().empty() ? Term::literal(std::move(text))
                                  : Term::language_literal(std::move(text), std::string(model.language()));
}

// Section 17.4.3.1.2: the second argument is plain, or of the same language.
bool are_compatible(const Term& first, const Term& second) {
  return second.is_plain_string() || first.language() == second.language();
}

template <class F>
ExpressionPointer on_string(Arguments& arguments, RunState& run, F f) {
  return per_row<1>(std::move(arguments), [&terms = run.terms, f](TermId id) {
    const auto text = string_argument(id, terms);
    return text ? f(*text, terms) : TermId();
  });
}

template <class F>
ExpressionPointer on_strings(Arguments& arguments, RunState& run, F f) {
  return per_row<2>(std::move(arguments), [&terms = run.terms, f](TermId left, TermId right) {
    const auto first = string_argument(left, terms);
    const auto second = string_argument(right, terms);
    return first && second && are_compatible(*first, *second) ? f(*first, *second, terms) : TermId();
  });
}

// Case mapping of the Latin, Greek and Cyrillic letters that map one to one; what has no such pair stays.
char32_t other_case(char32_t c, bool upper) {
  if (c < 0x80) {
    if (upper) return c >= 'a' && c <= 'z' ? c - 32 : c;
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
  }
  const auto in = [&](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (upper) {
    if (in(0xE0, 0xFE) && c != 0xF7) return c - 32;
    if (c == 0xFF) return 0x178;
    if (in(0x3B1, 0x3C9) && c != 0x3C2) return c - 32;
    if (in(0x430, 0x44F)) return c - 32;
    if (in(0x450, 0x45F)) return c - 80;
  } else {
    if (in(0xC0, 0xDE) && c != 0xD7) return c + 32;
    if (c == 0x178) return 0xFF;
    if (in(0x391, 0x3A9)) return c + 32;
    if (in(0x410, 0x42F)) return c + 32;
    if (in(0x400, 0x40F)) return c + 80;
  }
  const bool even_is_upper = in(0x100, 0x137) || in(0x14A, 0x177) || in(0x1DE, 0x1EE) || in(0x1F8, 0x21E) ||
                             in(0x222, 0x233) || in(0x460, 0x481) || in(0x48A, 0x4BF) || in(0x4D0, 0x52F) ||
                             in(0x1E00, 0x1E95) || in(0x1EA0, 0x1EFF);
  const bool odd_is_upper = in(0x139, 0x148) || in(0x179, 0x17E);
  if (c == 0x130 || c == 0x131) return c;
  if (even_is_upper) return upper ? c & ~char32_t{1} : c | 1;
  if (odd_is_upper) return upper ? ((c - 1) | 1) : ((c + 1) & ~char32_t{1});
  return c;
}

std::string change_case(const std::string& text, bool upper) {
  std::string changed;
  changed.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const auto c = model::decode_utf8(rest);
    if (c.size == 0) {
      changed.push_back(rest.front());
      rest.remove_prefix(1);
      continue;
    }
    model::append_utf8(changed, other_case(c.value, upper));
    rest.remove_prefix(c.size);
  }
  return changed;
}

// The byte at which the code point number `index` begins, or the end.
size_t byte_of(std::string_view text, uint64_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  return at;
}

// XPath fn:substring: positions from 1, rounded, ranges beyond the text are cut.
std::string substring(std::string_view text, double start, double length) {
  const double first = std::floor(start + 0.5);
  const double end = first + std::floor(length + 0.5);
  const double from = std::max(first, 1.0);
  if (!(end > from)) return {};  // also for NaN
  const auto size = static_cast<double>(model::count_code_points(text));
  if (from > size) return {};
  const size_t begin = byte_of(text, static_cast<uint64_t>(from) - 1);
  const double count = std::min(end, size + 1) - from;
  const std::string_view rest = text.substr(begin);
  return std::string(rest.substr(0, byte_of(rest, static_cast<uint64_t>(count))));
}

std::optional<double> number(TermId id, const TransientTerms& terms) {
  const model::Value value = terms.value(id);
  if (!value.is_numeric()) return std::nullopt;
  return value.to_double();
}

std::string encoded_for_uri(const std::string& text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
                       byte == '-' || byte == '_' || byte == '.' || byte == '~';
    if (plain) {
      encoded.push_back(c);
    } else {
      encoded.push_back('%');
      encoded.push_back(digits[byte >> 4]);
      encoded.push_back(digits[byte & 15]);
    }
  }
  return encoded;
}

// CONCAT: any number of strings; their language stays if all have the same.
class Concat final : public ExpressionNode {
 public:
  Concat(Arguments arguments, RunState& run) : arguments_(std::move(arguments)), run_(run) {}
  const Column& evaluate(const Batch& batch) override {
    std::vector<const Column*> columns;
    for (const auto& argument : arguments_) columns.push_back(&argument->evaluate(batch));
    out_.resize(batch.rows());
    for (size_t row = 0; row < batch.rows(); ++row) out_[row] = concat(columns, row);
    return out_;
  }

 private:
  TermId concat(const std::vector<const Column*>& columns, size_t row) {
    std::string text;
    std::optional<std::string> language;
    for (const Column* column : columns) {
      const TermId id = (*column)[row];
      const auto part = id.is_bound() ? string_argument(id, run_.terms) : std::nullopt;
      if (!part) return TermId();
      text += part->text();
      if (!language) language = std::string(part->language());
      if (*language != part->language()) language = "";
    }
    if (!language || language->empty()) return run_.terms.pass(Term::literal(std::move(text)));
    return run_.terms.pass(Term::language_literal(std::move(text), *language));
  }

  Arguments arguments_;
  RunState& run_;
  Column out_;
};

// RFC 4647 section 3.3.1, basic filtering; "*" matches any tag that is there.
bool language_matches(std::string_view tag, std::string range) {
  for (char& c : range) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (range == "*") return !tag.empty();
  std::string lower(tag);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower == range || (lower.size() > range.size() && lower.starts_with(range) && lower[range.size()] == '-');
}

ExpressionPointer make_two_strings_call(Function function, Arguments& arguments, RunState& run) {
  switch (function) {
    case Function::StrStarts:
      return on_strings(arguments, run, [](const Term& text, const Term& part, TransientTerms&) {
        return boolean_id(text.text().starts_with(part.text()));
      });
    case Function::StrEnds:
      return on_strings(arguments, run, [](const Term& text, const Term& part, TransientTerms&) {
        return boolean_id(text.text().ends_with(part.text()));
      });
    case Function::Contains:
      return on_strings(arguments, run, [](const Term& text, const Term& part, TransientTerms&) {
        return boolean_id(text.text().find(part.text()) != std::string::npos);
      });
    case Function::StrBefore:
      return on_strings(arguments, run, [](const Term& text, const Term& part, TransientTerms& terms) {
        const size_t at = text.text().find(part.text());
        if (at == std::string::npos) return terms.pass(Term::literal(""));
        return terms.pass(with_language_of(text, text.text().substr(0, at)));
      });
    case Function::StrAfter:
      return on_strings(arguments, run, [](const Term& text, const Term& part, TransientTerms& terms) {
        const size_t at = text.text().find(part.text());
        if (at == std::string::npos) return terms.pass(Term::literal(""));
        return terms.pass(with_language_of(text, text.text().substr(at + part.text().size())));
      });
    case Function::LangMatches:
      return on_strings(arguments, run, [](const Term& tag, const Term& range, TransientTerms&) {
        return boolean_id(language_matches(tag.text(), range.text()));
      });
    default: return nullptr;
  }
}

ExpressionPointer make_substring_call(Arguments& arguments, RunState& run) {
  auto& terms = run.terms;
  const auto cut = [&terms](TermId text_id, TermId start_id, double length) {
    const auto text = string_argument(text_id, terms);
    const auto start = number(start_id, terms);
    if (!text || !start) return TermId();
    return terms.pass(with_language_of(*text, substring(text->text(), *start, length)));
  };
  if (arguments.size() == 2) {
    return per_row<2>(std::move(arguments), [cut](TermId text, TermId start) { return cut(text, start, INFINITY); });
  }
  return per_row<3>(std::move(arguments), [cut, &terms](TermId text, TermId start, TermId length) {
    const auto count = number(length, terms);
    return count ? cut(text, start, *count) : TermId();
  });
}

}  // namespace

ExpressionPointer make_string_call(Function function, Arguments& arguments, RunState& run) {
  switch (function) {
    case Function::StrLen:
      return on_string(arguments, run, [](const Term& text, TransientTerms&) {
        return integer_id(static_cast<int64_t>(model::count_code_points(text.text())));
      });
    case Function::UCase:
      return on_string(arguments, run, [](const Term& text, TransientTerms& terms) {
        return terms.pass(with_language_of(text, change_case(text.text(), true)));
      });
    case Function::LCase:
      return on_string(arguments, run, [](const Term& text, TransientTerms& terms) {
        return terms.pass(with_language_of(text, change_case(text.text(), false)));
      });
    case Function::EncodeForUri:
      return on_string(arguments, run, [](const Term& text, TransientTerms& terms) {
        return terms.pass(Term::literal(encoded_for_uri(text.text())));
      });
    case Function::Substr: return make_substring_call(arguments, run);
    case Function::Concat: return std::make_unique<Concat>(std::move(arguments), run);
    default: return make_two_strings_call(function, arguments, run);
  }
}

}  // namespace quadrille::exec
