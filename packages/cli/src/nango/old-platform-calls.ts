import * as z from "zod";
import { callPlatform, type Platform } from "../deploy/call-platform.ts";
import { UserError } from "../user-error.ts";

const counts = z.looseObject({
  read_through: z.number(),
  handing_over: z.number(),
  handed_over: z.number(),
  handing_back: z.number(),
  reauthorized: z.number(),
});
const oldPlatform = z.looseObject({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  connections: counts,
});
export type OldPlatform = z.infer<typeof oldPlatform>;

const moved = z.looseObject({
  provider_config_key: z.string(),
  connection_id: z.string(),
  state: z.string(),
  old_side: z.string().nullable(),
  refusal: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
});
export type Moved = z.infer<typeof moved>;

const list = z.looseObject({ data: z.array(oldPlatform) });
const one = z.looseObject({ data: oldPlatform });
const report = z.looseObject({ data: z.array(moved), next_cursor: z.string().nullable() });
const results = z.looseObject({
  data: z.array(moved.extend({ is_done: z.boolean() })),
  remaining: z.number(),
});

export type MoveResult = z.infer<typeof results>["data"][number];

/** The old platform of that name; throws a UserError with the names that there are. */
export async function getOldPlatform(target: Platform, name: string): Promise<OldPlatform> {
  const { data } = await callPlatform(target, {
    ...{ method: "GET", path: "/old-platforms", answer: list },
  });
  const found = data.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = data.map((each) => each.name).join(", ");
  throw new UserError(
    names === ""
      ? "No connection is read through: begin with `jackfield migrate nango --read-through`."
      : `There is no old platform ${name}; choose one with --from: ${names}.`,
  );
}

/** Adds the old platform, or gives the one of that name another key. */
export async function saveOldPlatform(
  target: Platform,
  { name, url, key }: { readonly name: string; readonly url: string; readonly key: string },
): Promise<OldPlatform> {
  const { data } = await callPlatform(target, {
    ...{ method: "GET", path: "/old-platforms", answer: list },
  });
  const known = data.find((each) => each.name === name);
  if (known === undefined) {
    const body = { name, url, secret_key: key };
    const added = await callPlatform(target, { path: "/old-platforms", body, answer: one });
    return added.data;
  }
  const body = { url, secret_key: key };
  const path = `/old-platforms/${known.id}`;
  const changed = await callPlatform(target, { method: "PATCH", path, body, answer: one });
  return changed.data;
}

export interface Choice {
  readonly way: "hand-over" | "hand-back";
  readonly oldSide: string | undefined;
  readonly integration: string | undefined;
  readonly connections: readonly string[];
  readonly limit: number | undefined;
  readonly onProgress: (text: string) => void;
}

const AT_ONCE = 20;

/** Moves connections batch by batch; each is tried once. */
export async function moveConnections(
  target: Platform,
  { id }: OldPlatform,
  choice: Choice,
): Promise<MoveResult[]> {
  const tried = new Map<string, MoveResult>();
  const most = choice.limit ?? Infinity;
  for (;;) {
    const before = tried.size;
    const limit = Math.min(AT_ONCE, most - before);
    const left = namesOf(choice).filter((each) => !tried.has(nameOf(each)));
    if (limit <= 0 || (choice.connections.length > 0 && left.length === 0)) break;
    const chosen =
      choice.connections.length > 0
        ? { connections: left.slice(0, limit) }
        : { limit, provider_config_key: choice.integration };
    const answer = await callPlatform(target, {
      path: `/old-platforms/${id}/${choice.way}`,
      body: { ...chosen, old_side: choice.way === "hand-over" ? choice.oldSide : undefined },
      answer: results,
    });
    for (const result of answer.data) tried.set(nameOf(result), result);
    choice.onProgress(`${tried.size} connections`);
    // Those that were never refused come first: once nothing is new, all have been tried.
    if (tried.size === before) break;
  }
  return [...tried.values()];
}

function namesOf({ integration, connections }: Choice) {
  return connections.map((connectionId) => ({
    provider_config_key: integration ?? "",
    connection_id: connectionId,
  }));
}

function nameOf(named: {
  readonly provider_config_key: string;
  readonly connection_id: string;
}): string {
  return `${named.provider_config_key}/${named.connection_id}`;
}

/** Connections of the report, page by page. */
export async function* listMoved(
  target: Platform,
  { id }: OldPlatform,
  filter: Readonly<Record<string, string>>,
): AsyncGenerator<readonly Moved[]> {
  const path = `/old-platforms/${id}/connections`;
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { ...filter, limit: "500" };
    if (cursor !== null) query["cursor"] = cursor;
    const page: z.infer<typeof report> = await callPlatform(target, {
      ...{ method: "GET", path, query, answer: report },
    });
    if (page.data.length > 0) yield page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
