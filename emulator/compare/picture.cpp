#include "picture.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay::compare {
namespace {

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '&'   ? std::string("&amp;")
              : c == '<' ? std::string("&lt;")
              : c == '>' ? std::string("&gt;")
              : c == '"' ? std::string("&quot;")
                         : std::string(1, c);
  return result;
}

HeatCell cellOf(const Difference &pair, Verdict verdict, ScalarType type) {
  switch (verdict) {
  case Verdict::EqualBits: return {};
  case Verdict::Close: return {.heat = Heat::Close};
  case Verdict::Unwritten: return {.heat = Heat::UnwrittenOnBoth};
  case Verdict::Different: break;
  }
  if (pair.unwrittenA != pair.unwrittenB)
    return {.heat = Heat::UnwrittenOnOne};
  if (isNan(pair.a, type) != isNan(pair.b, type))
    return {.heat = Heat::NotANumber};
  return {.heat = Heat::Different, .ulps = pair.ulps};
}

// Yellow to dark red: a doubling of the distance is a step, from 1 to 2^24 and more.
std::string colourOf(const HeatCell &cell) {
  switch (cell.heat) {
  case Heat::Equal: return "#eef1f4";
  case Heat::Close: return "#a9d6a5";
  case Heat::UnwrittenOnBoth: return "#b9b9c6";
  case Heat::UnwrittenOnOne: return "#3a3a9e";
  case Heat::NotANumber: return "#8a1fa8";
  case Heat::Different: break;
  }
  const double step = std::min(1.0, double(ulpBucket(cell.ulps)) / 25);
  const auto mix = [&](int from, int to) { return int(from + step * (to - from) + 0.5); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0xff, 0x9c), mix(0xd5, 0x00), mix(0x4a, 0x10));
}

std::string cellText(const HeatCell &cell) {
  switch (cell.heat) {
  case Heat::Equal: return "equal bits";
  case Heat::Close: return "within the tolerance";
  case Heat::UnwrittenOnBoth: return "written by neither side";
  case Heat::UnwrittenOnOne:
    return fmt::format("{} different, some written by one side only", cell.different);
  case Heat::NotANumber: return fmt::format("{} different, NaN against a number", cell.different);
  case Heat::Different: return fmt::format("{} different, up to {} ulps", cell.different, cell.ulps);
  }
  return "";
}

std::string svg(const HeatMap &map) {
  const uint64_t size =
      std::max<uint64_t>(2, std::min<uint64_t>(14, 960 / std::max<uint64_t>(1, map.columns)));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {2} "
      "{3}\" shape-rendering=\"crispEdges\">\n<rect width=\"{2}\" height=\"{3}\" fill=\"#eef1f4\"/>\n",
      map.columns * size, map.rows * size, map.columns, map.rows);
  for (uint64_t row = 0; row < map.rows; ++row)
    for (uint64_t column = 0; column < map.columns;) {
      HeatCell cell = map.cells[row * map.columns + column];
      const auto look = [](const HeatCell &one) { return std::pair(one.heat, ulpBucket(one.ulps)); };
      const auto first = look(cell);
      uint64_t end = column + 1;
      for (; end < map.columns && look(map.cells[row * map.columns + end]) == first; ++end) {
        cell.different += map.cells[row * map.columns + end].different;
        cell.ulps = std::max(cell.ulps, map.cells[row * map.columns + end].ulps);
      }
      if (cell.heat != Heat::Equal)
        text += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"1\" fill=\"{}\"><title>rows {}, columns {}: "
            "{}</title></rect>\n",
            column, row, end - column, colourOf(cell), row * map.rowsInCell,
            end - column > 1 || map.columnsInCell > 1
                ? fmt::format("{}-{}", column * map.columnsInCell,
                              std::min(end * map.columnsInCell, map.elementColumns) - 1)
                : fmt::format("{}", column),
            cellText(cell));
      column = end;
    }
  return text + "</svg>\n";
}

} // namespace

HeatMap::HeatMap(const std::vector<uint64_t> &shape, uint64_t maxRows, uint64_t maxColumns) {
  uint64_t count = 1;
  for (uint64_t extent : shape)
    count *= extent;
  elementColumns = shape.empty() ? 1 : shape.back();
  elementRows = elementColumns ? count / elementColumns : 0;
  if (shape.size() == 1 && elementColumns > 64) { // a long row becomes a page
    elementColumns = 64;
    elementRows = (count + 63) / 64;
  }
  rowsInCell = std::max<uint64_t>(1, (elementRows + maxRows - 1) / maxRows);
  columnsInCell = std::max<uint64_t>(1, (elementColumns + maxColumns - 1) / maxColumns);
  rows = (elementRows + rowsInCell - 1) / rowsInCell;
  columns = (elementColumns + columnsInCell - 1) / columnsInCell;
  cells.resize(rows * columns);
}

