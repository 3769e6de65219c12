import type { ReactNode } from "react";

export interface PlainColumn<Row> {
  readonly header: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** A table of few rows, all of them in the document; the first column names the row. */
export function PlainTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly PlainColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="plain-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ header, isNumber }) => (
              <th scope="col" key={header} className={isNumber === true ? "number" : ""}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ header, isNumber, cell }, place) =>
                place === 0 ? (
                  <th scope="row" key={header}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={header} className={isNumber === true ? "number" : ""}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
