#include "engine/model/utf8.h"

#include <catch2/catch.hpp>
#include <string>

using namespace quadrille::model;

TEST_CASE("every character survives encoding and decoding") {
  for (char32_t c = 0; c <= 0x10FFFF; c += (c < 0x3000 ? 1 : 7)) {
    if (!is_scalar_value(c)) continue;
    std::string text;
    append_utf8(text, c);
    const DecodedCodePoint decoded = decode_utf8(text);
    if (decoded.value != c || decoded.size != text.size() || !is_valid_utf8(text))
      FAIL("U+" << std::hex << uint32_t{c});
  }
}

TEST_CASE("what is not UTF-8 is not taken for it") {
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    INFO(describe_text(bad));
    CHECK(decode_utf8(bad).size == 0);
    CHECK_FALSE(is_valid_utf8(bad));
    const std::string behind_ascii = std::string("0123456789abcdef") + bad;
    CHECK(valid_utf8_prefix(behind_ascii) == 16);
  }
}

TEST_CASE("the classes of name characters end where the grammar says") {
  CHECK(is_pn_chars_base('a'));
  CHECK_FALSE(is_pn_chars_base('_'));
  CHECK_FALSE(is_pn_chars_base(0xD7));
  CHECK(is_pn_chars_base(0xD8));
  CHECK(is_pn_chars_base(0xEFFFF));
  CHECK_FALSE(is_pn_chars_base(0xF0000));
  CHECK(is_pn_chars_u('_'));
  CHECK_FALSE(is_pn_chars_u('-'));
  CHECK(is_pn_chars('-'));
  CHECK(is_pn_chars(0xB7));
  CHECK(is_pn_chars(0x2040));
  CHECK_FALSE(is_pn_chars(':'));
  CHECK(is_local_name_escape('%'));
  CHECK_FALSE(is_local_name_escape('a'));
  CHECK_FALSE(is_local_name_escape('\0'));
}

TEST_CASE("columns count code points") { CHECK(count_code_points("a\xC3\xA9\xF0\x9F\x98\x80") == 3); }