void HeatMap::add(const Difference &pair, uint64_t count, Verdict verdict, ScalarType type) {
  const HeatCell one = cellOf(pair, verdict, type);
  if (one.heat == Heat::Equal)
    return;
  const auto addBlock = [&](uint64_t row, uint64_t endRow, uint64_t column, uint64_t endColumn) {
    for (uint64_t r = row; r < endRow;) {
      const uint64_t nextRow = std::min(endRow, (r / rowsInCell + 1) * rowsInCell);
      for (uint64_t c = column; c < endColumn;) {
        const uint64_t nextColumn = std::min(endColumn, (c / columnsInCell + 1) * columnsInCell);
        HeatCell &cell = cells[r / rowsInCell * columns + c / columnsInCell];
        cell.heat = std::max(cell.heat, one.heat);
        cell.ulps = std::max(cell.ulps, one.ulps);
        if (verdict == Verdict::Different)
          cell.different += (nextRow - r) * (nextColumn - c);
        c = nextColumn;
      }
      r = nextRow;
    }
  };
  // The end of a row, whole rows, the beginning of one.
  uint64_t at = pair.index;
  const uint64_t end = at + count;
  while (at < end) {
    const uint64_t row = at / elementColumns, column = at % elementColumns;
    if (column == 0 && end - at >= elementColumns) {
      const uint64_t whole = (end - at) / elementColumns;
      addBlock(row, row + whole, 0, elementColumns);
      at += whole * elementColumns;
    } else {
      const uint64_t some = std::min(end - at, elementColumns - column);
      addBlock(row, row + 1, column, column + some);
      at += some;
    }
  }
}

std::string htmlPicture(const std::string &title, const std::vector<std::string> &facts,
                        const std::vector<PictureOutput> &outputs) {
  std::string page =
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
                  "<style>body{{font:14px sans-serif;margin:2em}}code{{white-space:pre-wrap}}"
                  "svg{{border:1px solid #888}}.key span{{display:inline-block;width:1em;height:1em;"
                  "margin:0 .3em 0 1em;vertical-align:-2px}}</style></head>\n<body><h1>{0}</h1>\n",
                  escaped(title));
  for (const std::string &fact : facts)
    page += fmt::format("<p><code>{}</code></p>\n", escaped(fact));
  page += "<p class=\"key\">";
  const std::pair<HeatCell, const char *> kKey[] = {{{Heat::Equal, 0, 0}, "equal bits"},
                                                    {{Heat::Close, 0, 0}, "within the tolerance"},
                                                    {{Heat::Different, 1, 0}, "1 ulp"},
                                                    {{Heat::Different, 1 << 12, 0}, "4096"},
                                                    {{Heat::Different, 1 << 24, 0}, "2^24 and more"},
                                                    {{Heat::NotANumber, 0, 0}, "NaN against a number"},
                                                    {{Heat::UnwrittenOnOne, 0, 0}, "written by one side"},
                                                    {{Heat::UnwrittenOnBoth, 0, 0}, "written by neither"}};
  for (const auto &[cell, text] : kKey)
    page += fmt::format("<span style=\"background:{}\"></span>{}", colourOf(cell), text);
  page += "</p>\n";
  for (const PictureOutput &output : outputs) {
    const HeatMap &map = output.map;
    std::string rows;
    for (size_t i = 0; i + 1 < output.axes.size(); ++i)
      rows += (rows.empty() ? "" : " x ") + output.axes[i];
    page += fmt::format("<h2>{}</h2>\n<p>{}</p>\n<p>{} rows{}, {} columns{}; a cell is {} x {}</p>\n",
                        escaped(output.name), escaped(output.summary), map.elementRows,
                        rows.empty() ? "" : " (" + escaped(rows) + ")", map.elementColumns,
                        output.axes.size() > 1 ? " (" + escaped(output.axes.back()) + ")" : "",
                        map.rowsInCell, map.columnsInCell);
    page += svg(map);
  }
  return page + "</body></html>\n";
}

} // namespace assay::compare
