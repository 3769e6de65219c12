import { useEffect, useRef } from "react";
import { announce } from "../../data/live/announcer.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber } from "../formats.ts";
import type { Rows } from "./rows.ts";

/** Has it read out how many rows have come above those that were there. */
export function useNewRows<Row>(list: Rows<Row>, keyOf: (row: Row) => string, title: string): void {
  const { tables } = useTexts();
  const known = useRef<{ readonly list: string; readonly first: string } | undefined>(undefined);
  useEffect(() => {
    const [first] = list.rows;
    const before = known.current;
    known.current = first === undefined ? undefined : { list: list.id, first: keyOf(first) };
    if (before?.list !== list.id) return;
    const count = list.rows.findIndex((row) => keyOf(row) === before.first);
    if (count > 0) announce(tables.newRows(title, formatNumber(count)));
  }, [list.rows, list.id, keyOf, title, tables]);
}
