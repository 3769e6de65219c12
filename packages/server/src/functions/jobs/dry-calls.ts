import { hasScope, type Scope } from "@jackfield/contract";
import type { RuntimeMethod } from "@jackfield/contract/runtime";
import { type EnvironmentContext, scopesOf } from "#foundation";
import { type Call, type CallAnswer, CallError } from "#foundation/sandbox";
import type { RunEgress, RunIdentity } from "#slice";
import { isProxyOnly } from "../egress/run-door.ts";
import { callPlatform } from "../run/call-platform.ts";
import type { FunctionRun } from "../run/function-run.ts";
import { Collected, NO_RANGE } from "./collected.ts";
import { dryScopes } from "./dry-scopes.ts";
import type { DryRunRequest } from "./job.ts";

const MAX_OUTPUT_CHARACTERS = 200_000;
/** It is stored again and again while the run continues. */
const MAX_PROGRESS_CHARACTERS = 50_000;

type Fields = Readonly<Record<string, unknown>>;
type DryAnswer = (calls: DryCalls, call: Call) => Promise<CallAnswer>;

/**
 * Answers the calls of a dry run. Reading and calling providers go the same way as in any run, but as the key that
 * asked for it and not as a function, which may do more; what would be kept is collected, and what the key could not
 * do by itself is refused: a dry run is code of the key's holder.
 */
export class DryCalls {
  readonly #ctx: EnvironmentContext;
  readonly #identity: RunIdentity;
  readonly #connectionId: string;
  readonly #scopes: readonly string[];
  readonly #collected = new Collected();
  #metadata: Fields | undefined;
  #checkpoint: Fields | null;
  #wasMetadataSet = false;
  #wasCheckpointSet = false;
  readonly #lines: string[] = [];
  /** What was not done, reported once each. */
  readonly #notes = new Set<string>();
  #characters = 0;

  constructor(
    ctx: EnvironmentContext,
    run: FunctionRun,
    { request, egress }: { readonly request: DryRunRequest; readonly egress: RunEgress },
  ) {
    this.#ctx = ctx;
    this.#identity = toIdentity(run, egress);
    this.#connectionId = run.connection.connectionId;
    this.#scopes = scopesOf(ctx.actor);
    this.#metadata = request.metadata;
    this.#checkpoint = request.checkpoint ?? null;
  }

  async answer(call: Call): Promise<CallAnswer> {
    const found = findAnswer(call.method);
    if (found !== undefined) {
      const [method, dry] = found;
      const scope = dryScopes[method];
      if (scope !== "nothing") this.#requireScope(scope, call);
      return await dry(this, call);
    }
    const message = `${call.method} is not available in a dry run.`;
    throw new CallError({ type: "script_internal_error", message });
  }

  /** The function's own log lines so far, the last of them where they are many. */
  printed(): string {
    return this.#lines.join("\n").slice(-MAX_PROGRESS_CHARACTERS);
  }

