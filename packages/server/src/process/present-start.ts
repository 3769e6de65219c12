import type { Config } from "#config";
import type { RunningServer } from "../start-server.ts";

/** What the operator reads after a start: where it is, new keys, what to try next; `setup`: how the first owner signs in. */
export function presentStart(
  { url, newKeys, quarantinedSince, startedInMs }: RunningServer,
  {
    roles,
    apiProcesses,
    dashboard,
    dashboardUrl,
  }: Pick<Config, "roles" | "apiProcesses" | "dashboard" | "dashboardUrl">,
  setup?: string,
): string {
  const shared = apiProcesses > 1 && roles.includes("api") ? `, ${apiProcesses} API processes` : "";
  const lines = [
    `Jackfield is ready at ${url} (${roles.join(" and ")}${shared}, ${startedInMs} ms).`,
    ...(dashboard ? [`  dashboard  ${dashboardUrl ?? `${url}/dashboard`}/`] : []),
    `  guides     ${url}/docs/`,
    `  API        ${url}/docs/api`,
  ];
  if (quarantinedSince !== undefined) {
    lines.push(
      `QUARANTINE since ${quarantinedSince.toISOString()}: nothing is synced, refreshed or delivered until \`jackfield resume\`.`,
      "Run it after every other copy of this installation has stopped (docs/backup.md).",
    );
  }
  if (setup !== undefined) lines.push(setup);
  if (newKeys === undefined) {
    lines.push("  keys       create another one with npx jackfield keys create --environment dev");
    return lines.join("\n");
  }
  lines.push(
    "",
    "First start. These keys are shown once; only their hashes are stored.",
    "`npx jackfield keys create --environment dev` creates another one, even while the server runs.",
    `  dev      ${newKeys.dev}`,
    `  prod     ${newKeys.prod}`,
    `  account  ${newKeys.account}`,
    "",
    "Try:",
    `  export SVC_SECRET_KEY_DEV=${newKeys.dev}`,
    `  curl -H "Authorization: Bearer $SVC_SECRET_KEY_DEV" ${url}/integrations`,
    `  Open ${url}/docs/quick-start for a first call and a first function`,
  );
  return lines.join("\n");
}
