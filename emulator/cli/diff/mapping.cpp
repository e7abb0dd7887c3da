#include "mapping.h"

#include "toml_struct.h"

#include "../scalar_text.h"

#include <cstring>
#include <filesystem>
#include <numeric>

namespace assay::cli::diff {
namespace {

constexpr uint64_t kMaxElements = uint64_t(1) << 32; // of a tensor or a buffer
constexpr uint64_t kMaxAxes = 8;

class MappingParser {
public:
  MappingParser(std::string_view text, const std::string &file) : reader_(text, file), file_(file) {}

  Mapping parse(const std::vector<std::string> &sets) {
    const toml::table root = reader_.parse();
    reader_.allow(root, "a mapping file", {"sizes", "inputs", "outputs", "A", "B", "trace"});
    sizes(root, sets);
    if (const toml::table *inputs = reader_.subtable(root, "inputs"))
      for (const auto &[name, node] : *inputs)
        input(std::string(name.str()), node);
    const toml::table &outputs =
        reader_.tableOf(reader_.need(root, "outputs", "a mapping file"), "'outputs'");
    for (const auto &[name, node] : outputs)
      output(std::string(name.str()), node);
    if (mapping_.outputs.empty())
      reader_.fail(outputs, "mapping", "there is no output to compare");
    for (int i = 0; i < 2; ++i)
      side(mapping_.sides[i],
           reader_.tableOf(reader_.need(root, i ? "B" : "A", "a mapping file"), i ? "'B'" : "'A'"),
           i ? "B" : "A");
    if (const toml::table *table = reader_.subtable(root, "trace"))
      trace(*table);
    return std::move(mapping_);
  }

private:
  // Sizes may be computed from others, in any order: each round computes those that use only known ones.
  void sizes(const toml::table &root, const std::vector<std::string> &sets) {
    struct Size {
      const toml::node *node;
      Expression value;
      bool known = false;
    };
    const toml::table *table = reader_.subtable(root, "sizes");
    std::vector<Size> all;
    if (table) {
      for (const auto &[key, node] : *table) {
        if (!isExpressionName(key.str()))
          reader_.fail(key.source().begin, "mapping",
                       fmt::format("'{}' cannot be the name of a size", key.str()),
                       "letters, digits and _, but not the name of a function");
        scope_.names.emplace_back(key.str());
      }
      for (const auto &[key, node] : *table)
        all.push_back({&node, reader_.expressionOf(node, scope_.names, fmt::format("size '{}'", key.str()))});
    }
    scope_.values.assign(scope_.names.size(), 0);
    for (const std::string &text : sets) {
      const size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      const auto found = std::find(scope_.names.begin(), scope_.names.end(), name);
      if (equals == text.npos)
        throw Mistake{Error::usage("bad-option", fmt::format("--set {}: it should be NAME=VALUE", text))};
      if (found == scope_.names.end())
        throw Mistake{Error::usage("bad-option",
                                   fmt::format("--set {}: no size '{}' in {}", text, name, file_),
                                   nearestHint(name, scope_.names, "sizes"))};
      Result<Expression> value = Expression::parse(text.substr(equals + 1), scope_.names);
      if (!value)
        throw Mistake{Error::usage("bad-option", fmt::format("--set {}: {}", text, value.error().message()))};
      all[size_t(found - scope_.names.begin())].value = std::move(*value);
    }
    for (size_t known = 0; known < all.size();) {
      const size_t before = known;
      for (size_t i = 0; i < all.size(); ++i) {
        const std::vector<size_t> &parts = all[i].value.used();
        if (all[i].known ||
            !std::all_of(parts.begin(), parts.end(), [&](size_t part) { return all[part].known; }))
          continue;
        scope_.values[i] = all[i].value.evaluate(scope_.values);
        if (!std::isfinite(scope_.values[i]))
          reader_.fail(*all[i].node, "mapping",
                       fmt::format("size '{}' is {}", scope_.names[i], scope_.values[i]));
        all[i].known = true;
        ++known;
      }
      if (known == before)
        for (size_t i = 0; i < all.size(); ++i)
          if (!all[i].known)
            reader_.fail(*all[i].node, "mapping",
                         fmt::format("size '{}' is computed from itself", scope_.names[i]));
    }
    for (size_t i = 0; i < all.size(); ++i)
      mapping_.sizes.emplace_back(scope_.names[i], scope_.values[i]);
  }

