import { serverState } from "#foundation";
import type { DayTable } from "#foundation/db/day-partitions";
import type { RecentFailures } from "#foundation/http";
import type { ReadBacklog } from "#foundation/telemetry";

/** What only who starts the process knows of it. */
interface InstallationFacts {
  readonly roles: readonly ("api" | "worker")[];
  readonly apiProcesses: number;
  readonly poolSize: number;
  readonly dataDir: string;
  readonly startedAt: Date;
  readonly backlogs: readonly ReadBacklog[];
  readonly dayTables: readonly DayTable[];
  /** What the operator has opened, and how many authorities of certificates they have added. */
  readonly egress: { readonly allow: readonly string[]; readonly authorities: number };
  /** Of this process. */
  readonly failures: RecentFailures;
}

/** Set by the app. */
export const installationFacts = serverState<InstallationFacts>(() => {
  throw new Error("The app has not reported the installation.");
});
