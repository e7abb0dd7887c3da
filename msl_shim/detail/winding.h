// Which triangles face the viewer: for draws and for rays. source: MSL specification, section 6.18.3.
#pragma once
#pragma clang system_header

namespace metal {
enum class winding { clockwise, counterclockwise };
} // namespace metal