  ScalarType type(const toml::node &node) const {
    const std::string name = reader_.textOf(node, "'type'");
    if (const std::optional<ScalarType> found = findScalarType(name))
      return *found;
    std::vector<std::string> names;
    for (const ScalarTypeInfo &info : kScalarTypes)
      names.emplace_back(info.shortName);
    reader_.fail(node, "mapping", fmt::format("no type '{}'", name), nearestHint(name, names, "types"));
  }

  void shapeAndAxes(const toml::table &table, const std::string &what, std::vector<uint64_t> &shape,
                    std::vector<std::string> &axes) const {
    const toml::node &node = reader_.need(table, "shape", what);
    shape = reader_.wholes(node, scope_, fmt::format("an extent of {}", what), 1);
    double elements = 1;
    for (uint64_t extent : shape)
      elements *= double(extent);
    if (shape.empty() || shape.size() > kMaxAxes || elements > double(kMaxElements))
      reader_.fail(node, "mapping",
                   fmt::format("a shape of {} axes and {} elements is not in 1..{} and 1..{}", shape.size(),
                               elements, kMaxAxes, kMaxElements));
    if (const toml::node *names = table.get("axes")) {
      for (const toml::node &name : reader_.arrayOf(*names, "'axes'")) {
        axes.push_back(reader_.textOf(name, "an axis"));
        if (!isExpressionName(axes.back()) ||
            std::find(scope_.names.begin(), scope_.names.end(), axes.back()) != scope_.names.end() ||
            std::find(axes.begin(), axes.end() - 1, axes.back()) != axes.end() - 1)
          reader_.fail(name, "mapping", fmt::format("'{}' cannot be the name of an axis", axes.back()),
                       "letters, digits and _, and neither a size nor another axis");
      }
      if (axes.size() != shape.size())
        reader_.fail(*names, "mapping",
                     fmt::format("{} has {} axes and a shape of {}", what, axes.size(), shape.size()));
    } else {
      for (size_t i = 0; i < shape.size(); ++i)
        axes.push_back(fmt::format("i{}", i));
    }
  }

  void input(const std::string &name, const toml::node &node) {
    const std::string what = fmt::format("input '{}'", name);
    const toml::table &table = reader_.tableOf(node, what);
    reader_.allow(table, what, {"shape", "axes", "type", "values", "from"});
    LogicalInput input;
    input.name = name;
    shapeAndAxes(table, what, input.shape, input.axes);
    input.type = type(reader_.need(table, "type", what));
    const toml::node *values = table.get("values"), *from = table.get("from");
    if (bool(values) == bool(from))
      reader_.fail(table, "mapping", fmt::format("{} needs either 'values' or 'from'", what),
                   "values = \"rand(1)\" makes them, from = \"k.npy\" reads them");
    if (values) {
      Scope scope = scope_;
      scope.names.insert(scope.names.end(), input.axes.begin(), input.axes.end());
      input.values = reader_.expressionOf(*values, scope.names, "'values'");
      input.sizes = scope_.values;
    } else {
      input.from = path(reader_.interpolated(*from, scope_, "'from'"));
    }
    mapping_.inputs.push_back(std::move(input));
  }

