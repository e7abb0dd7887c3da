# CMake reads this after MLX's project(), for scripts/mlx-tests. MLX builds its Metal back-end, its fences and
# its kernels for tensors ("NAX") on macOS alone, after it has asked the machine for its version and for that
# of its SDK, which the SDK's tools answer. Then it takes the folder of metal-cpp, whose stand-in says Linux
# again: everything else, such as what the CPU back-end is compiled with, is Linux's. The platform's own
# settings, which project() has chosen, are Linux's throughout.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_OSX_DEPLOYMENT_TARGET "") # on a Mac it is always set, to nothing if nobody chose one
