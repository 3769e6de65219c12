import { expect, test } from "vitest";
import { boundWidth, moveColumn, orderColumns } from "./order-columns.ts";

const ids = ["id", "state", "name", "at"];
const columns = ids.map((id) => ({ id }));

test("columns have the chosen order; the first stays, and others follow", () => {
  const orderOf = (order: readonly string[]) =>
    orderColumns(columns, { order }).map(({ id }) => id);

  expect(orderOf([])).toEqual(ids);
  expect(orderOf(["at", "state"])).toEqual(["id", "at", "state", "name"]);
  expect(orderOf(["at", "gone", "id"])).toEqual(["id", "at", "state", "name"]);
  expect(orderColumns([], { order: ["id"] })).toEqual([]);
});

test("a column moves to the place of another one, and none before the first", () => {
  expect(moveColumn(ids, "at", "state")).toEqual(["id", "at", "state", "name"]);
  expect(moveColumn(ids, "state", "at")).toEqual(["id", "name", "at", "state"]);
  expect(moveColumn(ids, "at", "id")).toEqual(ids);
  expect(moveColumn(ids, "id", "at")).toEqual(ids);
  expect(moveColumn(ids, "gone", "at")).toEqual(ids);
});

test("a width is whole and bounded", () => {
  expect([boundWidth(1), boundWidth(99.6), boundWidth(1e6)]).toEqual([48, 100, 1200]);
});
