import { useState } from "react";
import { createPortal, flushSync } from "react-dom";
import { columnTexts } from "../../texts/screens/lists/columns.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";
import type { Column } from "../table/column.ts";

/** Copies rows as lines of text with the columns that are shown, or as the API has them. */
export function CopyRows<Row>({
  rows,
  columns,
}: {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}) {
  const texts = useTextsOf(columnTexts);
  const [isDrawn, setDrawn] = useState(false);
  // Outside of the page: only the rows in sight are in it.
  const [place] = useState(() => document.createElement("table"));
  const readCells = () => {
    flushSync(() => setDrawn(true));
    const lines = [...place.rows].map((row) => [...row.cells].map(textOfCell).join("\t"));
    flushSync(() => setDrawn(false));
    return [columns.map(({ header }) => header).join("\t"), ...lines].join("\n");
  };
  return (
    <>
      <CopyButton isSmall label={texts.copyAsText} text={readCells} />
      <CopyButton
        isSmall
        label={texts.copyAsJson}
        text={() => JSON.stringify(rows, undefined, 2)}
      />
      {isDrawn &&
        createPortal(
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows are drawn once
              <tr key={index}>
                {columns.map(({ id, cell }) => (
                  <td key={id}>{cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>,
          place,
        )}
    </>
  );
}

/** The text of a cell in one line: times with their zone, ids whole, and no signs next to words. */
function textOfCell(cell: HTMLTableCellElement): string {
  const shown = document.createElement("div");
  shown.append(cell.cloneNode(true));
  for (const sign of shown.querySelectorAll("[aria-hidden=true]")) sign.remove();
  for (const time of shown.querySelectorAll("time")) time.textContent = time.dateTime;
  for (const cut of shown.querySelectorAll<HTMLElement>("[title]")) {
    if (cut.textContent?.includes("…") === true) cut.textContent = cut.title;
  }
  return (shown.textContent ?? "").replaceAll(/\s+/g, " ").trim();
}
