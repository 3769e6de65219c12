// The thread in which large bodies are checked and parsed. It loads no more than that needs.
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { checkJson } from "./check-json.ts";
import { describeJsonFault, PROTO_FAULT } from "./describe-json-fault.ts";
import { type JsonBounds, JsonFault, tooMany } from "./json-fault.ts";
import type { ParsedInThread, ParseJob, ThreadAnswer } from "./parse-large-json.ts";

parentPort?.on("message", ({ parts, bounds }: ParseJob) => {
  let answer: ThreadAnswer;
  try {
    answer = { parsed: parse(Buffer.concat(parts), bounds) };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    answer = { fault: { code: error.code, message: error.message } };
  }
  parentPort?.postMessage(answer);
});

function parse(bytes: Buffer, bounds: JsonBounds): ParsedInThread {
  checkJson(bytes, bounds.values);
  const digest = createHash("sha256").update(bytes).digest("base64url");
  const text = bytes.toString();
  const value = parseText(text);
  requireFewNames(value, bounds.names);
  return { value, digest };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonFault("invalid_json", describeJsonFault(text));
  }
}

/** The receiver of the value hashes each different name by its text; a repeated name is free. */
function requireFewNames(value: unknown, limit: number): void {
  const names = new Set<string>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === "object") open.push(item);
      continue;
    }
    for (const [name, member] of Object.entries(next)) {
      names.add(name);
      if (typeof member === "object") open.push(member);
    }
    if (names.size > limit) throw tooMany("different names", limit);
  }
  if (names.has("__proto__")) throw new JsonFault("invalid_json", PROTO_FAULT);
}
