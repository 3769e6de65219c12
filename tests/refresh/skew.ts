import type { Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

const CALLS = 20;

/** R10: our clock is wrong; a token is renewed once and then used, not renewed again and again. */
export async function runSkew(harbor: Harbor, skewsMs: readonly number[]): Promise<TrialResult> {
  const violations: string[] = [];
  for (const clockSkewMs of skewsMs) {
    const platform = await harbor.start({ clockSkewMs });
    const [connectionId = ""] = await harbor.connect(platform, 1);
    await harbor.query(
      "update connections set credentials_expire_at = 'epoch' where connection_id = $1",
      [connectionId],
    );
    const before = harbor.gateway.presented.length;
    for (let call = 0; call < CALLS; call += 1) {
      const { status, code } = await harbor.proxy(platform, connectionId);
      if (status !== 200) violations.push(`${clockSkewMs} ms: ${status} ${code}`);
    }
    const attempts = harbor.gateway.presented.length - before;
    if (attempts !== 1) violations.push(`${clockSkewMs} ms: ${attempts} attempts`);
    const { lifeMs = 0 } =
      (
        await harbor.query<{ lifeMs: number }>(
          `select (extract(epoch from credentials_expire_at - credentials_issued_at) * 1000)::float8
             as "lifeMs" from connections where connection_id = $1`,
          [connectionId],
        )
      )[0] ?? {};
    if (lifeMs !== 3_600_000) violations.push(`${clockSkewMs} ms: a life of ${lifeMs} ms`);
    await platform.stop();
  }
  return { id: "R10", trials: skewsMs.length * CALLS, violations, note: `${skewsMs} ms` };
}
