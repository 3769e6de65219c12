import { expect, test } from "vitest";
import { findDoubledWords } from "../scripts/checks/doubled-words.ts";

test.each([
  ["docs/x.md", "It reads the the page."],
  ["docs/x.md", "The client id client id of an app."],
  ["packages/cli/src/x.ts", '.option("--port <port>", "port port to listen on")'],
])("words written twice are found: %s %s", (path, text) => {
  expect(findDoubledWords(new Map([[path, text]]))).toHaveLength(1);
});

test.each([
  ["docs/x.md", "Read only what is read by the page page_size."],
  ["packages/cli/src/x.ts", "const port = port + port;"],
  ["packages/server/src/x.ts", 'sql("begin isolation level repeatable read read only")'],
])("what is no repetition, no text or meant is left: %s %s", (path, text) => {
  expect(findDoubledWords(new Map([[path, text]]))).toEqual([]);
});
