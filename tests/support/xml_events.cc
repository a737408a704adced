#include "tests/support/xml_events.h"

#include <expat.h>

#include <memory>
#include <type_traits>

namespace quadrille::test {
namespace {

const XmlEvents& events_of(void* user_data) { return *static_cast<const XmlEvents*>(user_data); }

void on_start(void* user_data, const XML_Char* name, const XML_Char** attributes) {
  XmlAttributes all;
  for (; attributes[0] != nullptr; attributes += 2) all[attributes[0]] = attributes[1];
  events_of(user_data).on_start(name, all);
}

void on_end(void* user_data, const XML_Char* name) { events_of(user_data).on_end(name); }

void on_text(void* user_data, const XML_Char* text, int size) {
  events_of(user_data).on_text({text, static_cast<size_t>(size)});
}

}  // namespace

base::Result<void> read_xml(std::string_view document, const XmlEvents& events) {
  // A NUL as separator: Expat then puts namespace and local name together.
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
      XML_ParserCreateNS(nullptr, '\0'), &XML_ParserFree);
  XML_SetUserData(parser.get(), const_cast<XmlEvents*>(&events));  // NOLINT: it comes back as const
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  if (XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), 1) == XML_STATUS_OK) return {};
  return base::Error{
      base::ErrorKind::InvalidInput, XML_ErrorString(XML_GetErrorCode(parser.get())),
      base::Position{XML_GetCurrentLineNumber(parser.get()), XML_GetCurrentColumnNumber(parser.get()) + 1}};
}

}  // namespace quadrille::test