  void output(const std::string &name, const toml::node &node) {
    const std::string what = fmt::format("output '{}'", name);
    const toml::table &table = reader_.tableOf(node, what);
    reader_.allow(table, what, {"shape", "axes", "type", "ulp", "atol", "rtol", "nan"});
    LogicalOutput output;
    output.name = name;
    shapeAndAxes(table, what, output.shape, output.axes);
    if (const toml::node *given = table.get("type"))
      output.type = type(*given);
    if (const toml::node *ulp = table.get("ulp"))
      output.tolerance.ulps = reader_.whole(*ulp, scope_, "'ulp'");
    for (const auto &[key, value] :
         {std::pair{"atol", &output.tolerance.absolute}, std::pair{"rtol", &output.tolerance.relative}})
      if (const toml::node *given = table.get(key)) {
        *value = reader_.number(*given, scope_, fmt::format("'{}'", key));
        if (!(*value >= 0) || std::isinf(*value))
          reader_.fail(*given, "mapping", fmt::format("'{}' is {}, no distance", key, *value));
      }
    if (const toml::node *nan = table.get("nan")) {
      const std::string policy = reader_.textOf(*nan, "'nan'");
      if (policy != "same" && policy != "bits" && policy != "differ")
        reader_.fail(*nan, "mapping", fmt::format("'{}' says nothing about NaNs", policy),
                     "same, bits or differ");
      output.tolerance.nan = policy == "same"   ? compare::NanPolicy::Same
                             : policy == "bits" ? compare::NanPolicy::Bits
                                                : compare::NanPolicy::Differ;
    }
    mapping_.outputs.push_back(std::move(output));
  }

  // Which statements and which threads of A and B correspond.
  void trace(const toml::table &table) {
    reader_.allow(table, "'trace'", {"thread", "lines"});
    if (const toml::node *thread = table.get("thread")) {
      std::vector<std::string> names = scope_.names;
      names.insert(names.end(), {"x", "y", "z"});
      for (const toml::node &axis : reader_.arrayOf(*thread, "'thread'"))
        mapping_.traceThread.push_back(reader_.expressionOf(axis, names, "a position"));
      if (mapping_.traceThread.empty() || mapping_.traceThread.size() > 3)
        reader_.fail(*thread, "mapping",
                     fmt::format("'thread' has {} expressions, not 1 to 3", mapping_.traceThread.size()));
    }
    if (const toml::node *lines = table.get("lines"))
      for (const toml::node &pair : reader_.arrayOf(*lines, "'lines'")) {
        const std::vector<uint64_t> both = reader_.wholes(pair, scope_, "a line", 1);
        if (both.size() != 2 || both[0] > ~uint32_t(0) || both[1] > ~uint32_t(0))
          reader_.fail(pair, "mapping", "'lines' has pairs of lines, of A and of B");
        mapping_.traceLines.emplace_back(uint32_t(both[0]), uint32_t(both[1]));
      }
  }

  // What a side of one dispatch and a step of a side have in common.
  void step(StepMapping &step, const toml::table &table) const {
    if (const toml::node *file = table.get("file"))
      step.file = path(reader_.textOf(*file, "'file'"));
    if (const toml::node *kernel = table.get("kernel"))
      step.kernel = reader_.interpolated(*kernel, scope_, "'kernel'");
    grid(step, table);
    if (const toml::table *constants = reader_.subtable(table, "constants"))
      for (const auto &[key, node] : *constants)
        step.constants.push_back(fmt::format("{}={}", key.str(), constantText(node)));
    if (const toml::table *memory = reader_.subtable(table, "threadgroup_memory"))
      for (const auto &[key, node] : *memory)
        step.threadgroupMemory[reader_.indexOf(key.source().begin, key.str(), "threadgroup memory",
                                               kThreadgroupSlots)] =
            reader_.whole(node, scope_, "a threadgroup memory length", 1, kMaxThreadgroupMemory);
    if (const toml::table *buffers = reader_.subtable(table, "buffers"))
      for (const auto &[key, node] : *buffers)
        buffer(step, key, node);
  }

