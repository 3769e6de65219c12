import { canaryRoutes, type PresentedCanary } from "@jackfield/contract";
import { exitCodes } from "../user-error.ts";
import { callPlatform, type Platform } from "./call-platform.ts";

const { startCanary: route } = canaryRoutes;

export async function startCanary(
  platform: Platform,
  call: { readonly path: string; readonly body: unknown },
): Promise<{ data: PresentedCanary }> {
  return await callPlatform(platform, {
    ...call,
    answer: route.success.schema,
    exitCode: exitCodes.notDeployed,
  });
}

/** A canary with both versions of its functions, in lines. */
export function describeCanary(canary: PresentedCanary): string[] {
  const { id, state, chosen_connections: chosen, message, functions } = canary;
  const count = `${chosen} connection${chosen === 1 ? "" : "s"}`;
  const what = {
    running: "runs for",
    promoted: "was promoted after",
    rolled_back: "was rolled back from",
  };
  return [
    `Canary ${id} ${what[state]} ${count}. ${message}`,
    ...functions.flatMap(({ type, name, provider_config_key: key, change, verdict, ...fn }) => [
      `  ${type.padEnd(8)} ${key}/${name}: ${change === "new" ? "new, runs after the promotion" : verdict}`,
      ...fn.findings.map((finding) => `    ${finding}`),
      ...(change === "new"
        ? []
        : [
            `    new version: ${describeSide(fn.canary)}`,
            `    old version: ${describeSide(fn.outside)}`,
            ...(fn.before.runs > 0 ? [`    before:      ${describeSide(fn.before)}`] : []),
          ]),
    ]),
  ];
}

function describeSide(side: PresentedCanary["functions"][number]["canary"]): string {
  const { runs, failures, duration_ms: duration, added, updated, deleted } = side;
  const times = duration.p50 === null ? "" : `, p50 ${duration.p50} ms, p95 ${duration.p95} ms`;
  const records =
    side.synced_runs === 0 ? "" : `, records +${added.total} ~${updated.total} -${deleted.total}`;
  return `${runs} run${runs === 1 ? "" : "s"}, ${failures} failed${times}${records}`;
}
