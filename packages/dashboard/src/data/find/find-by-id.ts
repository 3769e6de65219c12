import { homeOf } from "../../start/environment-address.ts";
import { callApi, isNotFound } from "../api.ts";
import type { OwnEnvironment } from "../me.ts";
import { holdsScope } from "../scopes.ts";
import { findOperation } from "./find-operation.ts";

/** A thing that an id names, and the address of its page. */
export interface FoundById {
  readonly kind: Kind;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly environment: string;
  readonly id: string;
  readonly signal: AbortSignal;
}

/** Address below the environment; undefined where there is no such thing. Throws what the API answers. */
type Find = (
  asked: Asked,
) => Promise<{ path: string; search?: Readonly<Record<string, string>> } | undefined>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return uuid.test(text);
}

/** What has ids of this form, with the scope that reading it takes. */
const things = {
  problem: {
    scope: "environment:problems:read",
    find: async ({ id, ...call }) => {
      await callApi("getProblem", { ...call, params: { problemId: id } });
      return { path: `problems/${id}` };
    },
  },
  delivery: {
    scope: "environment:webhooks:read",
    find: async ({ id, ...call }) => {
      await callApi("getWebhookDelivery", { ...call, params: { id } });
      return { path: `webhooks/out/${id}` };
    },
  },
  webhook: {
    scope: "environment:webhooks:read",
    find: async ({ id, ...call }) => {
      await callApi("getInboundWebhook", { ...call, params: { id } });
      return { path: `webhooks/in/${id}` };
    },
  },
  sync: {
    scope: "environment:syncs:read",
    find: async ({ id, ...call }) => {
      await callApi("listSyncRuns", { ...call, params: { id }, query: Object({ limit: "1" }) });
      return { path: "syncs", search: { open: id } };
    },
  },
  run: {
    scope: "environment:syncs:read",
    find: async ({ id, ...call }) => {
      const query = Object({ include: "runs", limit: "100" });
      const { data } = await callApi("listSyncs", { ...call, query });
      const sync = data.find(({ latest_runs: runs }) => runs?.some((run) => run.id === id));
      return sync && { path: `syncs/${sync.id}/runs/${id}` };
    },
  },
  revocation: {
    scope: "environment:revocations:read",
    find: async ({ id, ...call }) => {
      await callApi("getRevocation", { ...call, params: { revocationId: id } });
      return { path: `revocations/${id}` };
    },
  },
  session: {
    scope: "environment:agents:read",
    find: async ({ id, ...call }) => {
      await callApi("getAgentSession", { ...call, params: { sessionId: id } });
      return { path: `agent-sessions/${id}` };
    },
  },
  approval: {
    scope: "environment:agents:approve",
    find: async ({ id, ...call }) => {
      await callApi("getAgentApproval", { ...call, params: { id } });
      return { path: `approvals/${id}` };
    },
  },
  destination: {
    scope: "environment:destinations:read",
    find: async ({ id, ...call }) => {
      await callApi("getRecordDestination", { ...call, params: { destinationId: id } });
      return { path: "destinations", search: { open: id } };
    },
  },
} as const satisfies Readonly<Record<string, { scope: string; find: Find }>>;

type Kind = keyof typeof things | "operation";

/**
 * What an id names: in the environment, and of operations in all that the person may read. Throws ApiError where
 * something could not be asked and nothing was found.
 */
export async function findById(
  id: string,
  {
    current,
    environments,
    signal,
  }: {
    current: OwnEnvironment | undefined;
    environments: readonly OwnEnvironment[];
    signal: AbortSignal;
  },
): Promise<readonly FoundById[]> {
  const others = environments.filter((own) => own.id !== current?.id);
  const operation = async (): Promise<FoundById | undefined> => {
    const own = current === undefined ? others : [current, ...others];
    const environment = await findOperation(own, id, signal);
    if (environment === undefined) return undefined;
    return { kind: "operation", to: `${homeOf(environment)}/operations/${id}` };
  };
  const own = Object.entries(things).map(async ([kind, { scope, find }]) => {
    if (current === undefined || !holdsScope(current.scopes, scope)) return undefined;
    const found = await find({ environment: current.name, id, signal });
    if (found === undefined) return undefined;
    const { path, ...search } = found;
    return Object({ kind, to: `/${encodeURIComponent(current.name)}/${path}`, ...search });
  });
  const answers = await Promise.allSettled<FoundById | undefined>([operation(), ...own]);
  const found = answers.flatMap((answer) =>
    answer.status === "fulfilled" && answer.value !== undefined ? [answer.value] : [],
  );
  const failure = answers.find(
    (answer) => answer.status === "rejected" && !isNotFound(answer.reason),
  );
  if (found.length === 0 && failure?.status === "rejected") throw failure.reason;
  return found;
}
