import { note } from "./error-note.ts";

export const SEE_RUN =
  "Read the run's messages with `GET /logs/operations/{id}/messages`, then fix the function and deploy it.";

/** Errors of functions that are deployed and run. */
export const functionErrorNotes = {
  egress_refused: note(
    "The function, or the call's `Svc-Egress`, names the hosts that it may send to, and this one is not among them. Redirects count as well.",
    "If it is right, add the line that the message names to the function's `egress`, and deploy it.",
  ),
  credentials_withheld: note(
    'The function has `credentials: "proxy-only"`, or an action that has it called this one.',
    "Let `svc.get` and its like make the call, or take the option away.",
  ),
  canary_not_found: note("There is no such canary.", "Take the id from `GET /canaries`."),
  canary_running: note(
    "A canary compares the deployed functions with new ones, so that nothing may be deployed or deleted meanwhile.",
    "Promote the canary or roll it back with `jackfield canary`, then deploy again.",
  ),
  canary_ended: note(
    "The canary was promoted or rolled back before, by somebody or by itself.",
    "Read how it ended with `GET /canaries/{canaryId}`.",
  ),
  canary_not_possible: note(
    "No function that is deployed changes, no connection was chosen, an action's effect for agents grows, or a function has changed since the canary started. The message says which.",
    "Choose other connections, or deploy without a canary.",
  ),
  function_runtime_timed_out: note(
    "The run took longer than its limit and did not end when asked.",
    "Look for endless loops.",
  ),
  function_runtime_out_of_memory: note(
    "The run needed more memory than `SVC_FUNCTION_HEAP`.",
    "Save page by page instead of collecting everything.",
  ),
  function_runtime_other: note("The process of the function ended unexpectedly.", SEE_RUN),
};
