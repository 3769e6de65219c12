import type { TableLook } from "../../start/stored-preferences.ts";

interface Named {
  readonly id: string;
}

/**
 * Columns in the order that a person has chosen, those that were not named after them. The first one stays the first,
 * since it leads on.
 */
export function orderColumns<Column extends Named>(
  columns: readonly Column[],
  { order = [] }: TableLook,
): readonly Column[] {
  const [first, ...others] = columns;
  if (first === undefined) return columns;
  const placeOf = ({ id }: Named) => {
    const place = order.indexOf(id);
    return place === -1 ? order.length : place;
  };
  return [first, ...others.toSorted((a, b) => placeOf(a) - placeOf(b))];
}

/** The names of columns with one of them before or after another one. */
export function moveColumn(ids: readonly string[], moved: string, target: string): string[] {
  const from = ids.indexOf(moved);
  const to = ids.indexOf(target);
  // The first one leads on, and stays.
  if (from <= 0 || to <= 0) return [...ids];
  const next = ids.toSpliced(from, 1);
  return next.toSpliced(to, 0, moved);
}

export const LEAST_WIDTH = 48;
export const MOST_WIDTH = 1200;

export function boundWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, LEAST_WIDTH), MOST_WIDTH));
}
