import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber } from "../formats.ts";

/** What is chosen in a list: rows of it, or all that its filter lets through. */
export type Chosen<Row> =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  | { readonly kind: "all" };

/** Says how much is chosen, and what can be done with it. */
export function SelectionBar<Row>({
  chosen,
  matching,
  onAll,
  onClear,
  children,
}: {
  chosen: Chosen<Row>;
  /** How many the filter lets through, where that is known. */
  matching: number | undefined;
  /** Left out where nothing can be done by filter. */
  onAll: (() => void) | undefined;
  onClear: () => void;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const all = matching === undefined ? undefined : formatNumber(matching);
  return (
    <section className="selection" aria-label={tables.selection}>
      <span role="status">
        {chosen.kind === "all"
          ? tables.allSelected(all)
          : tables.selected(formatNumber(chosen.rows.length))}
      </span>
      {chosen.kind === "rows" && onAll !== undefined && (
        <Button className="button small" onPress={onAll}>
          {tables.selectAll(all)}
        </Button>
      )}
      {children}
      <Button className="button small" onPress={onClear}>
        {tables.clearSelection}
      </Button>
    </section>
  );
}
