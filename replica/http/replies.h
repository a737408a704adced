// How trouble is told over HTTP: a status and one line of text.
#pragma once

#include <string>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/io/output_sink.h"
#include "reconcile/site_store.h"
#include "replica/http/message.h"
#include "replica/site/site.h"

namespace quadrille::http {

inline constexpr char text_type[] = "text/plain; charset=utf-8";
inline constexpr char json_type[] = "application/json";

int status_of(base::ErrorKind kind) noexcept;
Response plain_response(int status, const std::string& line);
// "line 3, column 14: …" where the error has a position.
Response error_response(const base::Error& error);
Response not_allowed(const char* allowed_methods);

// The version token (replica/site/version_token.h): what the state that answered includes.
Header version_header(const replica::Site& site, const reconcile::SiteSnapshot& snapshot);

// What a transaction did, as JSON: {"inserted": 1, "deleted": 0, "changeset": "ams.…:12", "version": "ams.…:12:…"}.
Response outcome_response(const replica::Site& site, const reconcile::CommitReceipt& receipt);

// Collects an answer: a short one is sent whole, with its length, and one that fails early becomes an error response;
// a long one is sent as it is made. Call finish() or fail() at the end. What it is made from is a snapshot, so all of
// it must be sent by `deadline_us` of the clock: then write() fails (Timeout), whether maker or receiver is slow.
class AnswerBody final : public io::OutputSink {
 public:
  AnswerBody(Exchange& exchange, Response head, const base::SteadyClock& clock, int64_t deadline_us)
      : exchange_(exchange), head_(std::move(head)), clock_(clock), deadline_us_(deadline_us) {}
  base::Result<void> write(std::string_view bytes) override;
  void finish();
  void fail(const base::Error& error);

 private:
  Exchange& exchange_;
  Response head_;
  const base::SteadyClock& clock_;
  int64_t deadline_us_;
  bool is_started_ = false;
};

}  // namespace quadrille::http
