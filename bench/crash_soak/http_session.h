// Requests to one site over one connection that is kept. For one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace quadrille::crash_soak {

struct HttpAnswer {
  int status = 0;  // 0: the exchange broke off, or nobody answered
  std::string body;
};

class HttpSession {
 public:
  HttpSession();
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  HttpAnswer get(const std::string& url, const std::string& accept);
  HttpAnswer post(const std::string& url, const std::string& content_type, const std::string& body,
                  const std::string& accept = "*/*");

 private:
  HttpAnswer perform(const std::string& url, const std::vector<std::string>& headers, const std::string* body);

  void* handle_;  // curl's
};

}  // namespace quadrille::crash_soak
