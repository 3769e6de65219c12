import { memo } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import type { Target } from "../go.tsx";
import type { Column } from "./column.ts";
import { RowLink } from "./row-link.tsx";

export interface BodyRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  /** Pixels from the top of the first row. */
  readonly start: number;
  readonly shown: readonly Column<Row>[];
  readonly targetOf: (row: Row) => Target;
  readonly isSelectable: boolean;
  readonly select: (index: number, ranges: boolean) => void;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onActive: (index: number) => void;
}

/** A row, drawn again only when something of it has changed: while a list scrolls those that stay cost nothing. */
export const BodyRow = memo(PlainBodyRow) as typeof PlainBodyRow;

function PlainBodyRow<Row>({
  row,
  index,
  start,
  shown,
  targetOf,
  isSelectable,
  select,
  isOpen,
  isActive,
  isChosen,
  onActive,
}: BodyRowProps<Row>) {
  const { tables } = useTexts();
  return (
    <tr
      className={isOpen ? "open" : undefined}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)` }}
    >
      {isSelectable && (
        <td className="select">
          <input
            type="checkbox"
            aria-label={tables.selectRow}
            tabIndex={isActive ? 0 : -1}
            checked={isChosen}
            onChange={() => undefined}
            onClick={(event) => select(index, event.shiftKey)}
          />
        </td>
      )}
      {shown.map(({ id, isNumber, cell }, place) => (
        <td key={id} className={isNumber === true ? "number" : undefined}>
          {place === 0 ? (
            <RowLink
              target={targetOf(row)}
              {...{ index, isActive, isOpen }}
              onFocus={() => onActive(index)}
            >
              {cell(row)}
            </RowLink>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}
