import { expect, test } from "vitest";
import { holdsWord } from "./holds-word.ts";

const MAIL = "ada.quay@people.example";
const TEXT = `{"name":"Ada","mail":"Ada.Quay@People.example","n":1}`;

function toBase64(text: string | Buffer): string {
  return Buffer.from(text).toString("base64");
}

const long = toBase64(`${"x".repeat(200)} ${TEXT} ${"y".repeat(200)}`);
const lines = long.match(/.{1,76}/g) ?? [];

test.each([
  ["as it is, in another case", TEXT],
  ["as in an address", "/people?mail=ada.quay%40people.example"],
  ["in base64", `{"data":"${toBase64(TEXT)}"}`],
  ["in base64url", `token ${Buffer.from(`??>>${TEXT}`).toString("base64url")}.rest`],
  ["in base64 of base64", toBase64(`{"data":"${toBase64(TEXT)}"}`)],
  ["in base64, thrice", toBase64(`[${toBase64(`[${toBase64(TEXT)}]`)}]`)],
  ["in a part of a path", `/unsubscribe/now/${toBase64(TEXT)}`],
  ["in a field of a form", `data=${encodeURIComponent(toBase64(`~~~???${TEXT}`))}`],
  ["in base64 whose slashes are escaped", toBase64(`~~~???${TEXT}`).replaceAll("/", "\\/")],
  ["in lines of base64", lines.join("\r\n")],
  ["in lines of base64 in JSON", JSON.stringify({ data: lines.join("\n") })],
  [
    "in base64 of bytes that are no text",
    toBase64(Buffer.concat([Buffer.of(0xff, 0), Buffer.from(TEXT)])),
  ],
])("a word is found %s", async (_, text) => {
  expect(await holdsWord(text, ["unrelated", MAIL])).toBe(true);
});

test.each([
  ["nothing", ""],
  ["another's", `{"data":"${toBase64("bea.moor@people.example")}"}`],
  ["a text that is no base64", "ada quay people example and more of such words"],
  ["random bytes", toBase64(Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256)))],
])("no word is found in %s", async (_, text) => {
  expect(await holdsWord(text, [MAIL])).toBe(false);
});

test("a word is found at the end of one long run of base64", async () => {
  const bytes = Buffer.alloc(12_000_000, "lorem ipsum ");

  expect(await holdsWord(toBase64(Buffer.concat([bytes, Buffer.from(TEXT)])), [MAIL])).toBe(true);
});

test("without words nothing is found", async () => {
  expect(await holdsWord(TEXT, [])).toBe(false);
});

test("a text of megabytes lets others have the thread", async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => toBase64(`${n}`.repeat(40))).join(" ");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);

  const found = await holdsWord(text, [MAIL]);
  clearInterval(timer);

  expect(found).toBe(false);
  expect(turns).toBeGreaterThan(2);
});
