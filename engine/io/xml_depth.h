// How deep the elements of an XML document nest, seen from its bytes as they come, before a parser gets them that
// would take time or stack for each level. Says nothing about what is well-formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quadrille::io {

class XmlDepth {
 public:
  // The deepest that elements nested within these bytes, which follow those of the calls before.
  size_t follow(std::string_view bytes) {
    size_t deepest = depth_;
    for (const char c : bytes) {
      follow(c);
      if (depth_ > deepest) deepest = depth_;
    }
    return deepest;
  }

 private:
  enum class Place : uint8_t { Text, Opened, Start, StartQuoted, End, Declaration, Quoted, Comment, Data, Instruction };

  void follow(char c) {
    switch (place_) {
      case Place::Text:
        if (c == '<') enter(Place::Opened);
        return;
      case Place::Opened: return open(c);
      case Place::Start:
        if (c == '"' || c == '\'') return quote(c, Place::StartQuoted);
        if (c == '>') {
          if (last_ != '/') ++depth_;
          place_ = Place::Text;
        }
        break;
      case Place::StartQuoted:
        if (c == quote_) place_ = Place::Start;
        break;
      case Place::End:
        if (c == '>') {
          if (depth_ > 0) --depth_;
          place_ = Place::Text;
        }
        return;
      case Place::Declaration: return declare(c);
      case Place::Quoted:
        if (c == quote_) place_ = Place::Declaration;
        return;
      case Place::Comment:
        if (c == '>' && last_ == '-' && before_last_ == '-') place_ = Place::Text;
        break;
      case Place::Data:
        if (c == '>' && last_ == ']' && before_last_ == ']') place_ = Place::Text;
        break;
      case Place::Instruction:
        if (c == '>' && last_ == '?') place_ = Place::Text;
        break;
    }
    remember(c);
  }

  void open(char c) {
    if (c == '/') return enter(Place::End);
    if (c == '!') return enter(Place::Declaration);
    enter(c == '?' ? Place::Instruction : Place::Start);
    remember(c);
  }

  void declare(char c) {
    if (last_ == 0 && c == '[') return enter(Place::Data);
    if (last_ == '-' && before_last_ == 0 && c == '-') return enter(Place::Comment);
    // The subset of a DOCTYPE holds declarations of its own: they are passed over as text would be.
    if (c == '>' || (c == '[' && last_ != 0)) return enter(Place::Text);
    if (c == '"' || c == '\'') quote(c, Place::Quoted);
    remember(c);
  }

  void enter(Place place) {
    place_ = place;
    last_ = before_last_ = 0;
  }
  void quote(char c, Place place) {
    quote_ = c;
    place_ = place;
  }
  void remember(char c) {
    before_last_ = last_;
    last_ = c;
  }

  size_t depth_ = 0;
  Place place_ = Place::Text;
  char quote_ = 0;
  char last_ = 0;
  char before_last_ = 0;
};

}  // namespace quadrille::io
