import { expect, test } from "vitest";
import { toReadableLine } from "./readable-lines.ts";

const plain = { colours: false };

test("a line for a terminal has time, level, event and fields, errors by what they say", () => {
  const at = new Date(2026, 0, 2, 3, 4, 5);
  const error = {
    type: "error",
    message: "relation is gone",
    stack: "at somewhere",
    cause: { type: "Error", message: "first" },
  };
  const line = {
    level: 50,
    time: at.getTime(),
    port: 5432,
    name: "two words",
    error,
    msg: "it.failed",
  };

  const text = toReadableLine(`${JSON.stringify(line)}\n`, plain);

  expect(text).toBe(
    '03:04:05 error it.failed port=5432 name="two words" error=error: relation is gone (Error: first)\n',
  );
});

test("what is no line of the log is printed as it came", () => {
  expect(toReadableLine("plain words\n", plain)).toBe("plain words\n");
});

test("colours are for terminals that have them", () => {
  const line = '{"level":30,"time":0,"msg":"it.began"}\n';

  expect(toReadableLine(line, { colours: true })).toContain("\u001b[");
  expect(toReadableLine(line, plain)).not.toContain("\u001b[");
});
