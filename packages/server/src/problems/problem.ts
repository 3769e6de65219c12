export const problemKinds = [
  "needs_reauthorization",
  "sync_failing",
  "delete_guard",
  "receiver_failing",
  "receiver_disabled",
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
};

export function describeProblem(problem: Problem) {
  const { severity, title, nextSteps } = wordings[problem.kind];
  return { severity, title: title(problem), nextSteps };
}

function originOf(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).origin : "a receiver";
}
