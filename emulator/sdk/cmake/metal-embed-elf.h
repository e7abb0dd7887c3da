// Included before assembly that embeds a Metal library for Mach-O, so that it assembles for ELF: the two
// names of a section become one, and symbols lose the leading underscore of Mach-O.
#define __DATA .rodata.metallib
#define __ggml_metallib "a"
#define _ggml_metallib_start ggml_metallib_start
#define _ggml_metallib_end ggml_metallib_end
