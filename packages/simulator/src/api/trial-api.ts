import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { sendJson, sendProblem } from "../respond.ts";
import type { ApiCall } from "./api-call.ts";

const echoedBodyBytes = 1024 * 1024;

/** Answers with what arrived: method, path, headers, and the body's length, hash and first MiB. */
export async function answerEcho(call: ApiCall): Promise<void> {
  const { request, response, url } = call;
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    hash.update(bytes);
    if (length < echoedBodyBytes) kept.push(bytes.subarray(0, echoedBodyBytes - length));
    length += bytes.length;
  }
  const body = Buffer.concat(kept);
  sendJson(response, 200, {
    method: request.method,
    path: request.url,
    query: [...url.searchParams],
    headers: request.headers,
    body: {
      length,
      sha256: hash.digest("hex"),
      base64: body.toString("base64"),
      text: body.toString(),
    },
  });
}

/** Streams `chunks` lines with `delay_ms` between them. */
export async function answerStream(call: ApiCall): Promise<void> {
  const count = readCount(call.url, "chunks", 5, 100_000);
  const delayMs = readCount(call.url, "delay_ms", 100, 60_000);
  const left = new AbortController();
  call.response.once("close", () => left.abort());
  const signal = AbortSignal.any([call.closing, left.signal]);
  call.response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  try {
    await pipeline(Readable.from(streamLines(count, delayMs, signal)), call.response);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* streamLines(
  count: number,
  delayMs: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (let index = 1; index <= count; index += 1) {
    if (index > 1 && delayMs > 0) await delay(delayMs, undefined, { signal });
    yield `chunk ${index} of ${count}\n`;
  }
}

/** Answers with the status that the path names. */
export function answerStatus(call: ApiCall, code: string): void {
  const status = Number(code);
  if (!/^[2-5]\d\d$/.test(code)) {
    sendProblem(call.response, 400, {
      error: "bad_request",
      message: "The status must be a number from 200 to 599.",
    });
    return;
  }
  if (status === 204 || status === 304) {
    call.response.writeHead(status).end();
    return;
  }
  sendJson(call.response, status, { status });
}

/**
 * Fails the first `fail` calls of each `key` with `status` (503) and `Retry-After: retry_after`
 * (1 second), then answers 200 with the number of calls so far.
 */
export function answerFlaky(call: ApiCall, callsByKey: Map<string, number>): void {
  const key = call.url.searchParams.get("key") ?? "";
  const attempt = (callsByKey.get(key) ?? 0) + 1;
  callsByKey.set(key, attempt);
  if (attempt > readCount(call.url, "fail", 1, 1_000_000)) {
    sendJson(call.response, 200, { attempt });
    return;
  }
  const requested = readCount(call.url, "status", 503, 599);
  sendProblem(
    call.response,
    requested < 400 ? 503 : requested,
    { error: "unavailable", message: `Call ${attempt} of this key fails on purpose.` },
    { "retry-after": String(readCount(call.url, "retry_after", 1, 3600)) },
  );
}

// A query parameter as a whole number; absent or malformed gives the fallback.
function readCount(url: URL, name: string, fallback: number, maximum: number): number {
  const text = url.searchParams.get(name);
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), maximum) : fallback;
}
