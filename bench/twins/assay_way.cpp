// Compiles a twin's Metal kernel and binds its arguments.
#include "assay_way.h"

namespace assay::twins {
namespace {

Size sizeOf(const Shape::Counts &counts) {
  return {counts.x, counts.y, counts.z};
}

std::string pathOf(const Twin &twin) {
  return twin.metalFile.starts_with('/') ? twin.metalFile : ASSAY_TWINS_ROOT "/" + twin.metalFile;
}

} // namespace

Result<AssayWay> AssayWay::make(const Twin &twin, Engine engine, const DispatchOptions &options) {
  const Device device = Device::systemDefault();
  KernelRequest request{.file = pathOf(twin), .kernel = twin.kernel};
  request.pipeline.engine = engine;
  const Result<BuiltKernel> kernel = buildKernel(device, request);
  if (!kernel)
    return kernel.error();

  Bindings bindings;
  for (uint32_t i = 0; i < twin.arguments.size(); ++i) {
    const Argument &argument = twin.arguments[i];
    if (argument.isValue)
      bindings.bytes[i] = argument.bytes;
    else
      bindings.buffers[i] = device.newBuffer(argument.bytes.data(), argument.bytes.size());
    if (argument.isRoom && options.checks.any())
      bindings.buffers[i].poison();
  }
  if (twin.localBytes != 0)
    bindings.threadgroupMemory[0] = twin.localBytes;
  return AssayWay(encoderFor(device, kernel->pipeline, bindings, options),
                  DispatchSize::threadgroups(sizeOf(twin.metal.groups), sizeOf(twin.metal.threads)),
                  bindings.buffers.at(uint32_t(twin.result)), kernel->pipeline.isVectorised());
}

} // namespace assay::twins
