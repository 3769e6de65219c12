import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { scriptLimits } from "@jackfield/contract/script-limits";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { addMs, type EnvironmentContext } from "#foundation";
import { estimateTokens } from "#functions";
import { openJson, sealJson } from "#vault";
import { countResult } from "../calls/store.ts";
import { stateOfSession } from "../sessions/session.ts";
import { findSession } from "../sessions/store.ts";
import type { codeInput } from "./code-tool.ts";
import { type ScriptFailure, scriptFailure } from "./present-script.ts";
import { runAttempt } from "./run-attempt.ts";
import {
  type CodePlace,
  digestScript,
  handleOf,
  JOIN_MS,
  KEPT_MS,
  MOST_ATTEMPTS,
  MOST_OPEN,
  RUN_MS,
  readHandle,
  type ScriptText,
  scriptAad,
} from "./script.ts";
import { deleteScript, type FoundScript, findScript, insertScript, takeOver } from "./store.ts";
import { giveBackCodeTime, takeCodeTime } from "./time/store.ts";

const LOOK_MS = 200;

/** Runs a script, or continues one; what fails is an answer, too. */
export async function runCode(
  ctx: EnvironmentContext,
  place: CodePlace,
  wanted: z.output<typeof codeInput>,
): Promise<CallToolResult> {
  const { id: sessionId, budget } = place.session;
  const result = await answer(ctx, place, wanted);
  if (budget.result_tokens !== undefined) {
    const tokens = estimateTokens(result.content);
    await countResult(ctx.db, ctx.environment.id, { sessionId, tokens });
  }
  return result;
}

async function answer(
  ctx: EnvironmentContext,
  place: CodePlace,
  { code, input, resume }: z.output<typeof codeInput>,
): Promise<CallToolResult> {
  if ((code === undefined) === (resume === undefined)) return scriptFailure(eitherOne);
  if (code === undefined) return await resumeScript(ctx, place, resume ?? "");
  const bytes = Buffer.byteLength(JSON.stringify(input ?? null));
  if (Buffer.byteLength(code) > scriptLimits.codeBytes || bytes > scriptLimits.inputBytes) {
    return scriptFailure(tooLong);
  }
  return await beginScript(ctx, place, {
    ...{ code, input: input ?? null, seed: randomBytes(16).toString("hex") },
  });
}

async function beginScript(
  ctx: EnvironmentContext,
  place: CodePlace,
  text: ScriptText,
): Promise<CallToolResult> {
  const { session } = place;
  const { db, environment } = ctx;
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const digest = digestScript(text);
  const begun = await insertScript(db, environment.id, {
    ...{ id, sessionId: session.id, digest, createdAt, expiresAt: addMs(createdAt, KEPT_MS) },
    code: await sealJson(ctx, scriptAad(ctx, "code", id), text),
  });
  if (begun === "full") return scriptFailure(tooMany);
  if (begun === "exists") {
    // The client has lost its answer, or does not know of resuming: what has been done is not done again.
    const found = await findScript(db, environment.id, {
      ...{ sessionId: session.id, digest, at: createdAt },
    });
    return found === undefined ? scriptFailure(tooMany) : await joinScript(ctx, place, found);
  }
  const script = { id, sessionId: session.id, attempt: 1, createdAt };
  const reservedMs = await takeCodeTime(db, environment.id, script, createdAt);
  if (reservedMs === undefined) {
    await deleteScript(db, environment.id, id);
    return scriptFailure(await explainTime(ctx, session.id));
  }
  return await runAttempt(ctx, place, { script: { ...script, reservedMs }, text });
}

async function resumeScript(
  ctx: EnvironmentContext,
  place: CodePlace,
  handle: string,
): Promise<CallToolResult> {
  const found = await find(ctx, place, readHandle(handle));
  if (found === undefined) return scriptFailure(unknownScript);
  return await joinScript(ctx, place, found);
}

async function find(
  ctx: EnvironmentContext,
  { session }: CodePlace,
  id: string | undefined,
): Promise<FoundScript | undefined> {
  if (id === undefined) return undefined;
  const which = { id, sessionId: session.id, at: ctx.clock.now() };
  return await findScript(ctx.db, ctx.environment.id, which);
}

