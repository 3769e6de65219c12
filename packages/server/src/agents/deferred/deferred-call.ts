import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type EnvironmentContext, HOUR, SECOND } from "#foundation";
import type { Round } from "#mcp";
import { openJson, sealJson } from "#vault";
import type { DeferredRow } from "./store.ts";

/** The extension of the protocol by which a client follows a call (`io.modelcontextprotocol/tasks`). */
export const TASKS = "io.modelcontextprotocol/tasks";

export const LIFE_MS: number = HOUR;
/** Of a session; a call beyond it is answered as for clients without tasks. */
export const MOST_OPEN = 50;
export const MOST_KEPT = 50;
const POLL_MS = 5 * SECOND;
export const LEASE_MS: number = 15 * SECOND;
export const HEARTBEAT_MS: number = 2 * SECOND;

/** The call, and what its client's user has answered. */
export interface DeferredCall {
  readonly name: string;
  readonly given: unknown;
  readonly client: string | undefined;
  readonly canAsk: boolean;
  readonly canOpen: boolean;
  readonly keptId?: string | undefined;
  readonly answers: Readonly<Record<string, ReturnType<Round["answers"]["get"]>>>;
}

export type Outcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly code: number; readonly message: string } };

type Column = "call" | "asked" | "result";
interface Sealed {
  readonly call: DeferredCall;
  readonly asked: InputRequests;
  readonly result: Outcome;
}

export async function sealPart<Name extends Column>(
  ctx: EnvironmentContext,
  { id, name, value }: { id: string; name: Name; value: Sealed[Name] },
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, id, name), value);
}

export async function openPart<Name extends Column>(
  ctx: EnvironmentContext,
  { id, name, sealed }: { id: string; name: Name; sealed: Buffer },
): Promise<Sealed[Name]> {
  // It was sealed as such.
  return (await openJson(ctx, aadOf(ctx, id, name), sealed)) as Sealed[Name];
}

function aadOf({ environment }: EnvironmentContext, row: string, column: Column) {
  return { environmentId: environment.id, table: "agent_deferred_calls", column, row };
}

/** Each request says it again. */
export function hasTasks({ mcpReq }: Pick<ServerContext, "mcpReq">): boolean {
  const capabilities = Object(Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]);
  return Object.hasOwn(Object(capabilities.extensions), TASKS);
}

export function requireTasks(server: Pick<ServerContext, "mcpReq">): void {
  if (hasTasks(server)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  });
}

type Dated = Pick<DeferredRow, "id" | "createdAt" | "updatedAt" | "expiresAt">;

export interface Status {
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
}

export function presentTask(
  { id, createdAt, updatedAt, expiresAt }: Dated,
  { status, statusMessage }: Status,
) {
  return {
    ...{ taskId: id, status, ...(statusMessage === undefined ? {} : { statusMessage }) },
    ...{ createdAt: createdAt.toISOString(), lastUpdatedAt: updatedAt.toISOString() },
    ...{ ttlMs: expiresAt.getTime() - createdAt.getTime(), pollIntervalMs: POLL_MS },
  };
}

/** In place of a call's result; a task has no content, which the type of results asks for. */
export function createdTask(row: Dated, status: Status): CallToolResult {
  return { resultType: "task", ...presentTask(row, status), content: [] };
}

export const waitsForPerson = "A person has to approve this call.";
