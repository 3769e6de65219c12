import type { Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

const CALLERS = 50;

/** R9: forced refreshes share the attempt that runs, and never run in parallel. */
export async function runForced(harbor: Harbor, rounds: number): Promise<TrialResult> {
  const processes = [await harbor.start(), await harbor.start(), await harbor.start()];
  const [first] = processes;
  if (first === undefined) throw new Error("no process was started");
  const [connectionId = ""] = await harbor.connect(first, 1);
  const violations: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, index) =>
        harbor.get(processes[index % 3] ?? first, connectionId, "&force_refresh=true"),
      ),
    );
    const bad = answers.filter(({ status }) => status !== 200);
    if (bad.length > 0) violations.push(`round ${round}: ${bad.map(({ code }) => code)}`);
  }
  const { failedGrants, refreshGrants } = harbor.provider.journal;
  if (failedGrants > 0) violations.push(`${failedGrants} refused refreshes`);
  if (harbor.gateway.mostAtOnce > 1) violations.push(`${harbor.gateway.mostAtOnce} at once`);
  for (const platform of processes) await platform.stop();
  const note = `${rounds * CALLERS} calls made ${refreshGrants} refreshes`;
  return { id: "R9", trials: rounds, violations, note };
}
