import { randomFillSync, randomUUID } from "node:crypto";
import { v7 } from "uuid";

declare const brand: unique symbol;

/** A text that stands for one kind of thing, so that two kinds cannot be mixed up. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

export type EnvironmentId = Branded<"environment">;
/** Internal id of a connection; never on the wire, where `connection_id` and the integration name it. */
export type ConnectionUuid = Branded<"connection">;
export type OperationId = Branded<"operation">;
export type RunId = Branded<"run">;
export type SyncId = Branded<"sync">;
export type DeliveryId = Branded<"delivery">;
export type ActionId = Branded<"action">;

type RandomId = EnvironmentId | ConnectionUuid | SyncId;
type TimeId = OperationId | RunId | DeliveryId | ActionId;

/** A random id (UUID v4) of the wanted kind. */
export function newRandomId<Id extends RandomId>(): Id {
  return brandId<Id>(randomUUID());
}

/** An id that sorts by time (UUID v7); its first 48 bits are `now` in milliseconds. */
export function newTimeId<Id extends TimeId>(now: Date): Id {
  return brandId<Id>(v7({ msecs: now.getTime(), random: takeRandom() }));
}

/** When an id that sorts by time was made: the first 48 bits of a UUID v7 are milliseconds (RFC 9562 5.7). */
export function timeOfId(id: TimeId): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

const ID_BYTES = 16;
// Asked of the system in one go: on hot paths the call costs more than the rest of an id.
const pool = Buffer.alloc(256 * ID_BYTES);
// Process-wide: no random byte is used twice.
let taken = pool.byteLength;

function takeRandom(): Uint8Array {
  if (taken === pool.byteLength) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += ID_BYTES;
  return pool.subarray(taken - ID_BYTES, taken);
}

/** Where ids enter: made here, or read back from the wire, from a job or from a sealed text. */
export function brandId<Id extends Branded<string>>(text: string): Id {
  return text as Id;
}
