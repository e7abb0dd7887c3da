# CMake reads this after MLX's project(), for scripts/mlx-tests. MLX builds its Metal back-end for Apple's
# systems only. For macOS its build file asks the machine for sw_vers, zsh and the version of an SDK; for iOS
# it asks for nothing. The platform's other settings, which project() has chosen, stay Linux's.
set(CMAKE_SYSTEM_NAME iOS)
