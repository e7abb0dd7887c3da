#include "frontend/link.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace assay::frontend {
namespace {

using namespace llvm;

// Symbols of Assay's own, which passes find by their names. They are alike in all sources.
bool isAssays(StringRef symbol) {
  return symbol.starts_with("__assay_") || symbol.starts_with("llvm.");
}

assay::Diagnostic note(SourcePlace where, std::string text) {
  assay::Diagnostic made;
  made.severity = Severity::Note;
  made.where = std::move(where);
  made.message = std::move(text);
  return made;
}

// "float3 hsv(float)": the type of a function around its name, or that of a variable before it.
std::string declarationOf(const LinkSymbol &symbol) {
  const size_t parameters = symbol.type.find(" (");
  return parameters == std::string::npos ? fmt::format("{} {}", symbol.type, symbol.name)
                                         : fmt::format("{} {}{}", symbol.type.substr(0, parameters),
                                                       symbol.name, symbol.type.substr(parameters + 1));
}

// The first place in the text where a module uses a symbol, directly or inside of a constant. Debug places
// are the user's after mapDebugPlaces().
SourcePlace firstUse(const Value &value) {
  SourcePlace first;
  const auto add = [&](const SourcePlace &place) {
    if (place.known() && (!first.known() || std::tie(place.file, place.line, place.column) <
                                                std::tie(first.file, first.line, first.column)))
      first = place;
  };
  for (const User *user : value.users()) {
    const auto *instruction = dyn_cast<Instruction>(user);
    if (!instruction)
      add(firstUse(*user));
    else if (const DILocation *at = instruction->getDebugLoc())
      add({at->getFilename().str(), at->getLine(), at->getColumn()});
  }
  return first;
}

bool isBinding(const LinkUnit &unit, StringRef symbol) {
  return any_of(unit.reflected.globals, [&](const GlobalBinding &global) { return global.symbol == symbol; });
}

// An array may be declared without its length.
bool areAlike(StringRef declared, StringRef defined) {
  return declared == defined || (declared.consume_back("[]") && defined.starts_with(declared) &&
                                 defined.drop_front(declared.size()).starts_with("["));
}

class Links {
public:
  explicit Links(std::vector<LinkUnit> &units) : units_(units) {}

  std::vector<assay::Diagnostic> check() {
    for (const LinkUnit &unit : units_)
      for (const LinkSymbol &symbol : unit.symbols)
        define(symbol);
    entries();
    for (const LinkUnit &unit : units_)
      for (const LinkSymbol &symbol : unit.symbols)
        use(unit, symbol);
    return std::move(diagnostics_);
  }

  /// A shared definition that another source needs.
  bool isNeeded(const LinkUnit &unit, StringRef symbol) const {
    const auto found = definitions_.find(symbol.str());
    return found != definitions_.end() && found->second->shared && needed_.contains(symbol) &&
           unit.module->getNamedValue(symbol) && owns(unit, *found->second);
  }

private:
  static bool owns(const LinkUnit &unit, const LinkSymbol &symbol) {
    return !unit.symbols.empty() && &symbol >= &unit.symbols.front() && &symbol <= &unit.symbols.back();
  }

  void error(const char *rule, SourcePlace where, std::string text, std::string hint = {}) {
    assay::Diagnostic made;
    made.where = std::move(where);
    made.message = std::move(text);
    made.rule = rule;
    made.hint = std::move(hint);
    diagnostics_.push_back(std::move(made));
  }

  // Of several definitions, one that is not shared is what others use.
  void define(const LinkSymbol &symbol) {
    if (!symbol.defined)
      return;
    const LinkSymbol *&known = definitions_[symbol.symbol];
    if (!known || (known->shared && !symbol.shared)) {
      known = &symbol;
    } else if (!known->shared && !symbol.shared && !isEntry(symbol)) {
      error("duplicate-symbol", symbol.where,
            fmt::format("a second definition of '{}'", declarationOf(symbol)),
            "make it static or inline, or define it in one file and declare it in the other");
      diagnostics_.push_back(note(known->where, "the first is here"));
    }
  }

  // Of kernels and the like, entries() compares the names for hosts.
  bool isEntry(const LinkSymbol &symbol) {
    if (entryPlaces_.empty())
      for (const LinkUnit &unit : units_) {
        for (const KernelInfo &kernel : unit.reflected.info.kernels)
          entryPlaces_[kernel.where.file].emplace_back(kernel.where);
        for (const OtherFunctionInfo &other : unit.reflected.info.otherFunctions)
          entryPlaces_[other.where.file].emplace_back(other.where);
      }
    const auto found = entryPlaces_.find(symbol.where.file);
    return found != entryPlaces_.end() && is_contained(found->second, symbol.where);
  }

