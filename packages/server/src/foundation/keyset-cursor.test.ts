import { expect, test } from "vitest";
import { keysetCursor } from "./keyset-cursor.ts";

const position = { createdAt: new Date(1_790_000_000_123), id: crypto.randomUUID() };
const logs = keysetCursor({ radix: 36, separator: "." });
const deliveries = keysetCursor({ radix: 10, separator: "/" });

test.each([
  ["logs", logs],
  ["deliveries", deliveries],
])("a cursor of %s is read back,", (_name, cursors) => {
  const cursor = cursors.write(position);

  expect(cursors.read(cursor)).toEqual(position);
});

test("texts that were not written so are refused", () => {
  const own = logs.write(position);
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const wrong = [
    "",
    `${own}A`,
    own.slice(1),
    deliveries.write(position),
    encode(`mubbs7ln.${position.id.toUpperCase()}`),
    encode(`0mubbs7ln.${position.id}`),
    encode(position.id),
  ];

  for (const cursor of wrong) expect(() => logs.read(cursor)).toThrow("The cursor was altered");
});
