import { expect, test } from "vitest";
import { toLines } from "./present-warnings.ts";

const at = (line: number, message: string) => ({ file: "crm/a.ts", line, column: 3, message });

test("equal warnings are one line with their places, the rest counted", () => {
  const many = [1, 2, 3, 4, 5].map((line) => at(line, "console is not kept"));

  expect(toLines([...many, at(9, "other"), { message: "of no file" }])).toEqual([
    "console is not kept (5 times: crm/a.ts:1:3, crm/a.ts:2:3, crm/a.ts:3:3 and 2 more)",
    "crm/a.ts:9:3: other",
    "of no file",
  ]);
});
