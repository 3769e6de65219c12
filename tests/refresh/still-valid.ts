import type { Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

const outages = [
  { status: 503, body: "" },
  { status: 500, body: "<html></html>" },
  { status: 429, body: '{"error":"rate_limited"}' },
  { status: 200, body: '{"access' },
];

/** R5: a token that is valid for ten more minutes is handed out regardless of how its refresh ends. */
export async function runStillValid(harbor: Harbor, callsEach: number): Promise<TrialResult> {
  const platform = await harbor.start();
  const violations: string[] = [];
  for (const outage of outages) {
    const [connectionId = ""] = await harbor.connect(platform, 1);
    await harbor.query(
      "update connections set credentials_expire_at = now() + interval '10 minutes' where connection_id = $1",
      [connectionId],
    );
    harbor.gateway.answerWith(outage);
    const before = harbor.gateway.presented.length;
    for (let call = 0; call < callsEach; call += 50) {
      const calls = Array.from({ length: 50 }, () => harbor.proxy(platform, connectionId));
      for (const { status, code } of await Promise.all(calls)) {
        if (status !== 200) violations.push(`${outage.status}: ${status} ${code}`);
      }
    }
    harbor.gateway.answerWith(undefined);
    const attempts = harbor.gateway.presented.length - before;
    // Back-off begins with 30 s; the calls of one kind take less than two steps.
    if (attempts > 2) violations.push(`${outage.status}: ${attempts} attempts`);
  }
  await platform.stop();
  return { id: "R5", trials: callsEach * outages.length, violations };
}
