// Answers of a running site, in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"

namespace quadrille::cli {

// GET URL + path.
base::Result<std::string> fetch(const std::string& url, const std::string& path);

// Text of a member, whatever it is; empty if there is none.
std::string text_of(const nlohmann::ordered_json& json, const char* key);

// For what is no JSON, or has members that no site sends.
base::Error not_a_site(const std::string& url);

}  // namespace quadrille::cli
