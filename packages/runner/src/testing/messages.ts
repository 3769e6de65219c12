import type { RunError } from "@jackfield/contract/runtime";
import type { Received } from "./child.ts";

/** Source of an action with this body. */
export function actionSource(body: string, extra = ""): string {
  return `
    import * as z from "zod";
    import { ActionError, createAction } from "jackfield";
    ${extra}
    export default createAction({
      description: "test",
      input: z.object({ mode: z.string() }).or(z.undefined()),
      output: z.any(),
      exec: async (svc, input) => { ${body} },
    });`;
}

export function readOutput({ message, body }: Received): unknown {
  if (message.op === "done" || message.op === "call")
    return JSON.parse(Buffer.from(body).toString());
  throw new Error(`expected an output, got ${JSON.stringify(message)}`);
}

export function readFailure({ message }: Received): RunError {
  if (message.op === "failed" || message.op === "load-failed") return message.error;
  throw new Error(`expected a failure, got ${JSON.stringify(message)}`);
}

export function readCallId({ message }: Received): string {
  if (message.op === "call") return message.callId;
  throw new Error(`expected a call, got ${JSON.stringify(message)}`);
}
