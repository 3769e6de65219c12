import { CallError } from "#foundation/sandbox";
import type { RunCaller } from "#slice";
import type { Shown } from "./approval.ts";
import { queryOf, type ShownRequest } from "./shown-request.ts";

/** Of the message; the rest is in the queue of approvals. */
const LONGEST_PART = 1500;

/** What the client's user says of a call: `open` while the client is asked, `unasked` where it cannot ask. */
export type ClientAnswer = "approve" | "deny" | "open" | "unasked";

/** Asks by a form of the protocol. The answer is the client's word: nothing proves that a person gave it. */
export function askClient(
  caller: RunCaller | undefined,
  { id, tool, shown }: { id: string; tool: string; shown: Shown },
): ClientAnswer {
  if (caller === undefined) return "unasked";
  try {
    const answer = caller.elicit({
      // No question of a tool has a space in its key.
      key: `approval ${id}`,
      message: messageOf(tool, shown),
      schema: {
        type: "object",
        properties: {
          decision: { type: "string", title: "Decision", enum: ["approve", "deny"] },
        },
        required: ["decision"],
      },
    });
    if (answer === undefined) return "open";
    if (answer.action === "cancel") return "unasked";
    return answer.action === "accept" && answer.content?.["decision"] === "approve"
      ? "approve"
      : "deny";
  } catch (error) {
    if (error instanceof CallError && error.error.type === "elicitation_unavailable")
      return "unasked";
    throw error;
  }
}

function messageOf(
  tool: string,
  { input, request, account, tainted, origins = [] }: Shown,
): string {
  const parts = [
    `${tool}${account === undefined ? "" : ` for ${account}`} would send this; nothing has been sent yet.`,
    lineOf(request),
    ...(request.body === null ? [] : [`Body: ${request.body}`]),
    `Arguments: ${JSON.stringify(input)}`,
    ...(tainted === true ? ["The agent has read text that others may have written."] : []),
    ...origins.map(({ text, tool: from }) => `"${text}" comes from ${from}, not from you.`),
  ];
  return parts.map(shorten).join("\n");
}

function lineOf(request: ShownRequest): string {
  const { call, method, url, details } = request;
  if (method === null) return `svc.${call} ${JSON.stringify(details)}`;
  const query = queryOf(request).map((pair) => ` ${pair}`);
  return `${method} ${url ?? ""}${query.join("")}`;
}

function shorten(text: string): string {
  return text.length <= LONGEST_PART
    ? text
    : `${text.slice(0, LONGEST_PART)}… (${text.length - LONGEST_PART} characters more)`;
}
