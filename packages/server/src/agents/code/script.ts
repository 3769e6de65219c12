import { scriptLimits } from "@jackfield/contract/script-limits";
import { type EnvironmentContext, HOUR, MINUTE, SECOND } from "#foundation";
import { digestOf } from "#mcp";
import type { AssociatedData } from "#vault";
import type { ServedSession } from "../sessions/session.ts";

/** What an agent wants run: TypeScript, and what the script gets as `input`. */
export interface ScriptText {
  readonly code: string;
  readonly input: unknown;
  /** 32 hexadecimal digits: random numbers of the script come from it. */
  readonly seed: string;
}

/** A script that has begun, as an attempt to run it sees it. */
export interface Script {
  readonly id: string;
  readonly sessionId: string;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly reservedMs: number;
}

/** Who runs a script. */
export interface CodePlace {
  readonly session: ServedSession;
  readonly client: string | undefined;
}

/** A call on the tape. */
export interface TapedCall {
  readonly position: number;
  readonly digest: Buffer;
  /** Whether a request that changes something may have been sent. */
  readonly hasChanged: boolean;
  readonly answer:
    | { readonly order: number; readonly at: Date; readonly sealed: Buffer }
    | undefined;
}

export const RUN_MS: number = scriptLimits.seconds * SECOND;
/** Since its last attempt began: so long a script that waits, or has ended, is kept. */
export const KEPT_MS: number = HOUR;
/** Scripts of a session that run or wait. */
export const MOST_OPEN = 10;
/** Ended ones are kept for a client that did not get the answer. */
export const MOST_KEPT = 50;
/** Answers of one script together; open scripts of a session may hold `MOST_OPEN` times as much. */
export const TAPE_BYTES: number = 8 * 1024 * 1024;
export const MOST_ATTEMPTS = 30;
/** An attempt says so often that it lives, and is given up when it has not for the length of its lease. */
export const HEARTBEAT_MS: number = SECOND;
export const LEASE_MS: number = 4 * SECOND;
/** How long a call waits for an attempt that runs in another process. */
export const JOIN_MS: number = RUN_MS + MINUTE / 6;

const PREFIX = "scr_";

export function handleOf({ id }: Pick<Script, "id">): string {
  return PREFIX + id;
}

/** Undefined for what is no handle. */
export function readHandle(handle: string): string | undefined {
  return /^scr_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(handle)?.[1];
}

export function digestScript({ code, input }: Pick<ScriptText, "code" | "input">): Buffer {
  return digestOf([code, input ?? null]);
}

type Sealed = "code" | "answer";

export function scriptAad(
  { environment }: Pick<EnvironmentContext, "environment">,
  column: Sealed,
  row: string,
): AssociatedData {
  return { environmentId: environment.id, table: "agent_scripts", column, row };
}

export function tapeAad(
  { environment }: Pick<EnvironmentContext, "environment">,
  { id }: Pick<Script, "id">,
  position: number,
): AssociatedData {
  const row = `${id}/${position}`;
  return { environmentId: environment.id, table: "agent_script_calls", column: "answer", row };
}
