import { expect, test } from "vitest";
import { compileCallFilter } from "./call-filter.ts";
import { deniedCalls } from "./denied-calls.ts";

const ALLOWED = "allow";
const architectures = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, clone3: 435, ioctl: 16, read: 0 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, clone3: 435, ioctl: 29, read: 63 },
} as const;
type Architecture = keyof typeof architectures;

interface Call {
  readonly number: number;
  readonly audit?: number;
  readonly first?: number;
  readonly second?: number;
}

/** Runs a filter as the kernel does, with the few operations that it has. */
function judge(architecture: Architecture, call: Call): string {
  const filter = compileCallFilter(architecture);
  if (filter === undefined) throw new Error("no filter");
  const { audit = architectures[architecture].audit, first = 0, second = 0 } = call;
  const words = new Map([
    [0, call.number],
    [4, audit],
    [16, first],
    [24, second],
  ]);
  let value = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at);
    const operand = filter.readUInt32LE(at + 4);
    const jump = (holds: boolean) => 8 * filter.readUInt8(at + (holds ? 2 : 3));
    if (code === 0x20) value = words.get(operand) ?? Number.NaN;
    else if (code === 0x15) at += jump(value === operand);
    else if (code === 0x25) at += jump(value > operand);
    else if (code === 0x45) at += jump((value & operand) !== 0);
    else if (code === 0x06) return nameOf(operand);
    else throw new Error(`unknown operation ${code}`);
  }
  throw new Error("the filter ends without an answer");
}

function nameOf(result: number): string {
  if (result === 0x7fff0000) return ALLOWED;
  if (result === 0x80000000) return "kill";
  return result >>> 16 === 5 ? `errno ${result & 0xffff}` : `unknown ${result}`;
}

const names: Architecture[] = ["x64", "arm64"];

test.each(names)("on %s the listed calls fail, and others pass", (name) => {
  const { column, read } = architectures[name];
  const numbers = Object.values(deniedCalls).flatMap((pair) => pair[column] ?? []);

  expect(numbers.filter((number) => judge(name, { number }) !== "errno 1")).toEqual([]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(judge(name, { number: read })).toBe(ALLOWED);
  const passing = Array.from({ length: 451 }, (_, number) => number).filter(
    (number) => judge(name, { number }) === ALLOWED,
  );
  expect(passing).toHaveLength(451 - numbers.length - 2);
});

test.each(names)("on %s threads may be made, but neither processes nor namespaces", (name) => {
  const { clone, clone3 } = architectures[name];
  const thread = 0x003d0f00;

  expect(judge(name, { number: clone, first: thread })).toBe(ALLOWED);
  expect(judge(name, { number: clone, first: 17 })).toBe("errno 1");
  expect(judge(name, { number: clone, first: 0x10000000 | 17 })).toBe("errno 1");
  expect(judge(name, { number: clone3 })).toBe("errno 38");
});

test.each(names)("on %s calls that are newer than the filter do not exist", (name) => {
  for (const number of [451, 470, 1000]) expect(judge(name, { number })).toBe("errno 38");
});

test.each(names)("on %s a call of another architecture kills the process", (name) => {
  expect(judge(name, { number: 0, audit: 0x40000003 })).toBe("kill");
  expect(judge("x64", { number: 0x40000000 })).toBe("kill");
});

test.each(names)("on %s nothing is put into a terminal", (name) => {
  const { ioctl } = architectures[name];

  expect(judge(name, { number: ioctl, second: 0x5401 })).toBe(ALLOWED);
  expect(judge(name, { number: ioctl, second: 0x5412 })).toBe("errno 1");
  expect(judge(name, { number: ioctl, second: 0x541c })).toBe("errno 1");
});

test("there is no filter for a machine whose numbers are not known", () => {
  expect(compileCallFilter("riscv64")).toBeUndefined();
});
