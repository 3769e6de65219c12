import type { SandboxLevel } from "./level.ts";

/** Something to be started behind walls. */
export interface Program {
  readonly path: string;
  /** Files that it reads besides its libraries. */
  readonly files: readonly string[];
  /** It reads what lies next to it. */
  readonly readsFolder?: boolean;
  /** Most threads and processes. */
  readonly tasks: number;
}

export interface StartOptions {
  /** Absent where processes have no user ids of their own. Text where a script fills it in. */
  readonly uid: number | string | undefined;
  /** Cap on writable memory. */
  readonly dataLimitBytes: number | undefined;
}

/** A program made ready: what precedes it on the command line, and how its process sees its files. */
export interface Cell {
  readonly program: string;
  readonly files: readonly string[];
  /** Files of the machine that are open in the first of the commands, from descriptor 4 on. */
  readonly descriptors: readonly string[];
  wrap(options: StartOptions): string[];
}

/** A way to start programs on this machine. */
export interface Wall {
  readonly level: SandboxLevel;
  /** Whether processes have the filter of system calls. */
  readonly filtersCalls: boolean;
  /** Each process is started with a user id that no other process has. */
  readonly needsUserId: boolean;
  /** Whether the kernel accepts limits; not without `prlimit`. */
  readonly hasLimits: boolean;
  /** Throws with a reason when the machine lacks something. */
  prepare(program: Program): Promise<Cell>;
}
