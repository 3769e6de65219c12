import { actionRoutes } from "@jackfield/contract";
import { expect, test } from "vitest";
import { toActionOutcome, toLoggedError } from "./action-outcome.ts";
import { toActionError } from "./to-action-error.ts";

const now = new Date("2026-11-27T10:00:00Z");

test.for([
  "script_aborted",
  "execution_timeout",
  "function_runtime_timed_out",
  "function_runtime_out_of_memory",
  "function_runtime_other",
  "invalid_action_output",
  "overloaded",
] as const)(
  "a run that ended as %s is reported with that code, which the route declares",
  (type) => {
    const error = toActionError({ type, message: "what happened" }, now);

    expect(error).toMatchObject({ code: type, message: "what happened", details: undefined });
    expect(actionRoutes.triggerAction.errors).toContain(type);
  },
);

test("a process cannot answer with a code that is not an action's", () => {
  const error = toActionError({ type: "unknown_account", message: "forged" }, now);

  expect(error).toMatchObject({ code: "script_internal_error", status: 500 });
});

test("the output limit holds for a process that does not keep it", async () => {
  const output = new Uint8Array(1001);

  const outcome = await toActionOutcome({ kind: "done", output, interrupted: false }, 1000);

  expect(outcome).toMatchObject({ kind: "failed", error: { type: "script_output_too_large" } });
});

test.each([
  ["two values", Buffer.from('{"a":1}{"b":2}')],
  ["half a value", Buffer.from('{"a":')],
  ["text", Buffer.from("<script>")],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ["a bomb of depth", Buffer.from("[".repeat(400) + "]".repeat(400)).fill("[", 0, 500)],
  ["too many levels", Buffer.from("[".repeat(1001) + "]".repeat(1001))],
])("an output of %s never reaches a caller", async (_, output) => {
  const outcome = await toActionOutcome({ kind: "done", output, interrupted: false }, 10_000);

  expect(outcome).toMatchObject({ kind: "failed", error: { type: "script_internal_error" } });
});

test("an output that is JSON is passed on byte for byte", async () => {
  const output = Buffer.from(' {"a": [1, "ü\\ud800", {}], "a": 2.50}\n');

  const outcome = await toActionOutcome({ kind: "done", output, interrupted: false }, 10_000);

  expect(outcome).toEqual({ kind: "done", output });
});

test("an operation keeps what the author threw, but neither input nor provider's body", () => {
  const upstream = { status: 500, headers: {}, body: "private" };
  const thrown = { type: "action_script_runtime_error", message: "no", payload: { id: 7 } };
  const refused = { type: "invalid_action_input", message: "no", payload: { data: "private" } };
  const http = { type: "script_http_error", message: "no", payload: "private", upstream };

  expect(toLoggedError(thrown)).toEqual(thrown);
  expect(toLoggedError(refused)).toEqual({ type: "invalid_action_input", message: "no" });
  expect(toLoggedError(http)).toEqual({
    type: "script_http_error",
    message: "no",
    payload: { status: 500 },
  });
});

test.each([
  ["2026-11-27T10:00:29.500Z", "30"],
  ["2026-11-27T09:59:00.000Z", "1"],
])(
  "an action whose token is refreshed again at %s may be tried again after %s s",
  (retryAt, seconds) => {
    const payload = { stage: "refresh" };
    const failed = { type: "connection_refresh_backoff", message: "no token", payload, retryAt };

    const error = toActionError(failed, now);

    expect(error).toMatchObject({ status: 424, code: failed.type, details: [payload] });
    expect(error.headers).toEqual({ "Retry-After": seconds });
  },
);

test("an action that found no process may be tried again soon", () => {
  const error = toActionError({ type: "overloaded", message: "no process" }, now);

  expect(error).toMatchObject({ status: 503, headers: { "Retry-After": "1" } });
});