  void steps(SideMapping &side, const toml::node &node, const std::string &name) const {
    for (const toml::node &one : reader_.arrayOf(node, "'steps'")) {
      const toml::table &table = reader_.tableOf(one, "a step");
      reader_.allow(table, "a step",
                    {"file", "kernel", "threadgroups", "grid", "threads", "constants", "threadgroup_memory",
                     "buffers", "bind"});
      reader_.need(table, "kernel", fmt::format("a step of {}", name));
      StepMapping added;
      added.file = side.file;
      step(added, table);
      if (const toml::table *bind = reader_.subtable(table, "bind"))
        for (const auto &[key, to] : *bind)
          added.bind[reader_.indexOf(key.source().begin, key.str(), "buffer", kBufferSlots)] =
              uint32_t(reader_.whole(to, scope_, "a buffer of the side", 0, kBufferSlots - 1));
      side.steps.push_back(std::move(added));
    }
    if (side.steps.empty())
      reader_.fail(node, "mapping", fmt::format("{} has no steps", name));
  }

  void side(SideMapping &side, const toml::table &table, const std::string &name) {
    reader_.allow(table, name,
                  {"file",
                   "kernel",
                   "std",
                   "include",
                   "link",
                   "defines",
                   "numerics",
                   "math_mode",
                   "threadgroups",
                   "grid",
                   "threads",
                   "constants",
                   "threadgroup_memory",
                   "buffers",
                   "inputs",
                   "outputs",
                   "recorded",
                   "steps",
                   "textures",
                   "samplers"});
    step(side, table);
    if (const toml::node *given = table.get("steps")) {
      for (const char *key : {"kernel", "threadgroups", "grid", "threads", "constants", "threadgroup_memory",
                              "textures", "samplers"})
        if (const toml::node *own = table.get(key))
          reader_.fail(*own, "mapping", fmt::format("{} has 'steps': '{}' is for one dispatch", name, key));
      steps(side, *given, name);
    }
    for (const auto &[key, texts] : {std::pair("textures", &side.textures), {"samplers", &side.samplers}})
      if (const toml::table *given = reader_.subtable(table, key))
        for (const auto &[index, node] : *given)
          texts->push_back(
              fmt::format("{}={}", index.str(), path(reader_.interpolated(node, scope_, "a texture"))));
    side.languageVersion = reader_.textOr(table, "std");
    side.numerics = reader_.textOr(table, "numerics");
    side.mathMode = reader_.textOr(table, "math_mode");
    if (const toml::node *include = table.get("include"))
      for (const toml::node &folder : reader_.arrayOf(*include, "'include'"))
        side.includePaths.push_back(path(reader_.textOf(folder, "a folder")));
    if (const toml::node *files = table.get("link"))
      for (const toml::node &file : reader_.arrayOf(*files, "'link'"))
        side.linkedFiles.push_back(path(reader_.textOf(file, "a file")));
    if (const toml::table *defines = reader_.subtable(table, "defines"))
      for (const auto &[key, node] : *defines)
        side.defines.push_back(fmt::format("{}={}", key.str(),
                                           node.is_string() ? reader_.interpolated(node, scope_, "a macro")
                                                            : constantText(node)));
    if (const toml::table *recorded = reader_.subtable(table, "recorded"))
      for (const auto &[key, node] : *recorded) {
        known(key, mapping_.outputs, "output");
        side.recorded[std::string(key.str())] = path(reader_.textOf(node, "a recorded file"));
      }
    if (const toml::table *inputs = reader_.subtable(table, "inputs"))
      for (const auto &[key, node] : *inputs) {
        const LogicalInput &input = known(key, mapping_.inputs, "input");
        side.inputs[input.name] = placement(node, fmt::format("{} of {}", input.name, name), input.shape,
                                            input.axes, input.type, false);
      }
    if (const toml::table *outputs = reader_.subtable(table, "outputs"))
      for (const auto &[key, node] : *outputs) {
        const LogicalOutput &output = known(key, mapping_.outputs, "output");
        side.outputs[output.name] = placement(node, fmt::format("{} of {}", output.name, name), output.shape,
                                              output.axes, output.type, true);
      }
    for (const LogicalOutput &output : mapping_.outputs)
      if ((!side.kernel.empty() || !side.steps.empty()) && !side.outputs.count(output.name) &&
          !side.recorded.count(output.name))
        reader_.fail(table, "mapping",
                     fmt::format("{} does not say where output '{}' is", name, output.name));
    for (const auto *tensors : {&side.inputs, &side.outputs})
      for (const auto &[tensor, place] : *tensors)
        if (!place.texture && (side.structs.count(place.buffer) || side.namedStructs.count(place.buffer) ||
                               std::any_of(side.buffers.begin(), side.buffers.end(), [&](const auto &given) {
                                 return given.first == std::to_string(place.buffer);
                               })))
          reader_.fail(
              table, "mapping",
              fmt::format("buffer {} of {} is given by 'buffers' and by '{}'", place.buffer, name, tensor));
  }

