import { expect, test } from "vitest";
import { checkLines } from "./check-lines.ts";

test.each([
  ["no JSON", '{"id":"1",}'],
  ["a list", '["id"]'],
  ["a text", '"id"'],
  ["nothing", ""],
  ["no id", '{"a":1}'],
  ["another id", '{"id":"2"}'],
  ["a number as id", '{"id":1}'],
  ["an id within", '{"a":{"id":"1"}}'],
  ["two ids", '{"id":"1","id":"2"}'],
  ["two ids, one escaped", '{"id":"1","\\u0069d":"2"}'],
  ["two objects", '{"id":"1"}{"id":"1"}'],
  ["an object that is cut", '{"id":"1","a":[{"b":"}'],
  ["a brace that closes nothing", '{"id":"1"}}'],
  ["a member of the page", '{"id":"1"},{"id":"2"}'],
  ["a text that Postgres cannot hold", '{"id":"1","a":"\\u0000"}'],
  ["half a surrogate pair", '{"id":"1","a":"\\ud800"}'],
  ["too many levels", `{"id":"1","a":${"[".repeat(1000)}${"]".repeat(1000)}}`],
])("a line with %s is refused", async (_, line) => {
  expect(await checkLines(["1"], Buffer.from(line))).toHaveProperty("fault");
});

test.each([
  ["a missing line", ["1", "2"], '{"id":"1"}'],
  ["a line too many", ["1"], '{"id":"1"}\n{"id":"2"}'],
  ["lines in another order", ["2", "1"], '{"id":"1"}\n{"id":"2"}'],
  ["an id twice", ["1", "1"], '{"id":"1"}\n{"id":"1"}'],
  ["a line break within", ["1"], '{"id":"1",\n"a":2}'],
])("a batch with %s is refused", async (_, ids, body) => {
  expect(await checkLines(ids, Buffer.from(body))).toHaveProperty("fault");
});

test("bytes that are no UTF-8 are refused", async () => {
  const body = Buffer.concat([Buffer.from('{"id":"1","a":"'), Buffer.of(0xff), Buffer.from('"}')]);

  expect(await checkLines(["1"], body)).toEqual({ fault: "is not UTF-8" });
});

test("each record's line is passed on as it is", async () => {
  const ids = ["1", 'a"\\ü', "x\ny"];
  const lines = ids.map((id, n) => JSON.stringify({ a: [n, { id: 7 }], id, z: "é😀" }));

  const checked = await checkLines(ids, Buffer.from(lines.join("\n")));

  expect("lines" in checked && checked.lines.map((line) => Buffer.from(line).toString())).toEqual(
    lines,
  );
});

test("a batch of megabytes lets others have the thread", async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
  const lines = ids.map((id) => JSON.stringify({ id, list: Array(200_000).fill([]) }));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);

  const checked = await checkLines(ids, Buffer.from(lines.join("\n")));
  clearInterval(timer);

  expect(checked).toHaveProperty("lines");
  expect(turns).toBeGreaterThan(5);
});
