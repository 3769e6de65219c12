export const problemKinds = [
  "needs_reauthorization",
  "sync_failing",
  "delete_guard",
  "receiver_failing",
  "receiver_disabled",
  "refresh_backoff",
  "client_refused",
  "sync_late",
  "run_stuck",
  "function_failing",
  "inbox_failed",
  "key_expiring",
] as const;

export type ProblemKind = (typeof problemKinds)[number];
export type ProblemState = "open" | "muted" | "resolved";

/** As it is stored. */
export interface Problem {
  readonly id: string;
  readonly fingerprint: string;
  readonly kind: ProblemKind;
  readonly integration: string | null;
  /** Of the guard of deletes it is the model. */
  readonly function: string | null;
  readonly receiver: string | null;
  readonly since: Date;
  readonly lastAt: Date;
  readonly count: number;
  readonly sample: readonly string[];
  readonly resolvedAt: Date | null;
  readonly muteUntil: Date | null;
  readonly note: string | null;
}

export interface ProblemChange {
  /** Null ends the muting. */
  readonly muteUntil?: Date | null | undefined;
  readonly note?: string | null | undefined;
  readonly isResolved?: boolean | undefined;
}

/** Those whose count is of connections; the others count syncs, webhooks, keys or receivers. */
const ofConnections: ReadonlySet<ProblemKind> = new Set([
  "needs_reauthorization",
  "sync_failing",
  "delete_guard",
  "refresh_backoff",
  "client_refused",
  "sync_late",
  "run_stuck",
]);

export function countsConnections({ kind }: Problem): boolean {
  return ofConnections.has(kind);
}

export function stateOf({ resolvedAt, muteUntil }: Problem, now: Date): ProblemState {
  if (resolvedAt !== null) return "resolved";
  return muteUntil !== null && muteUntil > now ? "muted" : "open";
}

interface Wording {
  readonly severity: "error" | "warning";
  title(problem: Problem): string;
  readonly nextSteps: readonly string[];
}

const wordings: Readonly<Record<ProblemKind, Wording>> = {
  needs_reauthorization: {
    severity: "error",
    title: ({ count, integration }) =>
      `${count} ${count === 1 ? "connection" : "connections"} of ${integration} must be authorized again`,
    nextSteps: [
      "Read `errors` of the connection for what the provider answered.",
      "Create a session with `POST /connect/sessions/reconnect` and give its link to the end user.",
      "If all connections of the integration fail, check its client id and client secret.",
    ],
  },
  sync_failing: {
    severity: "error",
    title: ({ count, function: name, integration }) =>
      `The sync ${name} of ${integration} keeps failing for ${count} ${count === 1 ? "connection" : "connections"}`,
    nextSteps: [
      "Read the failed runs: `GET /logs/operations?types=sync:run&states=failed`.",
      "Try the function with `jackfield dryrun`, deploy a version that works, and trigger the sync.",
    ],
  },
  delete_guard: {
    severity: "warning",
    title: ({ count, function: model, integration }) =>
      `Deletes of ${model} of ${integration} were refused for ${count} ${count === 1 ? "connection" : "connections"}`,
    nextSteps: [
      "Check at the provider whether so many records are really gone.",
      "Allow them with `POST /sync/confirm-deletes`, or run the sync again.",
    ],
  },
  receiver_failing: {
    severity: "warning",
    title: ({ receiver }) => `Webhooks to ${originOf(receiver)} are not received`,
    nextSteps: [
      "Read what it answered: `GET /webhooks/deliveries?state=waiting`.",
      "Deliveries are repeated by themselves; after 5 days they are held.",
    ],
  },
  receiver_disabled: {
    severity: "error",
    title: ({ receiver }) => `Webhooks to ${originOf(receiver)} are held`,
    nextSteps: [
      "Make the receiver answer with a status of 2xx.",
      "Then send what was held with `POST /webhooks/receivers/enable`.",
    ],
  },
  refresh_backoff: {
    severity: "warning",
    title: ({ count, integration }) =>
      `Tokens of ${countOf(count, "connection")} of ${integration} cannot be refreshed at the moment`,
    nextSteps: [
      "The server tries again by itself; tokens that are still valid are used meanwhile.",
      "Look at the provider's status page, and read `errors` of the connection.",
      "Try now with `POST /connections/{connectionId}/refresh`.",
    ],
  },
  client_refused: {
    severity: "error",
    title: ({ count, integration }) =>
      `The provider refuses the OAuth client of ${integration}, which ${countOf(count, "connection")} need`,
    nextSteps: [
      "Compare client id and client secret with those at the provider.",
      "Change them with `PATCH /integrations/{uniqueKey}`; connections then recover by themselves.",
    ],
  },
  sync_late: {
    severity: "warning",
    title: ({ count, function: name, integration }) =>
      `The sync ${name} of ${integration} is late for ${countOf(count, "connection")}`,
    nextSteps: [
      "See whether workers run and what waits: `GET /installation`.",
      "An environment runs only so many syncs at once; others of it may take long.",
    ],
  },
  run_stuck: {
    severity: "error",
    title: ({ count, function: name, integration }) =>
      `Runs of ${name} of ${integration} end their worker, for ${countOf(count, "connection")}`,
    nextSteps: [
      "Read the lines of the run: it may take more memory than it may have.",
      "Stop it with `POST /runs/{id}/cancel`, and deploy a version that reads smaller pages.",
    ],
  },
  function_failing: {
    severity: "error",
    title: ({ count, function: name, integration }) =>
      `The function ${name} of ${integration} has failed ${count} times within two hours`,
    nextSteps: [
      "Read the failed operations: `GET /logs/operations?states=failed`.",
      "Take the last deployment back with `POST /deployments/{id}/rollback`, or deploy a version that works.",
    ],
  },
  inbox_failed: {
    severity: "error",
    title: ({ count, integration }) =>
      `${countOf(count, "webhook")} of ${integration} could not be handled within a day`,
    nextSteps: [
      "Read why: `GET /webhooks/inbox?state=failed`.",
      "Handle them again with `POST /webhooks/inbox/replay`.",
    ],
  },
  key_expiring: {
    severity: "warning",
    title: ({ count }) => `${countOf(count, "API key")} of the environment end within 7 days`,
    nextSteps: [
      "Create another key and replace the old one with it where it is used.",
      "Or move the end of the key: `PATCH /environment/api-keys/{keyId}`.",
    ],
  },
};

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function describeProblem(problem: Problem) {
  const { severity, title, nextSteps } = wordings[problem.kind];
  return { severity, title: title(problem), nextSteps };
}

function originOf(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).origin : "a receiver";
}
