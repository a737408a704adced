#include "engine/model/datatype.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/model/vocabulary.h"

namespace quadrille::model {
namespace {

// Local names in alphabetical order, with the kind and the bounds as text.
struct Row {
  std::string_view local_name;
  ValueKind kind;
  std::string_view least;
  std::string_view greatest;
};
constexpr Row rows[] = {
    {"boolean", ValueKind::Boolean, {}, {}},
    {"byte", ValueKind::Integer, "-128", "127"},
    {"date", ValueKind::Date, {}, {}},
    {"dateTime", ValueKind::DateTime, {}, {}},
    {"dayTimeDuration", ValueKind::DayTimeDuration, {}, {}},
    {"decimal", ValueKind::Decimal, {}, {}},
    {"double", ValueKind::Double, {}, {}},
    {"float", ValueKind::Float, {}, {}},
    {"int", ValueKind::Integer, "-2147483648", "2147483647"},
    {"integer", ValueKind::Integer, {}, {}},
    {"long", ValueKind::Integer, "-9223372036854775808", "9223372036854775807"},
    {"negativeInteger", ValueKind::Integer, {}, "-1"},
    {"nonNegativeInteger", ValueKind::Integer, "0", {}},
    {"nonPositiveInteger", ValueKind::Integer, {}, "0"},
    {"positiveInteger", ValueKind::Integer, "1", {}},
    {"short", ValueKind::Integer, "-32768", "32767"},
    {"string", ValueKind::String, {}, {}},
    {"time", ValueKind::Time, {}, {}},
    {"unsignedByte", ValueKind::Integer, "0", "255"},
    {"unsignedInt", ValueKind::Integer, "0", "4294967295"},
    {"unsignedLong", ValueKind::Integer, "0", "18446744073709551615"},
    {"unsignedShort", ValueKind::Integer, "0", "65535"},
};

std::vector<Datatype> make_datatypes() {
  std::vector<Datatype> made;
  for (const Row& row : rows) {
    made.push_back({row.local_name, row.kind, row.least.empty() ? std::nullopt : Decimal::parse(row.least),
                    row.greatest.empty() ? std::nullopt : Decimal::parse(row.greatest)});
  }
  return made;
}

}  // namespace

const Datatype* find_datatype(std::string_view iri) {
  static const std::vector<Datatype> datatypes = make_datatypes();
  if (!iri.starts_with(vocabulary::xsd)) return nullptr;
  const std::string_view name = iri.substr(vocabulary::xsd.size());
  const auto found = std::lower_bound(datatypes.begin(), datatypes.end(), name,
                                      [](const Datatype& entry, std::string_view key) { return entry.name < key; });
  return found != datatypes.end() && found->name == name ? &*found : nullptr;
}

}  // namespace quadrille::model
