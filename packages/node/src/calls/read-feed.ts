import { JackfieldError } from "../jackfield-error.ts";
import type { FeedQuery } from "../requests.ts";
import { backOff, type HttpClient, toError, wait } from "./http.ts";

/** The server sends a heartbeat every 15 s: a connection without one is dead. */
const SILENT_MS = 60_000;

interface FeedLine {
  readonly type: string;
  readonly cursor: string;
}

/** The events of a feed, without heartbeats; it is opened again behind the last one until it is over. */
export async function* readFeed<Event extends FeedLine>(
  http: HttpClient,
  { signal, live = true, models, ...query }: FeedQuery,
): AsyncGenerator<Event, void> {
  let { cursor } = query;
  for (let failures = 0; ; failures += 1) {
    const path = "/records/feed";
    const wanted = { ...query, cursor, models: models?.join(","), live };
    const call = { method: "GET", path, query: wanted, signal } as const;
    const headers = { accept: "application/x-ndjson" };
    const response = await http.fetch(call, { headers });
    if (!response.ok) throw await toError(response);
    try {
      for await (const event of readLines<Event>(response, signal)) {
        failures = 0;
        ({ cursor } = event);
        if (event.type !== "heartbeat") yield event;
        if (event.type === "end") return;
      }
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof BrokenOff)) throw error;
    }
    await wait(backOff(Math.min(failures, 6)), signal);
  }
}

/** The connection ended in the middle; what was sent is whole. */
class BrokenOff extends Error {}

async function* readLines<Event>(
  { body }: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  try {
    let rest = "";
    for (;;) {
      const chunk = await readInTime(reader, signal);
      if (chunk === undefined) return;
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseLine<Event>(line);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function readInTime(
  reader: ReadableStreamDefaultReader<string>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENT_MS);
  const silent = new Promise<never>((_, reject) => {
    silence.signal.addEventListener("abort", () => reject(new BrokenOff()));
  });
  try {
    const { value, done } = await Promise.race([reader.read(), silent]);
    return done ? undefined : value;
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new BrokenOff("the feed broke off", { cause });
  } finally {
    clearTimeout(timer);
  }
}

function parseLine<Event>(line: string): Event {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const message = "The feed holds a line that is no JSON: is the address the server's?";
    throw new JackfieldError({ code: "unexpected_answer", message, cause });
  }
}
