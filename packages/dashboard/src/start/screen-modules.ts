import type { ReactNode } from "react";
import type { SearchWords } from "../parts/use-address.ts";

interface ScreenModule {
  readonly Screen: () => ReactNode;
  /** Asks for what the screen will show first, so that its answer comes while the screen is being drawn. */
  readonly begin?: (environment: string, words: SearchWords) => void;
}

type Load = () => Promise<ScreenModule>;

/** Screens of who has not signed in. */
export const accessScreens: Readonly<Record<string, Load>> = {
  "sign-in": async () => await import("../screens/access/sign-in.ts"),
  setup: async () => await import("../screens/access/setup.ts"),
  invite: async () => await import("../screens/access/invite.ts"),
};

/** Screens below no environment. */
export const accountScreens: Readonly<Record<string, Load>> = {
  people: async () => await import("../screens/people/list.ts"),
  sso: async () => await import("../screens/sso/sso.ts"),
  audit: async () => await import("../screens/audit/list.ts"),
  installation: async () => await import("../screens/installation/installation.ts"),
  profile: async () => await import("../screens/profile/profile.ts"),
  environments: async () => await import("../screens/environments/list.ts"),
  "o/$operationId": async () => await import("../screens/short-links/operation.ts"),
};

/** Screens of an environment, by their address below it. */
export const environmentScreens: Readonly<Record<string, Load>> = {
  "/": async () => await import("../screens/home/home.ts"),
  start: async () => await import("../screens/start/start.ts"),
  problems: async () => await import("../screens/problems/list.ts"),
  "problems/$problemId": async () => await import("../screens/problems/one.ts"),
  connections: async () => await import("../screens/connections/list.ts"),
  "connections/$integration/$connectionId/$tab": async () =>
    await import("../screens/connections/one.ts"),
  "connect-links": async () => await import("../screens/connect-links/list.ts"),
  integrations: async () => await import("../screens/integrations/list.ts"),
  "integrations/$integration": async () => await import("../screens/integrations/one.ts"),
  "integrations/$integration/$tab": async () => await import("../screens/integrations/one.ts"),
  catalogue: async () => await import("../screens/integrations/catalogue.ts"),
  "catalogue/new": async () => await import("../screens/custom-providers/new.ts"),
  "catalogue/$provider": async () => await import("../screens/custom-providers/one.ts"),
  functions: async () => await import("../screens/functions/list.ts"),
  "functions/$integration/$type/$name/$tab": async () =>
    await import("../screens/functions/one.ts"),
  playground: async () => await import("../screens/playground/playground.ts"),
  syncs: async () => await import("../screens/syncs/list.ts"),
  "syncs/$syncId/runs/$runId": async () => await import("../screens/syncs/run.ts"),
  settings: async () => await import("../screens/settings/one.ts"),
  "settings/$tab": async () => await import("../screens/settings/one.ts"),
  deployments: async () => await import("../screens/deployments/list.ts"),
  keys: async () => await import("../screens/keys/list.ts"),
  metrics: async () => await import("../screens/metrics/metrics.ts"),
  "rate-limits": async () => await import("../screens/rate-limits/list.ts"),
  revocations: async () => await import("../screens/revocations/list.ts"),
  "revocations/$revocationId": async () => await import("../screens/revocations/one.ts"),
  toolsets: async () => await import("../screens/toolsets/list.ts"),
  "toolsets/new": async () => await import("../screens/toolsets/new.ts"),
  "toolsets/$toolset/$tab": async () => await import("../screens/toolsets/one.ts"),
  "agent-sessions": async () => await import("../screens/agent-sessions/list.ts"),
  "agent-sessions/$sessionId": async () => await import("../screens/agent-sessions/one.ts"),
  "agent-calls": async () => await import("../screens/agent-calls/list.ts"),
  approvals: async () => await import("../screens/approvals/list.ts"),
  "approvals/$approvalId": async () => await import("../screens/approvals/one.ts"),
  records: async () => await import("../screens/records/models.ts"),
  "records/$integration/$connection/$model": async () => await import("../screens/records/list.ts"),
  destinations: async () => await import("../screens/destinations/list.ts"),
  "webhooks/out": async () => await import("../screens/webhooks/out/list.ts"),
  "webhooks/out/$deliveryId": async () => await import("../screens/webhooks/out/one.ts"),
  "webhooks/in": async () => await import("../screens/webhooks/in/list.ts"),
  "webhooks/in/$webhookId": async () => await import("../screens/webhooks/in/one.ts"),
  operations: async () => await import("../screens/operations/list.ts"),
  "operations/$operationId": async () => await import("../screens/operations/one.ts"),
};

/** What loads the screen of an address, which is given as parts between slashes. */
export function findScreen(parts: readonly string[]): Load | undefined {
  const [first = "", ...below] = parts;
  const outside = Object.entries({ ...accessScreens, ...accountScreens });
  const [, screen] = outside.find(([path]) => isMatch(path.split("/"), parts)) ?? [];
  if (screen !== undefined) return screen;
  if (below.length === 0) return first === "" ? undefined : environmentScreens["/"];
  const [match] = Object.entries(environmentScreens)
    .filter(([path]) => isMatch(path.split("/"), below))
    .toSorted(([one], [other]) => countNames(one) - countNames(other));
  return match?.[1];
}

function isMatch(path: readonly string[], parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    path.every((part, place) => part.startsWith("$") || part === parts[place])
  );
}

/** Parts of a path that may be anything. */
function countNames(path: string): number {
  return path.split("$").length;
}

/** Whether an address with this beginning is one of the account, and the beginning no environment. */
export function isOfAccount(first: string): boolean {
  return Object.keys(accountScreens).some((path) => path.split("/")[0] === first);
}
