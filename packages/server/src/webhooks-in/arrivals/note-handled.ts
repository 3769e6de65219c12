import type { WebhookConnection } from "#connections";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { findProviderOf } from "#integrations";
import type { Handling } from "../inbox/handling.ts";
import { type Routing, routerOf } from "../match/routing.ts";
import type { ReadEvent } from "../reading/jobs.ts";
import { MOST_CONNECTIONS, noteArrival } from "./note-arrivals.ts";
import { readNumber } from "./sequence.ts";

/** Larger payloads are not read for the number of a sequence. */
const MOST_BYTES = 64 * 1024;

interface Arrived {
  readonly event: ReadEvent;
  readonly connections: readonly WebhookConnection[];
  readonly isDuplicate: boolean;
}

/**
 * For each connection of a webhook how it arrived. Not counted: what the customer has handled again, since it did not
 * come now, and what is not verified although the provider signs, since a stranger could hide a silence with it.
 */
export class ArrivedEvents {
  readonly #of = new Map<ConnectionUuid, { duplicates: number; numbers: number[] }>();
  readonly #handling: Handling;
  readonly #counts: boolean;
  readonly #sequence: string | undefined;

  constructor(handling: Handling, routing: Routing) {
    const { integration, webhook } = handling;
    const { isVerified, isReplay } = webhook;
    const own = integration.settings.webhook_sequence;
    this.#sequence = own ?? findProviderOf(integration)?.webhooks?.sequence;
    this.#handling = handling;
    this.#counts = !isReplay && (isVerified || routerOf(routing).proof === undefined);
  }

  add({ event, connections, isDuplicate }: Arrived): void {
    const pointer = this.#sequence;
    const number = isDuplicate || pointer === undefined ? undefined : numberOf(event, pointer);
    for (const { uuid } of connections) {
      const noted = this.#of.get(uuid);
      // More of one webhook would not wait anyway.
      if (noted === undefined && this.#of.size === MOST_CONNECTIONS) continue;
      const known = noted ?? { duplicates: 0, numbers: [] };
      this.#of.set(uuid, known);
      if (isDuplicate) known.duplicates += 1;
      if (number !== undefined) known.numbers.push(number);
    }
  }

  /** Called once the webhook is handled for good. */
  note(ctx: EnvironmentContext): void {
    if (!this.#counts) return;
    const { receivedAt } = this.#handling.webhook;
    for (const [connection, arrived] of this.#of) {
      noteArrival(ctx, { connection, receivedAt, ...arrived });
    }
  }
}

function numberOf({ payload }: ReadEvent, pointer: string): number | undefined {
  if (payload.byteLength > MOST_BYTES) return undefined;
  return readNumber(JSON.parse(Buffer.from(payload).toString()), pointer);
}