  void entries() {
    struct Entry {
      size_t unit = 0;
      SourcePlace where;
    };
    std::map<std::string, Entry> known;
    for (size_t u = 0; u < units_.size(); ++u) {
      const auto add = [&](const std::string &name, const std::string &kind, const SourcePlace &where) {
        const auto [first, fresh] = known.try_emplace(name, Entry{u, where});
        if (fresh || first->second.unit == u) // within a source the compiler has checked
          return;
        error("duplicate-symbol", where, fmt::format("a second {} function '{}'", kind, name),
              "give it another name, or a host_name of its own");
        diagnostics_.push_back(note(first->second.where, "the first is here"));
      };
      for (const KernelInfo &kernel : units_[u].reflected.info.kernels)
        add(kernel.name, "kernel", kernel.where);
      for (const OtherFunctionInfo &other : units_[u].reflected.info.otherFunctions)
        add(other.name, other.kind, other.where);
    }
  }

  void use(const LinkUnit &unit, const LinkSymbol &symbol) {
    const GlobalValue *value = unit.module->getNamedValue(symbol.symbol);
    if (symbol.defined || !value || value->use_empty() || isBinding(unit, symbol.symbol))
      return;
    const auto found = definitions_.find(symbol.symbol);
    if (found == definitions_.end()) {
      const SourcePlace use = firstUse(*value);
      if (undefined_.insert(symbol.symbol).second)
        undefined(symbol, use.known() ? use : symbol.where);
      return;
    }
    needed_.insert(symbol.symbol);
    const LinkSymbol &definition = *found->second;
    if (!areAlike(symbol.canonical, definition.canonical)) {
      error("symbol-type", symbol.where,
            fmt::format("'{}' is declared here, and defined as '{}'", declarationOf(symbol),
                        declarationOf(definition)),
            "declare it as it is defined, best in a header that both files include");
      diagnostics_.push_back(note(definition.where, "the definition is here"));
      return;
    }
    for (const auto &[name, members] : definition.structures)
      if (const auto other = symbol.structures.find(name);
          other != symbol.structures.end() && other->second != members) {
        error("symbol-type", symbol.where,
              fmt::format("'{}' is declared here, and its '{}' has other members where it is defined",
                          declarationOf(symbol), name),
              "declare the structure in a header that both files include");
        diagnostics_.push_back(note(definition.where, "the definition is here"));
        return;
      }
  }

  void undefined(const LinkSymbol &symbol, SourcePlace where) {
    error("undefined-symbol", std::move(where),
          fmt::format("'{}' is declared, and none of the files defines it", declarationOf(symbol)),
          "give the file that defines it, too");
    diagnostics_.push_back(note(symbol.where, "it is declared here"));
    for (const auto &[name, other] : definitions_)
      if (other->name == symbol.name)
        diagnostics_.push_back(
            note(other->where, fmt::format("this one is not the same: '{}'", declarationOf(*other))));
  }

  std::vector<LinkUnit> &units_;
  std::map<std::string, const LinkSymbol *> definitions_;
  std::map<std::string, std::vector<SourcePlace>> entryPlaces_;
  StringSet<> needed_, undefined_;
  std::vector<assay::Diagnostic> diagnostics_;
};

// Gives what belongs to one source alone a linkage that says so.
void separate(LinkUnit &unit, const Links &links) {
  for (GlobalValue &value : unit.module->global_values()) {
    if (value.isDeclaration() || isAssays(value.getName()) ||
        !(value.hasLinkOnceLinkage() || value.hasWeakLinkage()))
      continue;
    if (auto *object = dyn_cast<GlobalObject>(&value))
      object->setComdat(nullptr);
    value.setVisibility(GlobalValue::DefaultVisibility);
    value.setLinkage(links.isNeeded(unit, value.getName()) ? GlobalValue::ExternalLinkage
                                                           : GlobalValue::InternalLinkage);
  }
}

// A name that one source has for itself must be no other's: the reflection knows symbols by their names.
class Renaming {
public:
  explicit Renaming(std::vector<LinkUnit> &units) {
    for (LinkUnit &unit : units)
      for (const GlobalValue &value : unit.module->global_values())
        if (!value.hasLocalLinkage() && !isBinding(unit, value.getName()))
          taken_.insert(value.getName());
  }