  template <class Tensor>
  const Tensor &known(const toml::key &key, const std::vector<Tensor> &tensors, std::string_view what) const {
    std::vector<std::string> names;
    for (const Tensor &tensor : tensors) {
      if (tensor.name == key.str())
        return tensor;
      names.push_back(tensor.name);
    }
    reader_.fail(key.source().begin, "unknown-tensor", fmt::format("no {} '{}'", what, key.str()),
                 nearestHint(key.str(), names, fmt::format("{}s", what)));
  }

  void grid(StepMapping &side, const toml::table &table) const {
    const toml::node *groups = table.get("threadgroups"), *grid = table.get("grid"),
                     *threads = table.get("threads");
    if (side.kernel.empty() && !groups && !grid && !threads)
      return; // a recorded side, or one without a kernel, which the caller refuses
    if (bool(groups) == bool(grid))
      reader_.fail(table, "mapping", "either 'threadgroups' or 'grid' must be given",
                   "threadgroups counts threadgroups, grid counts threads");
    side.size.wholeThreadgroups = groups;
    side.size.grid = extents(groups ? *groups : *grid, groups ? "'threadgroups'" : "'grid'");
    side.size.threadgroup =
        extents(threads ? *threads : reader_.need(table, "threads", "a kernel"), "'threads'");
  }
  Size extents(const toml::node &node, std::string_view what) const {
    const std::vector<uint64_t> values =
        reader_.wholes(node, scope_, fmt::format("an extent of {}", what), 0);
    if (values.empty() || values.size() > 3)
      reader_.fail(node, "mapping", fmt::format("{} has {} extents, not 1 to 3", what, values.size()));
    return {values[0], values.size() > 1 ? values[1] : 1, values.size() > 2 ? values[2] : 1};
  }

  // In the form of --constant: true, 8, 0.125, or several for a vector.
  std::string constantText(const toml::node &node) const {
    if (const auto *boolean = node.as_boolean())
      return boolean->get() ? "true" : "false";
    if (const toml::array *array = node.as_array()) {
      std::string text;
      for (const toml::node &one : *array)
        text += (text.empty() ? "" : ",") + TomlReader::numberText(reader_.number(one, scope_, "a constant"));
      return text;
    }
    return TomlReader::numberText(reader_.number(node, scope_, "a constant"));
  }

  void buffer(StepMapping &side, const toml::key &key, const toml::node &node) const {
    if (const toml::table *table = node.as_table()) {
      reader_.allow(*table, "a buffer", {"struct", "packed"});
      const toml::node *packed = table->get("packed");
      if (packed && !packed->is_boolean())
        reader_.fail(*packed, "mapping", "'packed' should be true or false");
      const uint32_t index = reader_.indexOf(key.source().begin, key.str(), "buffer", kBufferSlots);
      const toml::node &fields = reader_.need(*table, "struct", "a buffer");
      if (!fields.is_string()) {
        side.structs[index] = structBytes(reader_, scope_, fields, packed && packed->as_boolean()->get());
        return;
      }
      if (packed)
        reader_.fail(*packed, "mapping", "'packed' is for a list of types: a declaration has its own layout");
      side.namedStructs[index] = reader_.interpolated(fields, scope_, "a struct");
      return;
    }
    side.buffers.emplace_back(key.str(), path(reader_.interpolated(node, scope_, "a buffer")));
  }

