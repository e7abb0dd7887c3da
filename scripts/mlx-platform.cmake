# For scripts/mlx-tests, CMake reads this after MLX's project(). MLX builds its Metal back-end, its fences and
# its kernels for tensors ("NAX") only on macOS, so this file says that the system is macOS. MLX then asks for
# the versions of macOS and of its SDK, and the tools of Assay's SDK answer. Next it enters the folder of
# metal-cpp. The stand-in of that folder sets the system back to Linux, so that everything else, such as the
# options of the CPU back-end, is as on Linux. The settings that project() chose are those of Linux anyway.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_OSX_DEPLOYMENT_TARGET "") # on a Mac it is always set, to nothing if nobody chose one
