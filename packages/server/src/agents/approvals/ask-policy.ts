import * as z from "zod";
import { type EnvironmentContext, SECOND } from "#foundation";
import { postSigned } from "#webhooks-out";
import { strictest, type Verdict } from "../toolsets/verdict.ts";
import type { HeldCall } from "./held-call.ts";

const ANSWERED_WITHIN_MS = 3 * SECOND;
/** Longer arguments are left out: `input_bytes` says how long they are. */
const SENT_INPUT_BYTES = 64 * 1024;
const LONGEST_REASON = 300;

const answered = z.looseObject({
  verdict: z.enum(["allow", "ask", "deny"]),
  reason: z.string().optional(),
});

export interface PolicyAnswer {
  readonly verdict: Verdict;
  /** Why, where the verdict is `deny`; a model reads it. */
  readonly reason: string | undefined;
}

/** What the addresses of a toolset's policy say of a call. One that gives no answer denies it. */
export async function askPolicies(
  ctx: EnvironmentContext,
  call: HeldCall,
  byRules: Verdict,
): Promise<PolicyAnswer> {
  const urls = new Set(call.rules.settings.flatMap(({ policy }) => policy?.url ?? []));
  const answers = await Promise.all([...urls].map((url) => askPolicy(ctx, url, call, byRules)));
  const verdict = strictest([byRules, ...answers.map((answer) => answer.verdict)]);
  return { verdict, reason: answers.find((answer) => answer.verdict === "deny")?.reason };
}

async function askPolicy(
  ctx: EnvironmentContext,
  url: string,
  call: HeldCall,
  byRules: Verdict,
): Promise<PolicyAnswer> {
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
  const { attempt, answer } = await postSigned(ctx, { url, event: toEvent(call, byRules), signal });
  ctx.signal.throwIfAborted();
  const isOk = attempt.kind === "answered" && attempt.status >= 200 && attempt.status < 300;
  const read = isOk ? answered.safeParse(readJson(answer)) : undefined;
  if (read?.success === true) {
    return { verdict: read.data.verdict, reason: read.data.reason?.slice(0, LONGEST_REASON) };
  }
  const why = attempt.kind === "answered" ? `status ${attempt.status}` : attempt.reason;
  ctx.log.warn("agents.policy_unanswered", { session: call.sessionId, reason: why });
  return { verdict: "deny", reason: "Who decides about it could not be asked; try again later." };
}

function toEvent(call: HeldCall, byRules: Verdict): object {
  const { ruled, input = null } = call;
  const inputBytes = Buffer.byteLength(JSON.stringify(input));
  return {
    ...{ from: "svc", type: "agent_call", session_id: call.sessionId },
    ...{ end_user_id: call.endUserId, toolset: call.toolset, tool: call.tool },
    ...{ integration: ruled.integration, action: ruled.action, effect: ruled.effect },
    ...{ connection_id: call.connectionId, verdict: byRules },
    input: inputBytes > SENT_INPUT_BYTES ? null : input,
    input_bytes: inputBytes,
  };
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
