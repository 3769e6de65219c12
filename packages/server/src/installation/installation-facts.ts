import { serverState } from "#foundation";
import type { ReadBacklog } from "#foundation/telemetry";

/** What only who starts the process knows of it. */
interface InstallationFacts {
  readonly roles: readonly ("api" | "worker")[];
  readonly apiProcesses: number;
  readonly poolSize: number;
  readonly dataDir: string;
  readonly startedAt: Date;
  readonly backlogs: readonly ReadBacklog[];
}

/** Set by the app. */
export const installationFacts = serverState<InstallationFacts>(() => {
  throw new Error("The app has not reported the installation.");
});
