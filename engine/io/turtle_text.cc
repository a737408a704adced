#include "engine/io/turtle_text.h"

#include "engine/model/vocabulary.h"

namespace quadrille::io {
namespace {

std::string_view skip_sign(std::string_view text) noexcept {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

// Removes leading digits and says how many there were.
size_t skip_digits(std::string_view& text) noexcept {
  size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  text.remove_prefix(count);
  return count;
}

}  // namespace

bool is_turtle_integer(std::string_view text) noexcept {
  text = skip_sign(text);
  return skip_digits(text) > 0 && text.empty();
}

bool is_turtle_decimal(std::string_view text) noexcept {
  text = skip_sign(text);
  skip_digits(text);
  if (text.empty() || text.front() != '.') return false;
  text.remove_prefix(1);
  return skip_digits(text) > 0 && text.empty();
}

bool is_turtle_double(std::string_view text) noexcept {
  text = skip_sign(text);
  size_t digits = skip_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    digits += skip_digits(text);
  }
  if (digits == 0 || text.empty() || (text.front() != 'e' && text.front() != 'E')) return false;
  text.remove_prefix(1);
  text = skip_sign(text);
  return skip_digits(text) > 0 && text.empty();
}

bool has_turtle_shorthand(const model::Term& term) noexcept {
  if (!term.is_literal()) return false;
  const std::string_view type = term.datatype();
  const std::string_view text = term.text();
  if (type == model::vocabulary::xsd_integer) return is_turtle_integer(text);
  if (type == model::vocabulary::xsd_decimal) return is_turtle_decimal(text);
  if (type == model::vocabulary::xsd_double) return is_turtle_double(text);
  if (type == model::vocabulary::xsd_boolean) return text == "true" || text == "false";
  return false;
}

void append_term(std::string& out, const model::Term& term, bool use_shorthand) {
  if (use_shorthand && has_turtle_shorthand(term)) {
    out += term.text();
  } else {
    model::append_ntriples(out, term);
  }
}

}  // namespace quadrille::io
