import { randomUUID } from "node:crypto";
import { addMs, type EnvironmentContext, HOUR, type SystemContext } from "#foundation";
import { type AssociatedData, open, seal } from "#vault";
import { deleteSeenBefore, listSeen, type NewSeen } from "./store.ts";
import { filterOf, findRun, normalize, PART } from "./text-filter.ts";

const KEPT_MS = HOUR;
/** Of one session, with what is stored before there is room for it. */
const KEPT_BYTES = 1024 * 1024;
/** Room for small filters is made once in so many calls: a long session has thousands. */
const CALLS_BETWEEN = 8;
const SMALL_BYTES = 16 * 1024;
const ROOM_BYTES = KEPT_BYTES - CALLS_BETWEEN * SMALL_BYTES;
/** Of one result; a client is shown less at once, but for blocks of content. */
const MOST_SEEN = 32 * 1024;
/** Of the arguments of one call. */
const MOST_LOOKED_AT = 50_000;
const MOST_ORIGINS = 20;
const LONGEST_SHOWN = 200;
/** Of a longer argument, the part that is copied; shorter ones happen to be alike. */
const LEAST_COPIED = 40;

/** An argument that an agent has from a text which others may have written. */
export interface Origin {
  /** JSON pointer. */
  readonly path: string;
  readonly text: string;
  readonly tool: string;
  readonly at: string;
}

export interface Origins {
  readonly found: readonly Origin[];
  /** False where the arguments are longer than what is looked at. */
  readonly isComplete: boolean;
}

export interface ReadTexts {
  readonly sessionId: string;
  readonly tool: string;
  readonly texts: readonly string[];
  /** Which call of the session it is; undefined where that is not known. */
  readonly calls: number | undefined;
}

/** What an agent reads of others' texts, as it is stored; undefined where nothing of it could be found again. */
export async function sealSeen(
  ctx: EnvironmentContext,
  { sessionId, tool, texts, calls = 0 }: ReadTexts,
): Promise<NewSeen | undefined> {
  const filter = filterOf(texts.flatMap((text) => listStrings(text.slice(0, MOST_SEEN))));
  if (filter === undefined) return undefined;
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  return {
    ...{ id, sessionId, tool, createdAt, room: ROOM_BYTES, since: addMs(createdAt, -KEPT_MS) },
    makesRoom: calls % CALLS_BETWEEN === 0 || filter.length > SMALL_BYTES,
    filter: await seal(ctx, aadOf(ctx, id), filter),
  };
}

/** Which arguments, or parts of them, are in texts that the session has read. */
export async function findOrigins(
  ctx: EnvironmentContext,
  sessionId: string,
  input: unknown,
): Promise<Origins> {
  const since = addMs(ctx.clock.now(), -KEPT_MS);
  const rows = await listSeen(ctx.db, ctx.environment.id, { sessionId, since });
  if (rows.length === 0) return { found: [], isComplete: true };
  const seen = await Promise.all(
    rows.map(async ({ id, tool, filter, createdAt }) => ({
      ...{ tool, at: createdAt.toISOString() },
      filter: Buffer.from(await open(ctx, aadOf(ctx, id), filter)),
    })),
  );
  const found: Origin[] = [];
  let left = MOST_LOOKED_AT;
  for (const { path, text } of walk(input, { withNames: false })) {
    if (text.length < PART) continue;
    left -= text.length;
    if (left < 0 || found.length >= MOST_ORIGINS) return { found, isComplete: false };
    found.push(...originsOf(path, normalize(text), seen));
  }
  return { found: found.slice(0, MOST_ORIGINS), isComplete: found.length <= MOST_ORIGINS };
}

interface Seen {
  readonly tool: string;
  readonly at: string;
  readonly filter: Buffer;
}

function originsOf(path: string, text: string, seen: readonly Seen[]): Origin[] {
  const whole = originOf(path, text, seen, text.length);
  if (whole !== undefined) return [whole];
  const copied = originOf(path, text, seen, LEAST_COPIED);
  const addresses = text.split(/[\s,;<>"'()[\]{}|]+/).filter((word) => isTelling(word));
  const named = addresses.flatMap((word) => originOf(path, word, seen, word.length) ?? []);
  return [...(copied === undefined ? [] : [copied]), ...named];
}

/** What is no word of a language: an address, a number, an id. */
function isTelling(word: string): boolean {
  return word.length >= PART && /[\d@/:_.]/.test(word.slice(0, -1));
}

function originOf(
  path: string,
  text: string,
  seen: readonly Seen[],
  least: number,
): Origin | undefined {
  if (text.length < PART) return undefined;
  for (const { tool, at, filter } of seen) {
    const { start, length } = findRun(filter, text);
    if (length < least) continue;
    return { path, text: text.slice(start, start + Math.min(length, LONGEST_SHOWN)), tool, at };
  }
  return undefined;
}

/** Strings of a JSON text as they were before they were written as JSON; else the text itself. */
function listStrings(text: string): string[] {
  try {
    return [...walk(JSON.parse(text), { withNames: true })].map((each) => each.text);
  } catch {
    // Of a result that was cut, JSON without its end.
    return [text, text.replaceAll(/\\[nrt]/g, " ").replaceAll(/\\(["\\/])/g, "$1")];
  }
}

interface Found {
  readonly path: string;
  readonly text: string;
}

/** Texts and numbers of a value, in their order; it may be nested deeply. */
function* walk(value: unknown, options: { readonly withNames: boolean }): Generator<Found> {
  const left: { readonly path: string; readonly value: unknown }[] = [{ path: "", value }];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { path, value } = at;
    if (typeof value === "string" || typeof value === "number") {
      yield { path, text: String(value) };
      continue;
    }
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value).toReversed()) {
      if (options.withNames && !Array.isArray(value)) yield { path, text: name };
      const own = name.replaceAll("~", "~0").replaceAll("/", "~1");
      left.push({ path: `${path}/${own}`, value: inner });
    }
  }
}

/** Run every day; what is older is not looked at before that either. */
export async function deleteOldSeen(ctx: SystemContext): Promise<void> {
  await deleteSeenBefore(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}

function aadOf(ctx: EnvironmentContext, row: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "agent_texts_seen", column: "filter", row };
}
