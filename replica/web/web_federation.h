// SERVICE and LOAD over HTTP. https://www.w3.org/TR/sparql11-protocol/
#pragma once

#include <cstdint>

#include "replica/site/federation.h"
#include "replica/site/site_config.h"
#include "replica/web/web_client.h"

namespace quadrille::web {

// Sends a query by POST as a form, which every endpoint takes; reads JSON or XML, whichever comes.
class WebServiceClient final : public exec::ServiceClient {
 public:
  WebServiceClient(WebClient& client, uint64_t answer_bytes_max)
      : client_(client), answer_bytes_max_(answer_bytes_max) {}
  base::Result<void> ask(const exec::ServiceRequest& request, exec::ServiceSolutions& solutions) override;

 private:
  WebClient& client_;
  const uint64_t answer_bytes_max_;
};

// The Content-Type says what a document is; where that is missing or says nothing (text/plain,
// application/octet-stream), the ending of its path.
class WebDocumentClient final : public replica::DocumentClient {
 public:
  WebDocumentClient(WebClient& client, uint64_t document_bytes_max)
      : client_(client), document_bytes_max_(document_bytes_max) {}
  base::Result<replica::FetchedDocument> fetch(const replica::DocumentRequest& request) override;

 private:
  WebClient& client_;
  const uint64_t document_bytes_max_;
};

// What a process hands its site, as configured. The clock outlives it.
class WebFederation {
 public:
  // The configuration was checked when it was read.
  WebFederation(const replica::FederationConfig& config, const base::SteadyClock& clock)
      : client_(config.allow, clock),
        services_(client_, static_cast<uint64_t>(config.answer_mb) << 20),
        documents_(client_, static_cast<uint64_t>(config.document_mb) << 20) {}
  WebFederation(const WebFederation&) = delete;
  WebFederation& operator=(const WebFederation&) = delete;

  replica::Federation federation() noexcept { return {&services_, &documents_}; }

 private:
  WebClient client_;
  WebServiceClient services_;
  WebDocumentClient documents_;
};

}  // namespace quadrille::web
