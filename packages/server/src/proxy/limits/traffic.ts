import { noteOutage, noteReached } from "#integrations";
import { type EnvironmentContext, type SystemContext, serverState } from "#platform";
import { notifyDue } from "#tasks";
import type { ProviderCall } from "../call.ts";
import type { AnswerHead } from "../exchange/attempt.ts";
import { Breakers } from "./breakers.ts";
import { Quotas } from "./quotas.ts";
import { readExhaustion } from "./read-quota.ts";

/** Under this name processes tell each other which quotas are used up, and until when. */
const USED_UP = "quota";

/** What a server knows of the providers that it calls. */
class Traffic implements Disposable {
  readonly quotas = new Quotas();
  readonly breakers = new Breakers();
  readonly queue = new Queue();
  readonly #subscription: Disposable;

  constructor({ notices, clock }: Pick<SystemContext, "notices" | "clock">) {
    this.#subscription = notices.subscribe(USED_UP, (detail = "") => {
      const [name = "", until = ""] = detail.split(" ");
      if (!/^[ci]:\S+$/.test(name) || !/^\d{1,15}$/.test(until)) return;
      this.quotas.block(name, Number(until), clock.now().getTime());
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

export const traffic = serverState(
  (ctx: Pick<SystemContext, "notices" | "clock">) => new Traffic(ctx),
);

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
  const exhaustion = readExhaustion(head, hints, now);
  if (exhaustion === undefined) return;
  const { quotas } = traffic.of(ctx);
  const owner = { connection: connection.uuid, integrationId: integration.id };
  for (const name of quotas.note(owner, exhaustion, now.getTime())) {
    // A process that misses it meets the provider's own answer.
    notifyDue(ctx, `${USED_UP} ${name} ${Math.ceil(quotas.untilOf(name))}`).catch(() => undefined);
  }
}

type Called = Pick<ProviderCall, "integration">;

/** The origin has answered, with any status. */
export function noteAnswer(ctx: EnvironmentContext, { integration }: Called, origin: string): void {
  traffic.of(ctx).breakers.noteAnswer(origin);
  noteReached(ctx, { integrationId: integration.id, host: hostOf(origin) });
}

/** No answer came: an origin that takes no connections for long becomes known to the environment. */
export function noteFailure(
  ctx: EnvironmentContext,
  called: Called,
  { origin, error }: { origin: string; error: unknown },
): void {
  const { breakers } = traffic.of(ctx);
  breakers.noteFailure(origin, error);
  tellOfOutage(ctx, called, origin);
}

/** Throws upstream_circuit_open, see `Breakers.require`. */
export function requireOrigin(ctx: EnvironmentContext, called: Called, origin: string): void {
  const { breakers } = traffic.of(ctx);
  if (breakers.isClosed(origin)) return;
  try {
    breakers.require(origin);
  } catch (error) {
    tellOfOutage(ctx, called, origin);
    throw error;
  }
}

function tellOfOutage(ctx: EnvironmentContext, { integration }: Called, origin: string): void {
  const heldForMs = traffic.of(ctx).breakers.heldForMs(origin);
  if (heldForMs === undefined) return;
  const host = hostOf(origin);
  const reason = `${host} takes no connections.`;
  noteOutage(ctx, { integrationId: integration.id, host, reason, heldForMs });
}

/** An origin is `https://` and its host; nothing is parsed for each call. */
function hostOf(origin: string): string {
  return origin.slice(origin.indexOf("//") + 2);
}

/** Background calls that wait for an app's quota, in their order. */
class Queue {
  readonly #waiting = new Map<number, number>();

  enter(integrationId: number): { readonly position: number; leave(): void } {
    const position = this.#waiting.get(integrationId) ?? 0;
    this.#waiting.set(integrationId, position + 1);
    return {
      position,
      leave: () => {
        const left = (this.#waiting.get(integrationId) ?? 1) - 1;
        if (left === 0) this.#waiting.delete(integrationId);
        else this.#waiting.set(integrationId, left);
      },
    };
  }
}
