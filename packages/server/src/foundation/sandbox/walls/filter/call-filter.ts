import { CLONE, CLONE3, deniedCalls, IOCTL, LAST_KNOWN_CALL } from "./denied-calls.ts";

// Classic BPF, as seccomp(2) takes it: operations on one accumulator.
const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

// What the program is given: number, architecture, and arguments of 8 bytes, the low half first.
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const failWith = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;

/** Calls of the x32 form have the numbers of others with this bit. */
const X32_BIT = 0x40000000;
const CLONE_THREAD = 0x00010000;
/** Puts input into a terminal; TIOCLINUX does the same on a console. */
const TERMINAL_INPUT = [0x5412, 0x541c];

const machines = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
} as const;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/**
 * The filter of system calls for a function's process, compiled, or undefined where its numbers are not known.
 * A call of another architecture kills the process; a denied one fails with EPERM.
 */
export function compileCallFilter(architecture: string = process.arch): Buffer | undefined {
  if (architecture !== "x64" && architecture !== "arm64") return undefined;
  const { audit, column } = machines[architecture];
  const instructions: Instruction[] = [
    [LOAD_WORD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD_WORD, 0, 0, CALL_NUMBER],
    ...(architecture === "x64" ? returnIf(JUMP_ANY_BIT, X32_BIT, KILL_PROCESS) : []),
    ...returnIf(JUMP_GREATER, LAST_KNOWN_CALL, failWith(ENOSYS)),
    // The C library falls back to clone, whose flags a filter can read.
    ...returnIf(JUMP_EQUAL, CLONE3[column] ?? -1, failWith(ENOSYS)),
    ...Object.values(deniedCalls)
      .flatMap((numbers) => numbers[column] ?? [])
      .flatMap((number) => returnIf(JUMP_EQUAL, number, failWith(EPERM))),
    // Threads only: no process, and no namespace, since the kernel refuses those together.
    [JUMP_EQUAL, 0, 4, CLONE[column] ?? -1],
    [LOAD_WORD, 0, 0, argumentAt(0)],
    [JUMP_ANY_BIT, 1, 0, CLONE_THREAD],
    [RETURN, 0, 0, failWith(EPERM)],
    [RETURN, 0, 0, ALLOW],
    [JUMP_EQUAL, 1, 0, IOCTL[column] ?? -1],
    [RETURN, 0, 0, ALLOW],
    [LOAD_WORD, 0, 0, argumentAt(1)],
    ...TERMINAL_INPUT.flatMap((command) => returnIf(JUMP_EQUAL, command, failWith(EPERM))),
    [RETURN, 0, 0, ALLOW],
  ];
  return encode(instructions);
}

function returnIf(test: number, value: number, result: number): Instruction[] {
  return [
    [test, 0, 1, value],
    [RETURN, 0, 0, result],
  ];
}

/** Both machines are little-endian. */
function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
