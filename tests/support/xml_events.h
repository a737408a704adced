// An XML document as a series of calls. Over Expat, with namespaces resolved.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::test {

// Names are the namespace IRI and the local name, put together: "http://www.w3.org/1999/02/22-rdf-syntax-ns#about".
using XmlAttributes = std::map<std::string, std::string>;

struct XmlEvents {
  std::function<void(const std::string& name, const XmlAttributes& attributes)> on_start;
  std::function<void(const std::string& name)> on_end;
  std::function<void(std::string_view text)> on_text;
};

base::Result<void> read_xml(std::string_view document, const XmlEvents& events);

inline constexpr std::string_view xml_lang = "http://www.w3.org/XML/1998/namespacelang";

}  // namespace quadrille::test
