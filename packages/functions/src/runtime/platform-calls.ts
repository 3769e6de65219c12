import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeParams } from "@jackfield/contract/runtime";
import { ActionError } from "../action-error.ts";
import type { Integration, TriggerSyncOptions } from "../platform-types.ts";
import type { ElicitQuestion, Progress } from "../svc.ts";
import { describeIssues } from "./check-value.ts";
import { type Run, requireOpen, requireRunning, type ValueSchema } from "./run.ts";
import { RunFailure } from "./run-failure.ts";

const INTEGRATION_CACHE_MS = functionLimits.integrationCacheMs.value;
const MAX_KEY_LENGTH = functionLimits.lockKey.value;

/** Reads the run's integration and remembers it for 10 minutes, for each set of `include` apart. */
export class IntegrationReader {
  readonly #run: Run;
  readonly #cached = new Map<string, { integration: Integration; readAtMs: number }>();

  constructor(run: Run) {
    this.#run = run;
  }

  async getIntegration(
    options: { include?: readonly ("webhook" | "credentials")[] } = {},
  ): Promise<Integration> {
    requireRunning(this.#run);
    const include = [...new Set(options?.include ?? [])].sort();
    const key = include.join();
    const cached = this.#cached.get(key);
    const nowMs = this.#run.elapsedMs();
    if (cached !== undefined && nowMs - cached.readAtMs < INTEGRATION_CACHE_MS) {
      return cached.integration;
    }
    const { value } = await this.#run.channel.call("getIntegration", { include });
    const integration = toIntegration(value);
    this.#cached.set(key, { integration, readAtMs: nowMs });
    return integration;
  }

  async getWebhookURL(): Promise<string | null | undefined> {
    return (await this.getIntegration({ include: ["webhook"] })).webhook_url;
  }
}

/** The host answers with the API's own integration object, which this type describes. */
function toIntegration(value: Record<string, unknown>): Integration {
  return value as unknown as Integration;
}

/** Runs another action of this environment and gives its output. */
export async function triggerAction(
  run: Run,
  providerConfigKey: string,
  connectionId: string,
  actionName: string,
  input?: unknown,
): Promise<unknown> {
  requireOpen(run);
  const text = input === undefined ? "" : JSON.stringify(input);
  const params = { providerConfigKey, connectionId, actionName };
  const { body } = await run.channel.call("triggerAction", params, Buffer.from(text ?? ""));
  return body.byteLength === 0 ? null : JSON.parse(new TextDecoder().decode(body));
}

type SyncReference = string | { name: string; variant?: string | undefined };

/** The last argument is `opts`, or one of the older modes. */
export async function triggerSync(
  run: Run,
  providerConfigKey: string,
  connectionId: string | undefined,
  sync: SyncReference,
  opts?: TriggerSyncOptions,
): Promise<void> {
  requireRunning(run);
  await run.channel.call("triggerSync", {
    providerConfigKey,
    ...(connectionId === undefined ? {} : { connectionId }),
    sync: toSyncName(sync),
    ...toWish(opts),
  });
}

const modes = {
  incremental: { reset: false, emptyCache: false },
  full_refresh: { reset: true, emptyCache: false },
  full_refresh_and_clear_cache: { reset: true, emptyCache: true },
} as const;

function toWish(opts: TriggerSyncOptions | undefined): { reset: boolean; emptyCache: boolean } {
  if (opts === undefined || opts === null || opts === false) return modes.incremental;
  if (opts === true) return modes.full_refresh;
  if (typeof opts !== "string") {
    return { reset: opts.reset === true, emptyCache: opts.emptyCache === true };
  }
  const wish = Object.entries(modes).find(([mode]) => mode === opts)?.[1];
  if (wish !== undefined) return wish;
  throw new TypeError(
    `triggerSync: "${opts}" is no mode; pass { reset, emptyCache }, or one of ${Object.keys(modes).join(", ")}.`,
  );
}

/** Puts syncs on their schedule again. */
export async function startSync(
  run: Run,
  providerConfigKey: string,
  syncs: readonly SyncReference[],
  connectionId?: string,
): Promise<void> {
  requireRunning(run);
  await run.channel.call("startSync", {
    providerConfigKey,
    ...(connectionId === undefined ? {} : { connectionId }),
    syncs: syncs.map(toSyncName),
  });
}

/** `name`, `name::variant` or `{ name, variant }`. */
function toSyncName(sync: SyncReference): { name: string; variant: string } {
  if (typeof sync !== "string") return { name: sync.name, variant: sync.variant ?? "base" };
  const [name = sync, variant = "base"] = sync.split("::");
  return { name, variant };
}

/** Whether the run now holds the lock; it may take one again that it holds, with a new time. */
export async function tryAcquireLock(
  run: Run,
  { key, ttlMs }: { key: string; ttlMs: number },
): Promise<boolean> {
  requireRunning(run);
  requireKey(key);
  if (!Number.isFinite(ttlMs) || ttlMs <= 0) {
    throw new TypeError("tryAcquireLock: ttlMs is a number of milliseconds above 0.");
  }
  const { value } = await run.channel.call("tryAcquireLock", { key, ttlMs: Math.ceil(ttlMs) });
  return value;
}

/** Releases first and asks about cancellation afterwards, so that no lock stays behind. */
export async function releaseLock(run: Run, { key }: { key: string }): Promise<boolean> {
  requireOpen(run);
  requireKey(key);
  const { value } = await run.channel.call("releaseLock", { key });
  requireRunning(run);
  return value;
}

export async function releaseAllLocks(run: Run): Promise<void> {
  requireOpen(run);
  await run.channel.call("releaseAllLocks", {});
  requireRunning(run);
}

function requireKey(key: unknown): void {
  if (typeof key === "string" && key.length >= 1 && key.length <= MAX_KEY_LENGTH) return;
  throw new TypeError(`A lock's key is text of 1 to ${MAX_KEY_LENGTH} characters.`);
}

/** Attributes of the deployment, for syncs only. */
export function getFlowAttributes(run: Run): Record<string, unknown> {
  const { kind, attributes } = run.facts;
  if (kind === "sync" || kind === "webhook") return { ...attributes };
  throw new RunFailure({
    type: "script_internal_error",
    message: "getFlowAttributes is for syncs only.",
  });
}

const MESSAGE_LIMIT = functionLimits.progressMessage.value;

/** Reports to who called the action how far it is. */
export async function reportProgress(
  run: Run,
  { progress, total, message }: Progress,
): Promise<void> {
  requireRunning(run);
  if (!isAmount(progress) || (total !== undefined && !isAmount(total))) {
    throw new TypeError("reportProgress: progress and total are numbers from 0 on.");
  }
  await run.channel.call("reportProgress", {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: String(message).slice(0, MESSAGE_LIMIT) }),
  });
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