  /** The function's own log lines, then the writes it would have made, then the omissions. */
  output(): string {
    return [...this.#lines, ...this.#collected.summarize(), ...this.#notes].join("\n");
  }

  leaveOut(note: string, value: unknown): CallAnswer {
    this.#notes.add(note);
    return { value };
  }

  collected(): Fields {
    const metadata = this.#wasMetadataSet ? { metadata: this.#metadata } : {};
    const checkpoint = this.#wasCheckpointSet ? { checkpoint: this.#checkpoint } : {};
    return { ...this.#collected.present(), ...metadata, ...checkpoint };
  }

  async pass(call: Call): Promise<CallAnswer> {
    return await callPlatform(this.#ctx, this.#identity, call);
  }

  async passWith(scope: Scope, call: Call): Promise<CallAnswer> {
    this.#requireScope(scope, call);
    return await this.pass(call);
  }

  #requireScope(scope: Scope, { method }: Call): void {
    if (hasScope(this.#scopes, scope)) return;
    const message = `${method} in a dry run needs the scope ${scope}, which the API key lacks.`;
    throw new CallError({ type: "forbidden", message });
  }

  async getConnection(call: Call): Promise<CallAnswer> {
    const { value } = await this.pass(call);
    const read = toFields(value);
    const isOwn =
      read["connection_id"] === this.#connectionId &&
      read["provider_config_key"] === this.#identity.integration;
    if (!isOwn || this.#metadata === undefined) return { value };
    return { value: { ...read, metadata: this.#metadata } };
  }

  async setMetadata({ params, ...rest }: Call): Promise<CallAnswer> {
    const { mode, metadata } = toFields(params);
    const before = mode === "merge" ? await this.#currentMetadata({ params, ...rest }) : {};
    this.#metadata = { ...before, ...toFields(metadata) };
    this.#wasMetadataSet = true;
    return { value: null };
  }

  async #currentMetadata(call: Call): Promise<Fields> {
    if (this.#metadata !== undefined) return this.#metadata;
    const params = { forceRefresh: false, refreshToken: false };
    const reading = { ...call, method: "getConnection", params };
    const { value } = await this.passWith("environment:connections:read", reading);
    return toFields(toFields(value)["metadata"]);
  }

  async readCheckpoint(): Promise<CallAnswer> {
    return { value: this.#checkpoint };
  }

  async writeCheckpoint(checkpoint: Fields | null): Promise<CallAnswer> {
    this.#checkpoint = checkpoint;
    this.#wasCheckpointSet = true;
    return { value: null };
  }

  async log({ params }: Call): Promise<CallAnswer> {
    const { level, message, meta } = toFields(params);
    const line = `[${String(level)}] ${String(message)}${meta === undefined ? "" : ` ${JSON.stringify(meta)}`}`;
    this.#characters += line.length;
    if (this.#characters <= MAX_OUTPUT_CHARACTERS) this.#lines.push(line);
    else if (this.#lines.at(-1) !== CUT) this.#lines.push(CUT);
    return { value: null };
  }

  async collect(how: "saved" | "updated" | "deleted", { params, body }: Call): Promise<CallAnswer> {
    return { value: this.#collected.add(how, toFields(params), body) };
  }
}

const CUT = "[…] further lines are left out";

const always =
  (value: unknown): DryAnswer =>
  async () => ({ value });
const leftOut =
  (note: string, value: unknown = null): DryAnswer =>
  async (calls) =>
    calls.leaveOut(note, value);
const NO_DELETES = "Deletes were not tracked: only a deployed sync knows what it no longer finds.";
const pass: DryAnswer = async (calls, call) => await calls.pass(call);

/** For every method of the runtime contract, so that a new one is a type error until it has its answer here. */
const answers: Readonly<Record<RuntimeMethod, DryAnswer>> = {
  log: async (calls, call) => await calls.log(call),
  proxy: pass,
  fetch: pass,
  getIntegration: async (calls, call) => {
    const include = toFields(call.params)["include"];
    return Array.isArray(include) && include.includes("credentials")
      ? await calls.passWith("environment:integrations:read_credentials", call)
      : await calls.pass(call);
  },
  getPagination: pass,
  getConnection: async (calls, call) => await calls.getConnection(call),
  setMetadata: async (calls, call) => await calls.setMetadata(call),
  // A dry run is code of the person who asks for it, which shows the values.
  getEnvironmentVariables: async (calls, call) =>
    await calls.passWith("environment:secrets:reveal", call),
  triggerAction: pass,
  reportProgress: always(null),
  elicit: pass,
  triggerSync: leftOut("triggerSync did nothing: a dry run starts no other sync."),
  startSync: leftOut("startSync did nothing: a dry run puts no sync on its schedule."),
  getRecords: pass,
  listRecords: pass,
  getRecordSequence: always(0),
  batchSave: async (calls, call) => await calls.collect("saved", call),
  batchUpdate: async (calls, call) => await calls.collect("updated", call),
  batchDelete: async (calls, call) => await calls.collect("deleted", call),
  quarantineRecords: leftOut("Nothing was quarantined: a dry run saves nothing.", {
    quarantined: 0,
  }),
  trackDeletesStart: leftOut(NO_DELETES),
  trackDeletesEnd: leftOut(NO_DELETES, { deleted: 0, range: NO_RANGE }),
  listDeletedKeys: always({ ids: [] }),
  getCheckpoint: async (calls) => await calls.readCheckpoint(),
  saveCheckpoint: async (calls, { params }) =>
    await calls.writeCheckpoint(toFields(toFields(params)["checkpoint"])),
  clearCheckpoint: async (calls) => await calls.writeCheckpoint(null),
  // Nobody else sees a dry run, and it keeps nothing from anybody.
  tryAcquireLock: always(true),
  releaseLock: always(true),
  releaseAllLocks: always(null),
  noteMoments: always(null),
};

function findAnswer(method: string): [RuntimeMethod, DryAnswer] | undefined {
  return isMethod(method) ? [method, answers[method]] : undefined;
}

function isMethod(name: string): name is RuntimeMethod {
  return Object.hasOwn(answers, name);
}

function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function toIdentity(run: FunctionRun, egress: RunEgress): RunIdentity {
  const { fn } = run;
  return {
    runId: run.runId,
    operationId: run.operationId,
    functionId: fn.id,
    kind: run.kind,
    connection: run.connection.uuid,
    integration: run.integration.uniqueKey,
    variant: run.variant ?? "base",
    models: fn.type === "sync" ? fn.definition.models : [],
    depth: 0,
    egress,
    proxyOnly: isProxyOnly(run),
  };
}
