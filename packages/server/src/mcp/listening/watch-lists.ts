import { addAbortListener } from "node:events";
import type { ServerNotifier } from "@modelcontextprotocol/server";
import { Doorbell, type EnvironmentContext, endOf, MINUTE, SECOND } from "#foundation";
import { CHANGES } from "#foundation/cache";
import { digestOf } from "../digest.ts";

/** The lists whose changes a client that listens hears of. */
export interface ShownLists {
  /** The lists as the caller would get them now; undefined once the caller may call no more. */
  readonly read: () => Promise<
    { readonly tools: unknown; readonly resources: unknown } | undefined
  >;
}

/** What changes without an announcement, such as accounts and the session itself, is looked at so often. */
const LOOK_EVERY_MS = 5 * SECOND;
/** Then the client listens again, and what it may hear is looked at again. */
const LONGEST_MS = 15 * MINUTE;

/** Says when a list has changed, until the caller may listen no more, has gone, or it is time to come again. */
export async function watchLists(
  ctx: EnvironmentContext,
  { read }: ShownLists,
  { notify, signal }: { readonly notify: ServerNotifier; readonly signal: AbortSignal },
): Promise<void> {
  const bell = new Doorbell();
  const { made, right } = rowsOf(ctx);
  let isOver = false;
  using _changes = ctx.notices.subscribe(CHANGES, (row) => {
    if (row === undefined || right.includes(row)) isOver = true;
    if (isOver || (row !== undefined && made.includes(row))) bell.ring();
  });
  using _gone = addAbortListener(signal, () => bell.ring());
  const untilEndMs = (endOf(ctx.actor)?.getTime() ?? Infinity) - ctx.clock.now().getTime();
  const endsAt = performance.now() + Math.min(LONGEST_MS, untilEndMs);
  let known = await readDigests(read);
  while (known !== undefined && performance.now() < endsAt) {
    await bell.wait(LOOK_EVERY_MS);
    if (signal.aborted || isOver) return;
    const now = await readDigests(read);
    if (now !== undefined && !now.tools.equals(known.tools)) notify.toolsChanged();
    if (now !== undefined && !now.resources.equals(known.resources)) notify.resourcesChanged();
    known = now;
  }
}

/** As triggers announce them: what the lists are made of, and what the right to hear of them rests on. */
function rowsOf({ environment: { id }, actor }: EnvironmentContext) {
  const right = [
    `environments ${id}`,
    ...(actor.kind === "key" ? [`api_keys ${actor.keyId}`] : []),
  ];
  const made = ["functions", "agent_upstream_tools", "agent_upstream_lists"];
  return { made: made.map((table) => `${table} ${id}`), right };
}

async function readDigests(read: ShownLists["read"]) {
  const lists = await read();
  return lists && { tools: digestOf(lists.tools), resources: digestOf(lists.resources) };
}
