import { LRUCache } from "lru-cache";
import type { OperationId } from "#platform";

const MOST_OPERATIONS = 50_000;

/** Lines of the operations that logged last. */
export class LineCounts {
  readonly #counts = new LRUCache<OperationId, number>({ max: MOST_OPERATIONS });

  /** Counts one more line; false when the operation has had `limit` of them. */
  add(operationId: OperationId, limit: number): boolean {
    const count = (this.#counts.get(operationId) ?? 0) + 1;
    if (count > limit) return false;
    this.#counts.set(operationId, count);
    return true;
  }
}
