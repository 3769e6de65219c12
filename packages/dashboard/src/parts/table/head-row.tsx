import { type PointerEvent, useRef } from "react";
import { changeTable, useTableLook } from "../../data/preferences.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { boundWidth, moveColumn } from "./order-columns.ts";

interface Named {
  readonly id: string;
  readonly header: string;
  readonly isNumber?: boolean;
}

/**
 * The names of the columns. One is dragged to the place of another one, and at its edge to be wider: by pointer alone,
 * since the menu of columns does both as well.
 */
export function HeadRow({
  table,
  columns,
  isSelectable,
}: {
  table: string;
  columns: readonly Named[];
  isSelectable: boolean;
}) {
  const { tables: texts } = useTexts();
  const dragged = useRef<string>(undefined);
  const ids = columns.map(({ id }) => id);
  return (
    <tr aria-rowindex={1}>
      {isSelectable && (
        <th scope="col">
          <span className="hidden">{texts.selection}</span>
        </th>
      )}
      {columns.map(({ id, header, isNumber }, place) => (
        <th
          scope="col"
          key={id}
          data-column={id}
          className={isNumber === true ? "number" : ""}
          draggable={place > 0}
          onDragStart={(event) => {
            dragged.current = id;
            // Firefox begins no drag without data.
            event.dataTransfer.setData("text/plain", header);
            event.dataTransfer.effectAllowed = "move";
          }}
          onDragEnd={() => {
            dragged.current = undefined;
          }}
          onDragOver={(event) => {
            if (dragged.current !== undefined && place > 0) event.preventDefault();
          }}
          onDrop={(event) => {
            if (dragged.current === undefined) return;
            event.preventDefault();
            changeTable(table, { order: moveColumn(ids, dragged.current, id) });
          }}
        >
          {header}
          <Edge table={table} id={id} />
        </th>
      ))}
    </tr>
  );
}

/** The right edge of a column, which is dragged to size it; a double click takes its width back. */
function Edge({ table, id }: { table: string; id: string }) {
  const { widths = {} } = useTableLook(table);
  const begun = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const begin = (event: PointerEvent<HTMLSpanElement>) => {
    // Else the column would be dragged.
    event.preventDefault();
    const width = event.currentTarget.parentElement?.getBoundingClientRect().width;
    if (width === undefined) return;
    begun.current = { x: event.clientX, width };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const size = ({ clientX }: PointerEvent<HTMLSpanElement>) => {
    if (begun.current === undefined) return;
    const width = boundWidth(begun.current.width + clientX - begun.current.x);
    if (width !== widths[id]) changeTable(table, { widths: { ...widths, [id]: width } });
  };
  return (
    <span
      className="edge"
      aria-hidden="true"
      onPointerDown={begin}
      onPointerMove={size}
      onPointerUp={() => {
        begun.current = undefined;
      }}
      onPointerCancel={() => {
        begun.current = undefined;
      }}
      onDoubleClick={() => {
        const { [id]: _own, ...others } = widths;
        changeTable(table, { widths: others });
      }}
    />
  );
}
