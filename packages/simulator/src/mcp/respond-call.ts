import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { McpBehaviours } from "./behaviours.ts";

export interface Reply {
  readonly response: ServerResponse;
  readonly id: string | number;
  readonly result: object;
  readonly behaviours: McpBehaviours;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

const MEBIBYTE = 1024 * 1024;
const STREAM_BYTES = 1024 * MEBIBYTE;
const DRIP_MS = 50;

/** Answers a call in the way that the behaviours say. */
export async function respondToCall(reply: Reply): Promise<void> {
  const { response, id, result, behaviours } = reply;
  const whole = { jsonrpc: "2.0", id, result };
  switch (behaviours.call) {
    case "normal":
    case "tool_error":
      return sendEvents(response, [whole]);
    case "endless_stream":
      return await writeNotifications(reply);
    case "long_line":
      begin(response);
      return await writeMany(reply, "data: ", "a".repeat(4096));
    case "slow_drip":
      begin(response);
      return await drip(reply);
    case "silent":
      return begin(response);
    case "no_result":
      return sendEvents(response, []);
    case "wrong_id":
      return sendEvents(response, [{ ...whole, id: "another" }]);
    case "malformed":
      return sendJson(response, "{ this is no JSON");
    case "huge_result":
      return sendJson(response, JSON.stringify(withText(whole, "x".repeat(20 * MEBIBYTE))));
    case "deep_result":
      return sendJson(response, deep(id));
    case "compressed_bomb":
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(JSON.stringify(withText(whole, "x".repeat(20 * MEBIBYTE)))));
      return;
    case "redirect":
      response.writeHead(307, { location: behaviours.redirect_to });
      response.end();
      return;
    case "status_500":
      response.writeHead(500, { "content-type": "text/plain" });
      response.end("broken");
      return;
    case "rate_limited":
      response.writeHead(429, { "retry-after": "7" });
      response.end();
      return;
    case "list_changed_flood":
      return sendEvents(response, [...floodOf(1000), whole]);
  }
}

function floodOf(count: number): object[] {
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  return Array.from({ length: count }, () => changed);
}

function withText(whole: object, text: string): object {
  return { ...whole, result: { resultType: "complete", content: [{ type: "text", text }] } };
}

function deep(id: string | number): string {
  const depth = 20_000;
  const value = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[],"structuredContent":${value}}}`;
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

export function sendEvents(response: ServerResponse, messages: readonly object[]): void {
  begin(response);
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
  response.end();
}

export function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(text);
}

/** 1 GB of notifications, as fast as they are taken. */
async function writeNotifications(reply: Reply): Promise<void> {
  begin(reply.response);
  const params = { level: "info", data: "x".repeat(4000) };
  const message = { jsonrpc: "2.0", method: "notifications/message", params };
  await writeMany(reply, "", `data: ${JSON.stringify(message)}\n\n`);
}

async function writeMany({ response, signal }: Reply, first: string, part: string): Promise<void> {
  response.write(first);
  for (let bytes = 0; bytes < STREAM_BYTES && !signal.aborted; bytes += part.length) {
    if (response.write(part)) continue;
    const drained = new Promise((resolve) => response.once("drain", resolve));
    await Promise.race([drained, untilAborted(signal)]);
  }
  response.end();
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A byte now and then, without an end. */
async function drip({ response, signal }: Reply): Promise<void> {
  while (!signal.aborted) {
    response.write("x");
    await sleep(DRIP_MS);
  }
}