  Placement placement(const toml::node &node, const std::string &what, const std::vector<uint64_t> &logical,
                      const std::vector<std::string> &axes, std::optional<ScalarType> fallback,
                      bool output) const {
    const toml::table &table = reader_.tableOf(node, what);
    if (output)
      reader_.allow(table, what,
                    {"buffer", "texture", "type", "order", "strides", "offset", "scale", "replace", "fold",
                     "rule", "mixed", "shape"});
    else
      reader_.allow(table, what, {"buffer", "type", "order", "strides", "offset", "scale", "replace"});
    Placement place;
    const toml::node *texture = table.get("texture");
    place.texture = texture;
    if (texture && table.get("buffer"))
      reader_.fail(*texture, "mapping", fmt::format("{} is in a buffer or in a texture", what));
    place.buffer = uint32_t(texture ? reader_.whole(*texture, scope_, "'texture'", 0, kTextureSlots - 1)
                                    : reader_.whole(reader_.need(table, "buffer", what), scope_, "'buffer'",
                                                    0, kBufferSlots - 1));
    if (const toml::node *given = table.get("type"))
      place.type = type(*given);
    else if (fallback)
      place.type = *fallback;
    else
      reader_.need(table, "type", what);
    place.shape = logical;
    fold(table, what, place);
    if (const toml::node *shape = table.get("shape")) {
      const std::vector<uint64_t> given = reader_.wholes(*shape, scope_, "an extent", 1);
      if (given.size() != logical.size())
        reader_.fail(*shape, "mapping",
                     fmt::format("{} has {} axes, not {}", what, logical.size(), given.size()));
      for (size_t i = 0; i < given.size(); ++i)
        if ((given[i] + place.fold[i] - 1) / place.fold[i] != logical[i])
          reader_.fail(*shape, "mapping",
                       fmt::format("{} elements of axis '{}', {} to one, are {} and not {}", given[i],
                                   axes[i], place.fold[i], (given[i] + place.fold[i] - 1) / place.fold[i],
                                   logical[i]));
      place.shape = given;
    }
    strides(table, what, axes, place);
    if (const toml::node *offset = table.get("offset"))
      place.offset = reader_.whole(*offset, scope_, "'offset'");
    if (const toml::node *scale = table.get("scale"))
      place.scale = reader_.number(*scale, scope_, "'scale'");
    if (const toml::node *pairs = table.get("replace"))
      for (const toml::node &pair : reader_.arrayOf(*pairs, "'replace'")) {
        const toml::array &both = reader_.arrayOf(pair, "a replacement");
        if (both.size() != 2)
          reader_.fail(pair, "mapping",
                       fmt::format("a replacement is [FROM, TO], this one has {} values", both.size()));
        place.replace.emplace_back(reader_.number(both[0], scope_, "a value"),
                                   reader_.number(both[1], scope_, "a value"));
      }
    double end = double(place.offset) + 1;
    for (size_t i = 0; i < place.shape.size(); ++i)
      end += double(place.shape[i] - 1) * double(place.strides[i]);
    if (end > double(kMaxElements))
      reader_.fail(node, "mapping", fmt::format("{} ends at element {}, after {}", what, end, kMaxElements));
    return place;
  }

  void fold(const toml::table &table, const std::string &what, Placement &place) const {
    place.fold.assign(place.shape.size(), 1);
    const toml::node *fold = table.get("fold"), *rule = table.get("rule"), *mixed = table.get("mixed");
    if (!fold && (rule || mixed))
      reader_.fail(rule ? *rule : *mixed, "mapping",
                   fmt::format("'{}' is for 'fold'", rule ? "rule" : "mixed"));
    if (!fold)
      return;
    place.fold = reader_.wholes(*fold, scope_, "a factor of 'fold'", 1);
    if (place.fold.size() != place.shape.size())
      reader_.fail(*fold, "mapping",
                   fmt::format("{} has {} axes, 'fold' has {}", what, place.shape.size(), place.fold.size()));
    double elements = 1;
    for (size_t i = 0; i < place.fold.size(); ++i)
      elements *= double(place.shape[i]) * double(place.fold[i]);
    if (elements > double(kMaxElements))
      reader_.fail(*fold, "mapping", fmt::format("{} elements are more than {}", elements, kMaxElements));
    for (size_t i = 0; i < place.fold.size(); ++i)
      place.shape[i] *= place.fold[i];
    const std::string name = rule ? reader_.textOf(*rule, "'rule'") : "same";
    if (name != "same" && name != "max" && name != "min")
      reader_.fail(*rule, "mapping", fmt::format("no rule '{}'", name), "rules: same, max, min");
    place.rule = name == "same" ? FoldRule::Same : name == "max" ? FoldRule::Max : FoldRule::Min;
    if (place.rule == FoldRule::Same)
      place.mixed =
          reader_.number(reader_.need(table, "mixed", fmt::format("a fold of {}", what)), scope_, "'mixed'");
  }

