import { expect, test } from "vitest";
import { hexLines, textOf } from "./body-bytes.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("bytes are text only where they are UTF-8, and a cut one may end within a character", () => {
  const euro = bytesOf("5 €");

  expect(textOf(euro, false)).toBe("5 €");
  expect(textOf(euro.subarray(0, 4), false)).toBeUndefined();
  expect(textOf(euro.subarray(0, 4), true)).toBe("5 ");
  expect(textOf(Uint8Array.of(0xff, 0x00, 0xfe, 0x41, 0x42), true)).toBeUndefined();
});

test("a line has its offset, 8 bytes and their characters; long bodies are cut", () => {
  const { text } = hexLines(Uint8Array.of(...bytesOf('{"a":"b"}'), 0x00, 0xff));
  const long = hexLines(new Uint8Array(20_000));

  expect(text.split("\n")).toEqual([
    '000000  7b 22 61 22 3a 22 62 22  {"a":"b"',
    `000008  7d 00 ff${" ".repeat(17)}}..`,
  ]);
  expect(long.bytes).toBe(16_384);
});
