import type { RunError } from "@jackfield/contract/runtime";
import { boundText, boundValue } from "#logs";

const MAX_TYPE_CHARACTERS = 100;
const MAX_MESSAGE_CHARACTERS = 10_000;
const MAX_STACK_CHARACTERS = 20_000;

/** A function's account of its failure, which it may have forged: cut before anything reads it. */
export function boundRunError(error: RunError): RunError {
  const { type, message, stack, upstream } = error;
  return {
    ...error,
    type: boundText(type, MAX_TYPE_CHARACTERS),
    message: boundText(message, MAX_MESSAGE_CHARACTERS),
    ...(stack === undefined ? {} : { stack: boundText(stack, MAX_STACK_CHARACTERS) }),
    ...("payload" in error ? { payload: boundValue(error.payload) } : {}),
    ...(upstream === undefined ? {} : { upstream: boundUpstream(upstream) }),
  };
}

type Upstream = NonNullable<RunError["upstream"]>;

function boundUpstream({ status, headers, body }: Upstream): Upstream {
  const kept = Object.entries(headers).slice(0, 100);
  return {
    status,
    headers: Object.fromEntries(
      kept.map(([name, value]) => [boundText(name, 255), boundText(value, 8000)]),
    ),
    body: boundValue(body),
  };
}