  void strides(const toml::table &table, const std::string &what, const std::vector<std::string> &axes,
               Placement &place) const {
    const toml::node *order = table.get("order"), *strides = table.get("strides");
    if (order && strides)
      reader_.fail(*strides, "mapping",
                   fmt::format("{} has an 'order' and 'strides'; one of them says it", what));
    if (strides) {
      place.strides = reader_.wholes(*strides, scope_, "a stride", 0);
      if (place.strides.size() != place.shape.size())
        reader_.fail(
            *strides, "mapping",
            fmt::format("{} has {} axes and {} strides", what, place.shape.size(), place.strides.size()));
      return;
    }
    std::vector<size_t> nest(place.shape.size());
    std::iota(nest.begin(), nest.end(), size_t(0));
    if (order) {
      nest.clear();
      for (const toml::node &axis : reader_.arrayOf(*order, "'order'")) {
        const std::string name = reader_.textOf(axis, "an axis");
        const auto found = std::find(axes.begin(), axes.end(), name);
        if (found == axes.end())
          reader_.fail(axis, "mapping", fmt::format("{} has no axis '{}'", what, name),
                       nearestHint(name, axes, "axes"));
        const size_t index = size_t(found - axes.begin());
        if (std::find(nest.begin(), nest.end(), index) != nest.end())
          reader_.fail(axis, "mapping", fmt::format("axis '{}' stands twice", name));
        nest.push_back(index);
      }
      if (nest.size() != axes.size())
        reader_.fail(*order, "mapping", fmt::format("'order' names {} of {} axes", nest.size(), axes.size()));
    }
    place.strides.assign(place.shape.size(), 1);
    for (size_t i = nest.size() - 1; i-- > 0;)
      place.strides[nest[i]] = place.strides[nest[i + 1]] * place.shape[nest[i + 1]];
  }

  // Paths are relative to the mapping's folder. A SPEC that names no file is not changed.
  std::string path(std::string text) const {
    const bool file = text.ends_with(".bin") || text.ends_with(".metal") || text.find(".npy") != text.npos ||
                      (!text.empty() && text.find(':') == text.npos);
    if (!file || std::filesystem::path(text).is_absolute())
      return text;
    const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
    return folder.empty() ? text : (folder / text).lexically_normal().string();
  }

  TomlReader reader_;
  std::string file_;
  Scope scope_;
  Mapping mapping_;
};

template <class Tensor> const Tensor *find(const std::vector<Tensor> &tensors, std::string_view name) {
  for (const Tensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

} // namespace

uint64_t Placement::end() const {
  uint64_t last = offset;
  for (size_t i = 0; i < shape.size(); ++i)
    last += (shape[i] - 1) * strides[i];
  return last + 1;
}

const LogicalInput *Mapping::input(std::string_view name) const {
  return find(inputs, name);
}
const LogicalOutput *Mapping::output(std::string_view name) const {
  return find(outputs, name);
}

Result<Mapping> parseMapping(std::string_view text, const std::string &file,
                             const std::vector<std::string> &sets) {
  try {
    return MappingParser(text, file).parse(sets);
  } catch (const Mistake &mistake) {
    return mistake.error;
  }
}

} // namespace assay::cli::diff
