type Cell = string | number | null;

/** A CSV file (RFC 4180). Text that a spreadsheet would take for a formula is led by an apostrophe. */
export function toCsv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((cells) => `${cells.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
