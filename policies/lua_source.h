// Lua text made fit for policies, before it is compiled.
//
// Two operators of Lua may differ between sites: `#` of a table with holes finds one of several ends, which depends on
// where its keys were hashed, and so on chance and addresses; `^` is the C library's pow(), whose last bit depends on
// the processor. Neither can be replaced in a running Lua. So `^` is refused, and each `#x` becomes `__length^x`, which
// binds alike, where __length is an object whose operator ^ finds one end always (lua_sandbox.cc).
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace quadrille::policies {

// The local variable that each policy begins with; its value is the chunk's first argument.
inline constexpr std::string_view length_name = "__length";

// InvalidInput, with its line: an operator ^, or the name __length. Text that is no Lua comes out as some text that is
// no Lua either; the compiler says so. Lines stay where they are.
base::Result<std::string> prepare_lua(std::string_view source);

}  // namespace quadrille::policies
