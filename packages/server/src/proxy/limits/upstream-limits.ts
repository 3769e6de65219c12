import { type EnvironmentContext, type SystemContext, serverState } from "#foundation";
import { noteOutage, noteReached } from "#integrations";
import { notifyDue } from "#tasks";
import type { ProviderCall } from "../call.ts";
import type { AnswerHead } from "../exchange/attempt.ts";
import { Breakers } from "./breakers.ts";
import { Pacer } from "./pacer.ts";
import { Quotas } from "./quotas.ts";
import { readQuota } from "./read-quota.ts";
import { Sharers } from "./sharers.ts";
import { readSignedNotice, signNotice } from "./signed-notice.ts";

/** Under this name processes announce which quotas are used up, until when, and of how many calls. */
const USED_UP = "quota";

type Listening = Pick<SystemContext, "notices" | "clock" | "keys">;

/** What a server knows of the providers that it calls. */
class UpstreamLimits implements Disposable {
  readonly quotas = new Quotas();
  readonly breakers = new Breakers();
  readonly sharers: Sharers;
  readonly pacer: Pacer;
  readonly #subscription: Disposable;

  constructor({ notices, clock, keys }: Listening) {
    const now = () => clock.now().getTime();
    this.sharers = new Sharers({ notices, keys }, now);
    this.pacer = new Pacer(now, (name) => this.sharers.count(name));
    this.#subscription = notices.subscribe(USED_UP, (detail = "") => {
      const said = readSignedNotice({ keys }, detail) ?? "";
      const [name = "", until = "", limit = ""] = said.split(" ");
      if (!/^[ci]:\S+$/.test(name) || !/^\d{1,15}$/.test(until)) return;
      const known = /^\d{1,9}$/.test(limit) ? Number(limit) : undefined;
      this.quotas.block(name, Number(until), now(), known);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.sharers[Symbol.dispose]();
    this.pacer[Symbol.dispose]();
  }
}

export const upstreamLimits = serverState((ctx: Listening) => new UpstreamLimits(ctx));

/** Learns from an answer; announces used-up quotas to the other processes, too. */
export function learnFromAnswer(
  ctx: EnvironmentContext,
  {
    connection,
    integration,
    subject,
  }: Pick<ProviderCall, "connection" | "integration" | "subject">,
  head: AnswerHead,
): void {
  const hints = subject.provider.retry;
  const isQuiet = !head.tellsOfQuota && head.status !== 429;
  if (isQuiet && hints?.remaining_header === undefined) return;
  const now = ctx.clock.now();
  const report = readQuota(head, hints, now);
  if (report === undefined) return;
  const { quotas } = upstreamLimits.of(ctx);
  const owner = { connection: connection.uuid, integrationId: integration.id };
  for (const name of quotas.note(owner, report, now.getTime())) {
    const limit = quotas.findByName(name)?.limit;
    const detail = [name, Math.ceil(quotas.untilOf(name)), ...(limit === undefined ? [] : [limit])];
    // A process that misses it meets the provider's own answer.
    notifyDue(ctx, `${USED_UP} ${signNotice(ctx, detail.join(" "))}`).catch(() => undefined);
  }
}

type Called = Pick<ProviderCall, "integration">;

/** The origin has answered, with any status. */
export function noteAnswer(ctx: EnvironmentContext, { integration }: Called, origin: string): void {
  upstreamLimits.of(ctx).breakers.noteAnswer(origin);
  noteReached(ctx, { integrationId: integration.id, host: hostOf(origin) });
}

/** No answer came: an origin that takes no connections for long becomes known to the environment. */
export function noteFailure(
  ctx: EnvironmentContext,
  called: Called,
  { origin, error }: { origin: string; error: unknown },
): void {
  const { breakers } = upstreamLimits.of(ctx);
  breakers.noteFailure(origin, error);
  reportOutage(ctx, called, origin);
}

/** Throws upstream_circuit_open, see `Breakers.require`. */
export function requireOrigin(ctx: EnvironmentContext, called: Called, origin: string): void {
  const { breakers } = upstreamLimits.of(ctx);
  if (breakers.isClosed(origin)) return;
  try {
    breakers.require(origin);
  } catch (error) {
    reportOutage(ctx, called, origin);
    throw error;
  }
}

function reportOutage(ctx: EnvironmentContext, { integration }: Called, origin: string): void {
  const heldForMs = upstreamLimits.of(ctx).breakers.heldForMs(origin);
  if (heldForMs === undefined) return;
  const host = hostOf(origin);
  const reason = `${host} takes no connections.`;
  noteOutage(ctx, { integrationId: integration.id, host, reason, heldForMs });
}

/** An origin is `https://` and its host; nothing is parsed for each call. */
function hostOf(origin: string): string {
  return origin.slice(origin.indexOf("//") + 2);
}
