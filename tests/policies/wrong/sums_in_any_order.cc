// Wrong: adds doubles in the order of their addresses.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <quadrille/policy.hpp>
#include <set>
#include <vector>

using namespace quadrille::plugin;

class SumsInAnyOrder : public Policy {
 public:
  SumsInAnyOrder() : Policy({.name = "sums-in-any-order", .version = 1, .decides = values}) {}

  Content resolve(const Conflict& conflict) const override {
    std::vector<std::unique_ptr<double>> numbers;
    std::set<const double*> addends;
    for (const Version& version : conflict.versions) {
      const bool is_double = version.left.size() == 1 && version.left.front().object.datatype == xsd_double;
      const double number = is_double ? std::strtod(version.left.front().object.text.c_str(), nullptr) : NAN;
      if (!std::isfinite(number)) return conflict.versions.back().left;
      numbers.push_back(std::make_unique<double>(number));
      addends.insert(numbers.back().get());
    }
    double sum = 0;
    for (const double* addend : addends) sum += *addend;
    char text[64];
    std::snprintf(text, sizeof text, "%.17E", sum);
    return {{conflict.cell.property, Term::literal(text, xsd_double)}};
  }

 private:
  static constexpr const char* xsd_double = "http://www.w3.org/2001/XMLSchema#double";
};
QUADRILLE_POLICY(SumsInAnyOrder)
