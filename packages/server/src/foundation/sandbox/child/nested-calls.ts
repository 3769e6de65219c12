import { functionLimits } from "@jackfield/contract/function-limits";
import type { RunError } from "@jackfield/contract/runtime";

/** Of the inputs of one process's nested actions; one may be larger alone. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What the runs of one process wait for: actions that they have called. */
export class NestedCalls {
  #bytes = 0;

  /** Why a run that waits for `count` actions may not wait for one more. */
  refuse(count: number, bytes: number): RunError | undefined {
    const isFull = this.#bytes > 0 && this.#bytes + bytes > MAX_BYTES;
    const most = functionLimits.nestedCalls.value;
    if (!isFull && count < most) return undefined;
    return {
      type: "too_many_nested_actions",
      message: `A function may wait for ${most} actions at once, with inputs of ${MAX_BYTES} bytes; await some before it calls more.`,
    };
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }
}
