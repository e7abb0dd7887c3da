// Digests of bytes: XXH3, 128 bits, as 32 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace assay {

std::string hashBytes(std::string_view bytes);

} // namespace assay
