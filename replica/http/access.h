// Who may do what over HTTP: tokens with roles, and pages of other origins.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "replica/http/message.h"
#include "replica/site/http_config.h"

namespace quadrille::http {

// Immutable. Callable from any thread.
class AccessRules {
 public:
  explicit AccessRules(replica::HttpConfig config) : config_(std::move(config)) {}

  // The role of who sends this, by "Authorization: Bearer TOKEN" or by Basic with the token as the password; or 401.
  // All tokens are compared, in the same time whichever it is.
  std::variant<replica::Role, Response> role_of(const Request& request) const;

  // A page of another site that a browser shows may not use this one, unless its origin is allowed; or 403. Adds to
  // `headers` what tells the browser that it may.
  std::optional<Response> check_origin(const Request& request, std::vector<Header>& headers) const;

 private:
  replica::HttpConfig config_;
};

// Another role is needed: 403, or 401 where no token came.
Response role_refusal(const Request& request, replica::Role wanted);

}  // namespace quadrille::http
