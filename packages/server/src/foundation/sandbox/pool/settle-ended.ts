import { ENDED_BY_ANOTHER, type Ending, presentEnding } from "../child/ending.ts";
import { ABORTED, type PendingRun } from "../child/pending-run.ts";

/** Tells the runs of a process that ended what became of them; answers those that are to run again. */
export function settleEnded(
  runs: readonly PendingRun[],
  ending: Ending,
  limits: { readonly heapMb: number },
): PendingRun[] {
  const again: PendingRun[] = [];
  for (const pending of runs) {
    const isSuspect = !("runId" in ending) || ending.runId === pending.id;
    const mayRepeat = ending.kind !== "closed" && ending.kind !== "load";
    const isKnown = "runId" in ending ? isSuspect : runs.length === 1;
    if (ending.kind === "unfit" && !pending.hasWritten) {
      // It has not begun, or nobody outside can tell.
      pending.attempts -= 1;
      again.push(pending);
    } else if (ending.kind === "unstarted" && ending.isSlow !== true && pending.attempts === 1) {
      // Something else has ended the process; one that never starts fails the second time.
      again.push(pending);
    } else if (mayRepeat && !isKnown && !pending.hasWritten && pending.attempts === 1) {
      // Alone the second time: whichever run ends processes can then only end its own.
      if (isSuspect) pending.exclusive = true;
      again.push(pending);
    } else if (isSuspect) {
      pending.fail(presentEnding(ending, limits));
    } else {
      pending.fail(ENDED_BY_ANOTHER);
    }
  }
  const isAborted = (pending: PendingRun) => pending.run.signal?.aborted === true;
  for (const pending of again.filter(isAborted)) pending.fail(ABORTED);
  return again.filter((pending) => !isAborted(pending));
}
