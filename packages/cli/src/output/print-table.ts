/** Rows in columns as wide as their longest value; the first row names them. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of rows) {
    const cells = row.map((text, column) => text.padEnd(widths[column] ?? 0));
    console.log(cells.join("  ").trimEnd());
  }
}
