import { expect, test } from "vitest";
import { orderByReferences } from "./catalog.ts";

test("tables come after those that they refer to, and circles end", () => {
  const tables = [
    { id: "deliveries", refersTo: ["receivers", "environments"] },
    { id: "receivers", refersTo: ["environments"] },
    { id: "environments", refersTo: ["accounts", "elsewhere"] },
    { id: "accounts", refersTo: [] },
    { id: "a", refersTo: ["b"] },
    { id: "b", refersTo: ["a", "b"] },
  ];

  const ordered = orderByReferences(tables).map(({ id }) => id);

  expect(ordered).toEqual(["accounts", "environments", "receivers", "deliveries", "b", "a"]);
});
