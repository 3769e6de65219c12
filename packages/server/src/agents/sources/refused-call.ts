import type { ToolFailure } from "#mcp";

/** A call that did not begin, in words for who called. */
export class RefusedCall extends Error {
  override name = "RefusedCall";
  readonly failure: ToolFailure;

  constructor(failure: ToolFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function invalidInput(message: string): RefusedCall {
  return new RefusedCall({
    ...{ code: "invalid_input", message },
    next: "Correct the input by the tool's schema and call again.",
  });
}
