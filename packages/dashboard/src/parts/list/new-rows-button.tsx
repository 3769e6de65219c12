import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Button } from "react-aria-components/Button";
import { noteWaitingList } from "../../data/live/title.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber } from "../formats.ts";
import type { Rows } from "./rows.ts";

/**
 * Shows what has changed in a list that does not move while it is read, and says how many rows are new. The tab of the
 * browser says that something waits.
 */
export function NewRowsButton<Row>({
  list,
  keyOf,
  onShow,
}: {
  list: Rows<Row>;
  keyOf: (row: Row) => string;
  onShow: () => void;
}) {
  const { tables } = useTexts();
  useEffect(() => noteWaitingList(), []);
  const { id, readFirst, restart } = list;
  const queryKey: readonly unknown[] = JSON.parse(id);
  const { data: first } = useQuery({
    // Begins as the list's own: what announces a change of the list has this read again.
    queryKey: [...queryKey, "first page"],
    queryFn: async ({ signal }) => (await readFirst?.(signal)) ?? null,
    staleTime: 0,
    gcTime: 0,
  });
  const waiting = first?.length === undefined ? undefined : countNew(first, list.rows, keyOf);
  return (
    <Button
      className="button small"
      onPress={() => {
        onShow();
        void restart?.();
      }}
    >
      {waiting === undefined || waiting.count === 0
        ? tables.showNew
        : tables.newWaiting(`${formatNumber(waiting.count)}${waiting.isLeast ? "+" : ""}`)}
    </Button>
  );
}

/** Rows above the first one that is known; at least as many where the page has none that is. */
function countNew<Row>(
  first: readonly Row[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): { readonly count: number; readonly isLeast: boolean } {
  const known = new Set(rows.map(keyOf));
  const place = first.findIndex((row) => known.has(keyOf(row)));
  return place === -1 ? { count: first.length, isLeast: true } : { count: place, isLeast: false };
}
