// The bytes of cache entries. Numbers are stored as they are in memory, since an entry is only read on the
// same kind of machine; a length precedes each string and list. One function for each struct both reads and
// writes it.
#include "cache_entries.h"

#include <cstring>
#include <type_traits>

namespace assay {
namespace {

// Field lists. A structured binding must name every field, so none can be forgotten.
template <class A> void fields(A &a, auto &v, const SourcePlace *) {
  auto &[file, line, column] = v;
  a(file, line, column);
}
template <class A> void fields(A &a, auto &v, const Diagnostic *) {
  auto &[severity, where, message, rule, hint, sourceLine, ranges] = v;
  a(severity, where, message, rule, hint, sourceLine, ranges);
}
template <class A> void fields(A &a, auto &v, const TextureUse *) {
  auto &[type, depth, element, access] = v;
  a(type, depth, element, access);
}
template <class A> void fields(A &a, auto &v, const TensorElement *) {
  auto &[scalar, format] = v;
  a(scalar, format);
}
template <class A> void fields(A &a, auto &v, const TensorUse *) {
  auto &[element, scales, space, access, index, extents] = v;
  a(element, scales, space, access, index, extents);
}
template <class A> void fields(A &a, auto &v, const MemberInfo *) {
  auto &[name, id, type, offset, bytes, count, pointsTo, access, texture, sampler, functionTable, tensor] = v;
  a(name, id, type, offset, bytes, count, pointsTo, access, texture, sampler, functionTable, tensor);
}
template <class A> void fields(A &a, auto &v, const FieldExtent *) {
  auto &[count, bytes] = v;
  a(count, bytes);
}
template <class A> void fields(A &a, auto &v, const PointeeInfo *) {
  auto &[access, bytes, align, element, components, structure] = v;
  a(access, bytes, align, element, components, structure);
}
template <class A> void fields(A &a, auto &v, const FieldInfo *) {
  auto &[name, offset, kind, type, extents, spelling, components, columns, pointee, texture, sampler,
         functionTable, tensor] = v;
  a(name, offset, kind, type, extents, spelling, components, columns, pointee, texture, sampler,
    functionTable, tensor);
}
template <class A> void fields(A &a, auto &v, const StructInfo *) {
  auto &[name, bytes, fieldList, unsupported] = v;
  a(name, bytes, fieldList, unsupported);
}
template <class A> void fields(A &a, auto &v, const ArgumentInfo *) {
  auto &[name, kind, index, space, type, isReference, pointeeBytes, pointeeAlign, element, access, builtin,
         textureType, depthTexture, count, condition, conditionSymbol, indexConstant, indexSymbol, members,
         structure, tensor, components] = v;
  a(name, kind, index, space, type, isReference, pointeeBytes, pointeeAlign, element, access, builtin,
    textureType, depthTexture, count, condition, conditionSymbol, indexConstant, indexSymbol, members,
    structure, tensor, components);
}
template <class A> void fields(A &a, auto &v, const FunctionConstantInfo *) {
  auto &[name, index, type, components, symbol, hasDefault] = v;
  a(name, index, type, components, symbol, hasDefault);
}
template <class A> void fields(A &a, auto &v, const KernelInfo *) {
  auto &[name, function, entrySymbol, arguments, maxTotalThreads, requiredThreads, staticThreadgroupBytes,
         functionConstants, unsupported, where] = v;
  a(name, function, entrySymbol, arguments, maxTotalThreads, requiredThreads, staticThreadgroupBytes,
    functionConstants, unsupported, where);
}
template <class A> void fields(A &a, auto &v, const OtherFunctionInfo *) {
  auto &[name, kind, where, type, symbol, functionConstants] = v;
  a(name, kind, where, type, symbol, functionConstants);
}
template <class A> void fields(A &a, auto &v, const ModuleInfo *) {
  auto &[kernels, otherFunctions, functionConstants, structs, needs, gives] = v;
  a(kernels, otherFunctions, functionConstants, structs, needs, gives);
}
template <class A> void fields(A &a, auto &v, const SiteLoop *) {
  auto &[order, counter] = v;
  a(order, counter);
}
template <class A> void fields(A &a, auto &v, const IndexStep *) {
  auto &[op, bits, value] = v;
  a(op, bits, value);
}
template <class A> void fields(A &a, auto &v, const SiteInfo *) {
  auto &[kind, where, order, loops, op, type, count, access, atomic, bytes, memory, slot, memoryName,
         memoryBytes, memoryOffset, name, published, decision, alignment, polled, together, calls, index] = v;
  a(kind, where, order, loops, op, type, count, access, atomic, bytes, memory, slot, memoryName, memoryBytes,
    memoryOffset, name, published, decision, alignment, polled, together, calls, index);
}
template <class A> void fields(A &a, auto &v, const ThreadgroupVariable *) {
  auto &[name, fullName, offset, bytes, extents] = v;
  a(name, fullName, offset, bytes, extents);
}
template <class A> void fields(A &a, auto &v, const Birth *) {
  auto &[name, where, kind] = v;
  a(name, where, kind);
}
template <class A> void fields(A &a, auto &v, const PointedFunction *) {
  auto &[name, type] = v;
  a(name, type);
}
template <class A> void fields(A &a, auto &v, const WorkItem *) {
  auto &[kind, count, bytes, withoutBytes] = v;
  a(kind, count, bytes, withoutBytes);
}
template <class A> void fields(A &a, auto &v, const WorkBlock *) {
  auto &[loop, header, latch, items] = v;
  a(loop, header, latch, items);
}
template <class A> void fields(A &a, auto &v, const WorkBlocks *) {
  auto &[blocks, parents] = v;
  a(blocks, parents);
}
template <class A> void fields(A &a, auto &v, const IndependentThreads *) {
  auto &[known, written, ownElements, inRows] = v;
  a(known, written, ownElements, inRows);
}
template <class A> void fields(A &a, auto &v, const KernelCodeInfo *) {
  auto &[kernelName, symbol, sites, loopCounters, publishedBytes, threadsPerCall, needsShape, readsPositions,
         wholeThreadgroups, takesTurns, frameBytes, onFibers, staticThreadgroupBytes, threadgroupVariables,
         pointedFunctions, usedBuffers, usedThreadgroup, stackBytes, checksVariables, usesBarriers,
         usesSimdOps, usesSpin, usesFloatAtomics, isQuick, independent, zeroConstants, births,
         writtenThreadgroupBytes, work] = v;
  a(kernelName, symbol, sites, loopCounters, publishedBytes, threadsPerCall, needsShape, readsPositions,
    wholeThreadgroups, takesTurns, frameBytes, onFibers, staticThreadgroupBytes, threadgroupVariables,
    pointedFunctions, usedBuffers, usedThreadgroup, stackBytes, checksVariables, usesBarriers, usesSimdOps,
    usesSpin, usesFloatAtomics, isQuick, independent, zeroConstants, births, writtenThreadgroupBytes, work);
}
template <class A> void fields(A &a, auto &v, const frontend::Dependency *) {
  auto &[path, digest] = v;
  a(path, digest);
}
template <class A> void fields(A &a, auto &v, const ManifestVariant *) {
  auto &[dependencies, moduleKey] = v;
  a(dependencies, moduleKey);
}
template <class A> void fields(A &a, auto &v, const Manifest *) {
  auto &[variants] = v;
  a(variants);
}
template <class A> void fields(A &a, auto &v, const CachedModule *) {
  auto &[info, diagnostics, refused] = v;
  a(info, diagnostics, refused);
}
template <class A> void fields(A &a, auto &v, const CachedFacts *) {
  auto &[info, active] = v;
  a(info, active);
}
template <class A> void fields(A &a, auto &v, const CachedPipeline *) {
  auto &[info, object] = v;
  a(info, object);
}

template <class T> constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
public:
  std::string out;
  template <class... T> void operator()(const T &...v) { (one(v), ...); }

private:
  template <class T> void one(const T &v) {
    if constexpr (kPlain<T>)
      out.append(reinterpret_cast<const char *>(&v), sizeof v);
    else
      fields(*this, v, static_cast<const T *>(nullptr));
  }
  void one(const std::string &v) {
    one(uint64_t(v.size()));
    out += v;
  }
  template <class T> void one(const std::vector<T> &v) {
    one(uint64_t(v.size()));
    for (const T &element : v)
      one(element);
  }
  template <class T> void one(const std::optional<T> &v) {
    one(v.has_value());
    if (v)
      one(*v);
  }
  template <class A, class B> void one(const std::pair<A, B> &v) { (*this)(v.first, v.second); }
};

class Reader {
public:
  std::string_view in;
  bool ok = true;
  template <class... T> void operator()(T &...v) { (one(v), ...); }

private:
  template <class T> void one(T &v) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0; // a bool must not hold any other value than 0 or 1
      one(byte);
      ok = ok && byte <= 1;
      v = byte == 1;
    } else if constexpr (!kPlain<T>) {
      fields(*this, v, static_cast<const T *>(nullptr));
    } else if ((ok = ok && in.size() >= sizeof v)) {
      std::memcpy(&v, in.data(), sizeof v);
      in.remove_prefix(sizeof v);
    }
  }
  // A length must fit in the rest of the entry: every element takes at least one byte.
  uint64_t length() {
    uint64_t n = 0;
    one(n);
    ok = ok && n <= in.size();
    return ok ? n : 0;
  }
  void one(std::string &v) {
    const uint64_t n = length();
    v.assign(in.substr(0, n));
    in.remove_prefix(n);
  }
  template <class T> void one(std::vector<T> &v) {
    const uint64_t n = length();
    v.clear();
    for (uint64_t i = 0; i < n && ok; ++i)
      one(v.emplace_back());
  }
  template <class T> void one(std::optional<T> &v) {
    bool has = false;
    one(has);
    if (has && ok)
      one(v.emplace());
  }
  template <class A, class B> void one(std::pair<A, B> &v) { (*this)(v.first, v.second); }
};

} // namespace

template <class T> std::string toBytes(const T &value) {
  Writer writer;
  writer(value);
  return std::move(writer.out);
}

template <class T> std::optional<T> fromBytes(std::string_view bytes) {
  Reader reader{bytes};
  T value;
  reader(value);
  if (!reader.ok || !reader.in.empty())
    return std::nullopt;
  return value;
}

template std::string toBytes(const Manifest &);
template std::string toBytes(const CachedModule &);
template std::string toBytes(const CachedFacts &);
template std::string toBytes(const CachedPipeline &);
template std::optional<Manifest> fromBytes(std::string_view);
template std::optional<CachedModule> fromBytes(std::string_view);
template std::optional<CachedFacts> fromBytes(std::string_view);
template std::optional<CachedPipeline> fromBytes(std::string_view);

} // namespace assay
