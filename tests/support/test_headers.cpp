// Owns the precompiled headers of tests (tests/CMakeLists.txt), which must belong to a program with a source.
int main() {}
