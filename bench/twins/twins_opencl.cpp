// The twins on pocl, which is OpenCL on the CPU; see measure.h. A program of its own because pocl brings an
// LLVM of its own, which must not meet Assay's in one process.
//
// Options: --device alone prints pocl's device and version. --oclgrind comes first and takes Oclgrind's
// device instead: it interprets, so a way is run once, timed, and judged after that.
#include "measure.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

using namespace assay::twins;

void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with OpenCL's error " + std::to_string(code));
}

bool onOclgrind = false;

cl_device_id chosenDevice() {
  const char *const wanted = onOclgrind ? "Oclgrind" : "Portable Computing Language";
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
    count = 0;
  for (cl_uint i = 0; i < std::min(count, 16u); ++i) {
    char name[200] = {};
    check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr), "clGetPlatformInfo");
    cl_device_id device;
    if (std::strcmp(name, wanted) == 0 &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  throw std::runtime_error(onOclgrind ? "this is not run by the program oclgrind"
                                      : "OpenCL's loader finds no pocl");
}

std::string info(cl_device_id device, cl_device_info what) {
  char text[1000] = {};
  check(clGetDeviceInfo(device, what, sizeof text, text, nullptr), "clGetDeviceInfo");
  return text;
}

/// A twin that is compiled and bound. Everything lives until the process ends.
class OpenClWay {
public:
  explicit OpenClWay(const Twin &twin) : twin_(twin) {
    device_ = chosenDevice();
    cl_int code;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    check(code, "clCreateCommandQueue");
    build();
    for (cl_uint i = 0; i < twin.arguments.size(); ++i)
      bind(i, twin.arguments[i]);
    if (twin.localBytes != 0)
      check(clSetKernelArg(kernel_, cl_uint(twin.arguments.size()), twin.localBytes, nullptr),
            "clSetKernelArg");
  }

  void run() {
    const auto &[groups, items] = twin_.opencl;
    const size_t group[3] = {items.x, items.y, items.z};
    const size_t all[3] = {groups.x * group[0], groups.y * group[1], groups.z * group[2]};
    check(clEnqueueNDRangeKernel(queue_, kernel_, 3, nullptr, all, group, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue_), "clFinish");
  }

  std::vector<std::byte> result() {
    std::vector<std::byte> bytes(twin_.arguments[twin_.result].bytes.size());
    check(clEnqueueReadBuffer(queue_, result_, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return bytes;
  }

private:
  void build() {
    std::ifstream file(ASSAY_TWINS_ROOT "/bench/twins/" + twin_.openclFile());
    std::stringstream source;
    source << file.rdbuf();
    const std::string text = source.str();
    const char *lines = text.c_str();
    cl_int code;
    cl_program program = clCreateProgramWithSource(context_, 1, &lines, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device_, "-cl-std=CL1.2", nullptr, nullptr) != CL_SUCCESS) {
      std::string log(100000, '\0');
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error(twin_.openclFile() + ": " + log.c_str());
    }
    kernel_ = clCreateKernel(program, twin_.kernel.c_str(), &code);
    check(code, "clCreateKernel");
  }

  void bind(cl_uint index, const Argument &argument) {
    const void *bytes = argument.bytes.data();
    if (argument.isValue)
      return check(clSetKernelArg(kernel_, index, argument.bytes.size(), bytes), "clSetKernelArg");
    cl_int code;
    cl_mem memory = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, argument.bytes.size(),
                                   const_cast<void *>(bytes), &code);
    check(code, "clCreateBuffer");
    check(clSetKernelArg(kernel_, index, sizeof memory, &memory), "clSetKernelArg");
    if (index == twin_.result)
      result_ = memory;
  }

  const Twin &twin_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
  cl_kernel kernel_;
  cl_mem result_ = nullptr;
};

void onOpenCl(benchmark::State &state, const Twin &twin) try {
  OpenClWay way(twin);
  const auto judge = [&] {
    const std::string failure = mismatch(twin, way.result());
    if (!failure.empty())
      state.SkipWithError(failure.c_str());
    return failure.empty();
  };
  if (!onOclgrind) {
    way.run();
    if (!judge())
      return;
  }
  const Step step = [&] {
    way.run();
    return std::string();
  };
  measure(state, step, false, onOclgrind ? Clock::Processor : Clock::Wall);
  if (onOclgrind)
    judge();
} catch (const std::exception &error) {
  state.SkipWithError(error.what());
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "--oclgrind") == 0) {
    onOclgrind = true;
    std::rotate(argv + 1, argv + 2, argv + argc);
    return measureTwins(argc - 1, argv, {{"oclgrind", onOpenCl}});
  }
  if (argc == 2 && std::strcmp(argv[1], "--device") == 0) {
    try {
      const cl_device_id device = chosenDevice();
      std::printf("%s, %s\n", info(device, CL_DEVICE_NAME).c_str(), info(device, CL_DEVICE_VERSION).c_str());
      return 0;
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  return measureTwins(argc, argv, {{"pocl", onOpenCl}});
}
