import { startThrowAwayServer } from "@jackfield/server";
import type { BenchRow } from "./meters/row.ts";

const ATTEMPTS = 200;
/** Below it two samples of this size may well be of one distribution: 1.36 for a chance of 5 %. */
const CRITICAL = 1.36 * Math.sqrt(2 / ATTEMPTS);

/**
 * Whether an unknown user can be distinguished from a wrong password by the time that the answer takes: 200 attempts of each,
 * in turns, each from an address of its own, so that none waits for those before it.
 */
export async function benchSignIn(): Promise<BenchRow[]> {
  await using server = await startThrowAwayServer({ SVC_TRUSTED_PROXIES: "127.0.0.1" });
  let calls = 0;
  const post = async (path: string, body: object, bearer?: string) => {
    calls += 1;
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: new URL(server.url).origin,
        "x-forwarded-for": `2001:db8::${calls.toString(16)}`,
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const known = Array.from({ length: 10 }, (_, n) => `person-${n}@example.com`);
  for (const email of known) {
    const grants = [{ role: "support", environments: "all" }];
    const added = await post("/users", { email, name: email, grants }, server.newKeys?.account);
    const token = added.body.data.link.url.split("#")[1];
    await post("/auth/links/redeem", { token, password: "looms weave algebra" });
  }
  const wrong: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < ATTEMPTS; n += 1) {
    const both = [
      { times: wrong, email: known[n % known.length] },
      { times: unknown, email: `nobody-${n % known.length}@example.com` },
    ];
    for (const { times, email } of n % 2 === 0 ? both : both.toReversed()) {
      const startedAt = performance.now();
      const { status } = await post("/auth/password", { email, password: `not this one ${n}` });
      times.push(performance.now() - startedAt);
      if (status !== 401) throw new Error(`answered ${status}`);
    }
  }
  const distance = distanceOf(wrong, unknown);
  const verdict = distance < CRITICAL ? "one distribution" : "TWO DISTRIBUTIONS";
  const note = `largest distance ${distance.toFixed(3)}, limit ${CRITICAL.toFixed(3)}: ${verdict}`;
  return [0.1, 0.5, 0.9].map((share) => ({
    name: `sign-in of an unknown user, p${share * 100}`,
    value: at(unknown, share),
    unit: "ms",
    baseline: { name: "a wrong password", value: at(wrong, share) },
    note: `${ATTEMPTS} each; ${note}`,
  }));
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * times.length)] ?? 0;
}

/** Of two samples of one size: the largest difference of their shares up to a value (Kolmogorov-Smirnov). */
function distanceOf(left: readonly number[], right: readonly number[]): number {
  const share = (times: readonly number[], value: number) =>
    times.filter((each) => each <= value).length / times.length;
  const distances = [...left, ...right].map((value) => share(left, value) - share(right, value));
  return Math.max(...distances.map(Math.abs));
}