const asked = new WeakMap<Run, number>();

/** Asks the user of the agent; `key` is by order where the function names none. */
export async function elicit(
  run: Run,
  { message, schema, key }: ElicitQuestion<object>,
): Promise<{ action: string; content?: unknown }> {
  requireRunning(run);
  const number = (asked.get(run) ?? 0) + 1;
  asked.set(run, number);
  const question = { key: key ?? `question_${number}`, message, schema: toFormSchema(schema) };
  const { value } = await run.channel.call("elicit", question);
  if (value.action !== "accept" || !isChecking(schema)) return value;
  const result = await schema.safeParseAsync(value.content ?? {});
  if (result.success) return { action: "accept", content: result.data };
  throw new ActionError({
    message: `The answer to "${message}" does not fit: ${describeIssues(result.error?.issues ?? [])}`,
  });
}

function isChecking(schema: object): schema is ValueSchema {
  return "safeParseAsync" in schema && typeof schema.safeParseAsync === "function";
}

type FormSchema = RuntimeParams<"elicit">["schema"];

/** As forms of the protocol have it: the object's fields and which are required, without what they do not know. */
function toFormSchema(schema: object): FormSchema {
  const json = toJson(schema);
  const properties = Object.entries({ ...Object(json.properties) }).map(([name, field]) => {
    const { pattern: _, ...kept } = { ...Object(field) };
    return [name, kept] as const;
  });
  if (json.type !== "object" || properties.length === 0) {
    throw new TypeError("elicit: schema is an object of simple fields, such as z.object({ … }).");
  }
  const required = Array.isArray(json.required) ? json.required.map(String) : [];
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

interface JsonObjectSchema {
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
}

/** The author's zod makes JSON Schema of its own schemas; anything else is JSON Schema already. */
function toJson(schema: object): JsonObjectSchema {
  if ("toJSONSchema" in schema && typeof schema.toJSONSchema === "function") {
    return schema.toJSONSchema({ io: "input" });
  }
  return schema;
}
