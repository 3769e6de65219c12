/** Checks of the suite that fail, by scenario, each with the reason why it is left so. Anything else has to pass. */
export type LeftOut = Readonly<
  Record<string, { readonly reason: string; readonly checks?: readonly string[] }>
>;

const prompts = { reason: "The server has no prompts: tools are what an integration offers." };
const completion = { reason: "Completion is for arguments of prompts, which there are none of." };
const sampling = {
  reason: "Deprecated in 2026-07-28: the server does not use its client's model.",
};
const roots = { reason: "Deprecated in 2026-07-28: the server reads no files of its client." };
const logging = { reason: "Deprecated in 2026-07-28: logs are for operators." };
const subscriptions = {
  // 2026-07-28 has done away with it: `subscriptions/listen` is one request, and the server has it.
  reason:
    "The request only says what another stream of the same session is to tell; the server keeps no sessions, and to answer it would be an empty promise.",
};

const both: LeftOut = {
  "completion-complete": completion,
  "prompts-list": prompts,
  "prompts-get-simple": prompts,
  "prompts-get-with-args": prompts,
  "prompts-get-embedded-resource": prompts,
  "prompts-get-with-image": prompts,
};

export const leftOut: Readonly<Record<"2025-11-25" | "2026-07-28", LeftOut>> = {
  "2025-11-25": {
    ...both,
    "logging-set-level": logging,
    "tools-call-with-logging": logging,
    "tools-call-sampling": sampling,
    "resources-subscribe": subscriptions,
    "resources-unsubscribe": subscriptions,
  },
  "2026-07-28": {
    ...both,
    "input-required-result-basic-sampling": sampling,
    "input-required-result-basic-list-roots": roots,
    "input-required-result-multiple-input-requests": sampling,
    "input-required-result-capability-check": sampling,
    "input-required-result-non-tool-request": prompts,
    // The probe is for a tool that needs sampling; with elicitation the same error and status are there.
    "server-stateless": { ...sampling, checks: ["sep-2575-server-rejects-undeclared-capability"] },
    caching: { ...prompts, checks: ["sep-2549-prompts-list-caching-hints"] },
  },
};

/** Of the extension for tasks, which no revision requires; the suite runs nothing in `tasks-status-notifications`. */
export const taskScenarios = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
] as const;

export const leftOutOfTasks: LeftOut = {
  "tasks-lifecycle": {
    reason:
      "No tool fails with an error of the protocol: what breaks in it is a result with `isError`, which a model can read, and so its task is completed.",
    checks: ["sep-2663-tasks-get-status-failed"],
  },
  "tasks-required-task-error": {
    reason:
      "No tool needs a client that knows tasks: any other client waits for the answer, or calls again after the approval.",
    checks: ["sep-2663-server-returns-missing-capability-when-required"],
  },
};
