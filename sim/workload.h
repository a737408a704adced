// What clients ask of the sites: SPARQL updates that conflict, and what each must have asserted.
//
// Subjects are numbered by K, below `keys`:
//   <urn:sim:shelf/K> <urn:sim:holds> "N"             inserted and erased; with odd K <urn:sim:lends>
//   <urn:sim:pair/K> <urn:sim:left>, <urn:sim:right> "N"     written and erased together, in one transaction
//   <urn:sim:person/K> <urn:sim:name> "ams 17"        a value that was never written before, or none
//   <urn:sim:account/K> <urn:sim:balance> N           increments; each adds an entry
//   <urn:sim:account/K> <urn:sim:entry> "ams-17 +5"   that says by how much
//   <urn:sim:bulk/ams-17/300> <urn:sim:item> 0 to 299 written in one transaction, perhaps erased in one
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/checks/history.h"
#include "sim/random_stream.h"
#include "sim/scenario.h"

namespace quadrille::sim {

inline constexpr const char* iri_holds = "urn:sim:holds";
inline constexpr const char* iri_lends = "urn:sim:lends";
inline constexpr const char* iri_left = "urn:sim:left";
inline constexpr const char* iri_right = "urn:sim:right";
inline constexpr const char* iri_name = "urn:sim:name";
inline constexpr const char* iri_balance = "urn:sim:balance";
inline constexpr const char* iri_entry = "urn:sim:entry";
inline constexpr const char* iri_item = "urn:sim:item";
inline constexpr int64_t opening_balance = 100;

// The accounts, each with its opening balance: one request, of one site, before all others.
std::string open_accounts(uint64_t keys);

// What a request asserts for certain: of INSERT DATA and DELETE DATA, each quad. Nothing where it has other operations
// too, or blank nodes.
std::vector<checks::RecordedAssertion> assertions_of(const std::string& text);

// The clients of one site.
class Workload {
 public:
  Workload(const WorkloadSetup& setup, std::string site, uint64_t seed)
      : setup_(setup), random_(seed, "clients of " + site), reads_(seed, "reads at " + site), site_(std::move(site)) {}

  std::string next_update();
  int64_t until_next_update_us() { return pause_us(setup_.updates_per_second, random_); }
  int64_t until_next_read_us() { return pause_us(setup_.reads_per_second, reads_); }

 private:
  static int64_t pause_us(double per_second, RandomStream& random);
  std::string subject(const char* kind, uint64_t key) const;
  std::string shelf(bool exists);
  std::string pair();
  std::string set_value();
  std::string increment();
  std::string bulk();

  const WorkloadSetup& setup_;
  RandomStream random_;
  RandomStream reads_;
  std::string site_;
  uint64_t number_ = 0;    // of the request
  std::string last_bulk_;  // written and not yet erased
};

}  // namespace quadrille::sim
