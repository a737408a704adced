// What a site fetches from elsewhere: answers for SERVICE, documents for LOAD. Handed in by whoever makes the process;
// the simulator hands in nothing, and both are refused.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/exec/service_client.h"
#include "engine/io/rdf_format.h"

namespace quadrille::replica {

struct DocumentRequest {
  std::string iri;
  std::optional<int64_t> deadline_us = std::nullopt;  // by the site's steady clock
  const std::atomic<bool>* cancelled = nullptr;       // true: nobody wants it any more
};

struct FetchedDocument {
  std::string bytes;
  io::RdfFormat format = io::RdfFormat::Turtle;  // of triples
  std::string base_iri;                          // where it was found in the end
};

// Callable from any thread, by several at once.
class DocumentClient {
 public:
  virtual ~DocumentClient() = default;
  // Waits for the document. Bounded in size and time. An error names the document.
  virtual base::Result<FetchedDocument> fetch(const DocumentRequest& request) = 0;
};

// Absent parts refuse. What is there outlives the site.
struct Federation {
  exec::ServiceClient* services = nullptr;
  DocumentClient* documents = nullptr;
};

}  // namespace quadrille::replica