  void rename(LinkUnit &unit, size_t number) {
    StringMap<std::string> names;
    for (GlobalValue &value : unit.module->global_values()) {
      const bool own = value.hasLocalLinkage() || isBinding(unit, value.getName());
      if (!own || value.getName().empty() || isAssays(value.getName()))
        continue;
      const std::string old = value.getName().str();
      if (taken_.insert(old).second)
        continue;
      value.setName(fmt::format("{}.{}", old, number));
      taken_.insert(value.getName());
      names[old] = value.getName().str();
    }
    for (size_t i = 0; i < unit.reflected.info.kernels.size(); ++i) {
      KernelInfo &kernel = unit.reflected.info.kernels[i];
      Function *entry = kernel.entrySymbol.empty() ? nullptr : unit.module->getFunction(kernel.entrySymbol);
      if (!entry)
        continue;
      entry->setName(fmt::format("assay.entry.{}.{}", number, i));
      kernel.entrySymbol = entry->getName().str();
    }
    const auto follow = [&](std::string &symbol) {
      if (const auto found = names.find(symbol); found != names.end())
        symbol = found->second;
    };
    for (FunctionConstantInfo &constant : unit.reflected.info.functionConstants)
      follow(constant.symbol);
    for (OtherFunctionInfo &other : unit.reflected.info.otherFunctions)
      follow(other.symbol);
    for (GlobalBinding &global : unit.reflected.globals)
      follow(global.symbol);
    for (KernelInfo &kernel : unit.reflected.info.kernels)
      for (ArgumentInfo &argument : kernel.arguments) {
        follow(argument.conditionSymbol);
        follow(argument.indexSymbol);
      }
  }

private:
  StringSet<> taken_;
};

template <class T> void append(std::vector<T> &to, std::vector<T> &from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void appendReflection(ReflectedModule &to, ReflectedModule &from) {
  const auto structs = uint32_t(to.info.structs.size());
  const auto move = [&](ArgumentInfo &argument) {
    if (argument.structure)
      *argument.structure += structs;
  };
  for (KernelInfo &kernel : from.info.kernels)
    for (ArgumentInfo &argument : kernel.arguments)
      move(argument);
  for (GlobalBinding &global : from.globals)
    move(global.argument);
  for (StructInfo &info : from.info.structs)
    for (FieldInfo &field : info.fields)
      if (field.pointee && field.pointee->structure)
        *field.pointee->structure += structs;
  append(to.info.kernels, from.info.kernels);
  append(to.info.otherFunctions, from.info.otherFunctions);
  append(to.info.functionConstants, from.info.functionConstants);
  append(to.info.structs, from.info.structs);
  append(to.globals, from.globals);
}

} // namespace

void listSymbols(LinkUnit &unit) {
  ModuleInfo &info = unit.reflected.info;
  for (const LinkSymbol &symbol : unit.symbols) {
    const GlobalValue *value = unit.module->getNamedValue(symbol.symbol);
    if (symbol.defined && !symbol.shared)
      info.gives.push_back(symbol.symbol);
    else if (!symbol.defined && value && !value->use_empty() && !isBinding(unit, symbol.symbol))
      info.needs.push_back(symbol.symbol);
  }
}

std::vector<assay::Diagnostic> undefinedSymbols(const LinkUnit &unit) {
  std::vector<assay::Diagnostic> all;
  for (const LinkSymbol &symbol : unit.symbols) {
    const GlobalValue *value = unit.module->getNamedValue(symbol.symbol);
    if (symbol.defined || symbol.visible || !value || value->use_empty() || isBinding(unit, symbol.symbol))
      continue;
    const SourcePlace use = firstUse(*value);
    assay::Diagnostic missing;
    missing.severity = Severity::Warning;
    missing.where = use.known() ? use : symbol.where;
    missing.message = fmt::format("'{}' is declared and used, and not defined", declarationOf(symbol));
    missing.rule = "undefined-symbol";
    missing.hint = "define it, or give the file that defines it, too";
    all.push_back(std::move(missing));
    all.push_back(note(symbol.where, "it is declared here"));
  }
  return all;
}

Result<LinkUnit> link(std::vector<LinkUnit> units) {
  Links links(units);
  if (std::vector<assay::Diagnostic> wrong = links.check(); !wrong.empty())
    return Error{ErrorKind::Kernel, std::move(wrong)};
  for (LinkUnit &unit : units)
    separate(unit, links);
  Renaming renaming(units);
  for (size_t i = 0; i < units.size(); ++i)
    renaming.rename(units[i], i);
  LinkUnit all = std::move(units.front());
  all.symbols.clear();
  for (size_t i = 1; i < units.size(); ++i) {
    appendReflection(all.reflected, units[i].reflected);
    if (Linker::linkModules(*all.module, std::move(units[i].module)))
      return Error::kernel("internal",
                           fmt::format("'{}' and '{}' cannot be linked", all.file, units[i].file));
  }
  return all;
}

} // namespace assay::frontend
