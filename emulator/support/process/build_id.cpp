#include "support/process/build_id.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

namespace assay {
namespace {

struct Search {
  uintptr_t address;
  std::string id;
};

uint64_t padded(uint64_t bytes) {
  return (bytes + 3) & ~uint64_t(3);
}

std::string idIn(const char *notes, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const uint64_t name = at + sizeof note, text = name + padded(note.n_namesz);
    if (text + note.n_descsz > bytes)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        !std::memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU)) {
      std::string id;
      for (uint64_t i = 0; i < note.n_descsz; ++i)
        id += fmt::format("{:02x}", uint8_t(notes[text + i]));
      return id;
    }
    at = text + padded(note.n_descsz);
  }
  return {};
}

// Returns nonzero when the object of the address was found.
int look(dl_phdr_info *object, size_t, void *to) {
  Search &search = *static_cast<Search *>(to);
  bool holds = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    holds |= part.p_type == PT_LOAD && search.address - (object->dlpi_addr + part.p_vaddr) < part.p_memsz;
  }
  for (int i = 0; holds && i < object->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      search.id = idIn(reinterpret_cast<const char *>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return holds;
}

} // namespace

std::string buildIdAt(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(look, &search);
  return search.id;
}

} // namespace assay
