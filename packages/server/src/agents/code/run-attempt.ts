import { randomUUID } from "node:crypto";
import { scriptLimits } from "@jackfield/contract/script-limits";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { type EnvironmentContext, messageOf } from "#foundation";
import type { SandboxOutcome } from "#foundation/sandbox";
import { announceChange } from "#logs";
import { sealJson } from "#vault";
import { endCall, noteScript } from "../calls/store.ts";
import { callInner, isIdempotent } from "./call-inner.ts";
import {
  presentValue,
  presentWaiting,
  type ScriptFailure,
  scriptFailure,
} from "./present-script.ts";
import {
  type CodePlace,
  HEARTBEAT_MS,
  handleOf,
  type Script,
  type ScriptText,
  scriptAad,
} from "./script.ts";
import { ScriptTape } from "./script-tape.ts";
import { type AttemptEnd, deleteScript, endAttempt, extendLease, readTape } from "./store.ts";
import { giveBackCodeTime } from "./time/store.ts";

const OUTPUT_BYTES = 10 * 1024 * 1024;
/** How long a script waits for a process. */
const START_MS = 10_000;
/** How long calls under way may take once their client has gone. */
const LINGER_MS = 10_000;
const TOOL = "run_code";

interface Running {
  readonly script: Script;
  readonly text: ScriptText;
}

/** How an attempt has ended: what the agent reads, and what of the script stays. */
interface Ended {
  readonly result: CallToolResult;
  readonly kind: AttemptEnd["kind"] | "unstarted";
  readonly code?: string | undefined;
}

/** Runs a script once, from its beginning: what the tape has is not done again. */
export async function runAttempt(
  ctx: EnvironmentContext,
  { client }: CodePlace,
  { script, text }: Running,
): Promise<CallToolResult> {
  const { db, environment } = ctx;
  const call = {
    ...{ id: script.attempt === 1 ? script.id : randomUUID(), at: ctx.clock.now(), client },
    ...{ sessionId: script.sessionId, tool: TOOL, integration: undefined, effect: undefined },
    ...{ connectionId: undefined, inputDigest: undefined },
    parentId: script.attempt === 1 ? undefined : script.id,
  };
  const startedAt = performance.now();
  await noteScript(db, environment.id, call);
  const taped = script.attempt === 1 ? [] : await readTape(db, environment.id, script.id);
  using lingering = outlive(ctx);
  const tape = new ScriptTape(lingering.ctx, {
    ...{ script, taped },
    work: {
      call: async (asked, input, caller) =>
        await callInner(lingering.ctx, {
          ...{ sessionId: script.sessionId, client, parentId: script.id, asked, input, caller },
        }),
      mayRepeat: async (asked) => await isIdempotent(ctx, asked),
    },
  });
  const ended = await run(ctx, { script, text, tape });
  const usedMs = Math.round(performance.now() - startedAt);
  await keep(lingering.ctx, script, ended);
  await giveBackCodeTime(db, environment.id, script, Math.min(usedMs, script.reservedMs));
  await endCall(db, environment.id, {
    ...{ id: call.id, at: call.at, durationMs: usedMs, code: ended.code },
    outcome: ended.kind === "ended" && ended.result.isError !== true ? "success" : "failed",
  });
  announceChange(ctx, environment.id, "agents");
  return ended.result;
}

async function run(
  ctx: EnvironmentContext,
  { script, text, tape }: Running & { readonly tape: ScriptTape },
): Promise<Ended> {
  const { db, environment } = ctx;
  const onAway = () => tape.end({ kind: "lost" });
  ctx.signal.addEventListener("abort", onAway, { once: true });
  if (ctx.signal.aborted) onAway();
  const beat = setInterval(() => {
    extendLease(db, environment.id, script, ctx.clock.now()).then(
      (isOwn) => {
        if (!isOwn) onAway();
      },
      (error: unknown) => ctx.log.warn("agents.script_lease", { reason: messageOf(error) }),
    );
  }, HEARTBEAT_MS);
  try {
    const outcome = await ctx.sandbox.scripts.run({
      environmentId: environment.id,
      connection: script.sessionId,
      bundle: { id: `${script.id}/${script.attempt}`, filename: "script.ts", code: text.code },
      facts: {
        ...{ seed: text.seed, startedAtMs: script.createdAt.getTime() },
        outputLimitBytes: OUTPUT_BYTES,
      },
      input: Buffer.from(JSON.stringify(text.input)),
      ...{ timeoutMs: script.reservedMs, startTimeoutMs: START_MS, exclusive: false },
      signal: tape.signal,
      onCall: async (call) => await tape.onCall(call),
    });
    tape.close();
    await tape.rest();
    return await present(ctx, { script, outcome, tape });
  } finally {
    clearInterval(beat);
    ctx.signal.removeEventListener("abort", onAway);
    tape.close();
  }
}

