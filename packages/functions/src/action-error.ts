/** Marks action errors of any copy of this module: the bundle and the runner each hold their own. */
const ACTION_ERROR = Symbol.for("jackfield.action-error");

/** Ends a run with a payload for the caller: `throw new ActionError({ message: "No such contact" })`. */
export class ActionError<Payload = unknown> extends Error {
  override name = "ActionError";
  readonly payload: Payload | undefined;
  readonly [ACTION_ERROR] = true;

  constructor(payload?: Payload) {
    super(describePayload(payload));
    this.payload = payload;
  }
}

export function isActionError(value: unknown): value is ActionError {
  return value instanceof Error && ACTION_ERROR in value;
}

function describePayload(payload: unknown): string {
  if (typeof payload === "string") return payload;
  if (typeof payload !== "object" || payload === null || !("message" in payload)) {
    return "The function ended with an ActionError.";
  }
  return String(payload.message);
}
