// Put in front of assembly that embeds a Metal library for Mach-O, so that it assembles for ELF: the section's two names
// become one, and symbols lose the underscore that Mach-O's have.
#define __DATA .rodata.metallib
#define __ggml_metallib "a"
#define _ggml_metallib_start ggml_metallib_start
#define _ggml_metallib_end ggml_metallib_end