async function present(
  ctx: EnvironmentContext,
  { script, outcome, tape }: { script: Script; outcome: SandboxOutcome; tape: ScriptTape },
): Promise<Ended> {
  const handle = handleOf(script);
  const { stop, asked: calls } = tape;
  if (outcome.kind === "done" && stop === undefined) {
    const { value, log } = JSON.parse(outcome.output.toString());
    const json = JSON.stringify(value ?? null);
    const result = await presentValue(ctx, script.sessionId, { json, log: String(log), calls });
    return { kind: "ended", result };
  }
  if (stop?.kind === "waiting") {
    const result = presentWaiting(handle, { needs: stop.needs, calls });
    return { kind: "waiting", result, code: stop.needs[0]?.failure.code };
  }
  const failure =
    stop?.kind === "failed"
      ? { code: stop.code, message: stop.message, next: "Change the script." }
      : stop?.kind === "lost" || outcome.kind === "done"
        ? interrupted("The script was interrupted.")
        : explain(outcome.error);
  const kind =
    failure.code === "overloaded"
      ? script.attempt === 1
        ? "unstarted"
        : "interrupted"
      : failure.code === "script_interrupted"
        ? "interrupted"
        : "ended";
  const shown = { ...failure, calls, ...(kind === "interrupted" ? { handle } : {}) };
  return { kind, result: scriptFailure(shown), code: failure.code };
}

type Failed = Extract<SandboxOutcome, { kind: "failed" }>["error"];

function explain({ type, message, payload }: Failed): ScriptFailure {
  const { line, column, log, tool_error } = Object(payload);
  switch (type) {
    case "script_error":
    case "script_invalid":
      return {
        ...{ code: "script_error", message, line, column, log: log === "" ? undefined : log },
        ...{ tool_error, next: "Correct the script. What it has called, it has called." },
      };
    case "script_output_too_large":
      return {
        ...{ code: "script_limit", message: "What the script returns is larger than 10 MiB." },
        next: "Return less. What the script has called, it has called.",
      };
    case "function_runtime_timed_out":
      return interrupted(`The script ran past its limit of ${scriptLimits.seconds} s.`);
    case "overloaded":
      return {
        ...{ code: "overloaded", message: "No process for scripts became free; nothing has run." },
        ...{ retry_after_s: 2, next: "Wait and call again." },
      };
    case "function_runtime_out_of_memory":
      return interrupted(
        `The script used more memory than it may (${scriptLimits.heapMb} MiB), or its process was ended.`,
      );
    default:
      return interrupted("The process of the script has ended.");
  }
}

function interrupted(message: string): ScriptFailure {
  return {
    ...{ code: "script_interrupted", message },
    next: "To continue it, call run_code with resume: handle, within an hour; what it was answered is not called again. A script that does too much at once needs another text.",
  };
}

async function keep(ctx: EnvironmentContext, script: Script, ended: Ended): Promise<void> {
  const { db, environment } = ctx;
  if (ended.kind === "unstarted") return await deleteScript(db, environment.id, script.id);
  const aad = scriptAad(ctx, "answer", script.id);
  const end: AttemptEnd =
    ended.kind === "ended"
      ? { kind: "ended", answer: await sealJson(ctx, aad, ended.result) }
      : { kind: ended.kind };
  await endAttempt(db, environment.id, script, end);
}

/** A context for calls that are under way: these end, and are taped, also when their client has gone. */
function outlive(ctx: EnvironmentContext): { ctx: EnvironmentContext } & Disposable {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAway = () => {
    timer = setTimeout(() => late.abort(ctx.signal.reason), LINGER_MS);
  };
  ctx.signal.addEventListener("abort", onAway, { once: true });
  if (ctx.signal.aborted) onAway();
  return {
    ctx: { ...ctx, signal: late.signal },
    [Symbol.dispose]() {
      clearTimeout(timer);
      ctx.signal.removeEventListener("abort", onAway);
    },
  };
}