/** Continues a script that nobody runs, and waits for one that somebody does. */
async function joinScript(
  ctx: EnvironmentContext,
  place: CodePlace,
  first: FoundScript,
): Promise<CallToolResult> {
  const endsAt = performance.now() + JOIN_MS;
  let found: FoundScript | undefined = first;
  while (found?.isLeased === true && performance.now() < endsAt) {
    await sleep(LOOK_MS, undefined, { signal: ctx.signal });
    found = await find(ctx, place, first.id);
  }
  if (found === undefined) return scriptFailure(unknownScript);
  const { id, state, attempt, createdAt } = found;
  if (state === "ended") return await readAnswer(ctx, found);
  if (found.isLeased) return scriptFailure(stillRuns(handleOf(found)));
  if (attempt >= MOST_ATTEMPTS) return scriptFailure(tooOften);
  const { db, environment } = ctx;
  const at = ctx.clock.now();
  const next = await takeOver(db, environment.id, { id, attempt, expiresAt: addMs(at, KEPT_MS) });
  if (next === undefined) return scriptFailure(stillRuns(handleOf(found)));
  const script = { id, sessionId: place.session.id, attempt: next, createdAt };
  // Of an attempt that has died, nobody knows how much of its time it has used.
  await giveBackCodeTime(db, environment.id, script, RUN_MS);
  const reservedMs = await takeCodeTime(db, environment.id, script, at);
  if (reservedMs === undefined) return scriptFailure(await explainTime(ctx, place.session.id));
  const text = await openJson(ctx, scriptAad(ctx, "code", id), found.code);
  // It was sealed as such.
  return await runAttempt(ctx, place, {
    script: { ...script, reservedMs },
    text: text as ScriptText,
  });
}

/** Of a script that has ended; its client asks again. */
async function readAnswer(
  ctx: EnvironmentContext,
  { id, answer }: FoundScript,
): Promise<CallToolResult> {
  if (answer === null) return scriptFailure(unknownScript);
  // It was sealed as such.
  return (await openJson(ctx, scriptAad(ctx, "answer", id), answer)) as CallToolResult;
}

async function explainTime(ctx: EnvironmentContext, sessionId: string): Promise<ScriptFailure> {
  const session = await findSession(ctx.db, ctx.environment.id, sessionId);
  const isOpen = session !== undefined && stateOfSession(session, ctx.clock.now()) === "open";
  if (!isOpen) {
    return {
      ...{ code: "session_ended", message: "The session has ended." },
      next: "Stop, and tell the user that the session has ended.",
    };
  }
  return {
    code: "budget_exhausted",
    message: `Scripts of the session may run for ${session.budget.code_seconds} s together and have run for them.`,
    next: "Call the tools without a script, or tell the user what is done and what is not.",
  };
}

const eitherOne: ScriptFailure = {
  ...{ code: "invalid_input", message: "Either code or resume is required, and not both." },
  next: "Correct the input and call again.",
};

const tooLong: ScriptFailure = {
  code: "invalid_input",
  message: `The code may have ${scriptLimits.codeBytes / 1024} KiB, its input 1 MiB.`,
  next: "Write a shorter script, or several.",
};

const tooMany: ScriptFailure = {
  ...{ code: "overloaded", message: `The session has ${MOST_OPEN} scripts that run or wait.` },
  next: "Resume those that wait, or let them expire.",
};

const tooOften: ScriptFailure = {
  ...{ code: "script_limit", message: `The script was begun ${MOST_ATTEMPTS} times.` },
  next: "Look what it has done, and write a script for the rest.",
};

const unknownScript: ScriptFailure = {
  ...{ code: "not_found", message: "The session has no such script, or its hour is over." },
  next: "Look what it has done, and write a script for the rest.",
};

function stillRuns(handle: string): ScriptFailure {
  return {
    ...{ code: "overloaded", message: "The script is still running.", handle, retry_after_s: 5 },
    next: "Call again with resume: handle.",
  };
}
