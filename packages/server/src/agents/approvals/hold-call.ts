import { randomUUID } from "node:crypto";
import type { ToolFailure } from "#mcp";
import { addMs, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import type { RunCaller } from "#slice";
import { sealJson } from "#vault";
import type { RuledTool } from "../toolsets/toolset.ts";
import { verdictOn } from "../toolsets/verdict.ts";
import { LIFE_MS, MOST_WAITING, type Shown, shownAad } from "./approval.ts";
import { ApprovedCaller, PreviewCaller } from "./careful-caller.ts";
import { sendApprovalWebhook } from "./send-approval-webhook.ts";
import {
  type ApprovedCall,
  countWaiting,
  findApproval,
  insertApproval,
  takeApproval,
} from "./store.ts";

type Rules = Parameters<typeof verdictOn>[1];

export interface HeldCall extends ApprovedCall {
  readonly rules: Rules;
  readonly ruled: RuledTool;
  readonly input: unknown;
  readonly caller: RunCaller | undefined;
}

/** How a call may run: as it is, up to its first change, or with the change that was approved. */
export type Admitted =
  | { readonly kind: "free"; readonly caller: RunCaller | undefined }
  | { readonly kind: "preview"; readonly caller: PreviewCaller }
  | { readonly kind: "approved"; readonly caller: ApprovedCaller };

export type Held =
  | { readonly kind: "refused"; readonly failure: ToolFailure }
  /** `begin` uses an approval up; undefined where another call was faster. */
  | { readonly kind: "held"; begin(): Promise<Admitted | undefined> };

/** Whether a call may run now, as the rules of its session and what people have decided about it say. */
export async function holdCall(ctx: EnvironmentContext, call: HeldCall): Promise<Held> {
  const { ruled, rules, sessionId, caller } = call;
  const free: Held = { kind: "held", begin: async () => ({ kind: "free", caller }) };
  if (verdictOn(ruled, rules) === "allow") return free;
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  const found = await findApproval(ctx.db, environmentId, { ...call, now });
  if (found?.coversAll === true) return free;
  switch (found?.state) {
    case "waiting":
      return { kind: "refused", failure: approvalRequired(found.id) };
    case "denied":
      return { kind: "refused", failure: approvalDenied(found.reason) };
    case "approved":
      return {
        kind: "held",
        begin: async () => {
          const digest = await takeApproval(ctx.db, environmentId, { id: found.id, now });
          if (digest === undefined) return undefined;
          return { kind: "approved", caller: new ApprovedCaller(caller, digest) };
        },
      };
    default:
  }
  if ((await countWaiting(ctx.db, environmentId, { sessionId, now })) >= MOST_WAITING) {
    return { kind: "refused", failure: tooManyWait() };
  }
  return {
    kind: "held",
    begin: async () => ({ kind: "preview", caller: new PreviewCaller(caller) }),
  };
}

/** Lets the call wait for a person, who sees its arguments and its first change. */
export async function askForApproval(
  ctx: EnvironmentContext,
  call: HeldCall,
  first: NonNullable<PreviewCaller["first"]>,
): Promise<ToolFailure> {
  const { ruled, input } = call;
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const shown: Shown = { input: input ?? null, request: first.request };
  const row = {
    ...call,
    ...{ id, createdAt, integration: ruled.integration, effect: ruled.effect },
    changeDigest: first.digest,
    shown: await sealJson(ctx, shownAad(ctx, id), shown),
    expiresAt: addMs(createdAt, LIFE_MS),
  };
  const added = await withTransaction(ctx, async (ctx) => {
    const id = await insertApproval(ctx.db, ctx.environment.id, row);
    if (id !== undefined) await sendApprovalWebhook(ctx, id);
    return id;
  });
  if (added !== undefined) return approvalRequired(added);
  const faster = await findApproval(ctx.db, ctx.environment.id, { ...call, now: createdAt });
  return approvalRequired(faster?.id);
}

function approvalRequired(id: string | undefined): ToolFailure {
  return {
    ...{ code: "approval_required", message: "A person has to approve this call first." },
    ...(id === undefined ? {} : { approval_id: id }),
    next: "Nothing was changed. Tell the user that it waits for approval; once it is approved, call again with the same arguments within 15 minutes.",
  };
}

function approvalDenied(reason: string | null): ToolFailure {
  const why = reason === null ? "" : ` Reason: ${reason}`;
  return {
    ...{ code: "approval_denied", message: `A person has denied this call.${why}` },
    next: "Do not try it in another way. Tell the user.",
  };
}

function tooManyWait(): ToolFailure {
  return {
    ...{ code: "approval_required", message: "Too many calls of this session wait for approval." },
    next: "Wait until some of them are decided; do not make further calls that need approval.",
  };
}

/** Of a call that would do something else by now than what was approved. */
export const staleFailure: ToolFailure = {
  code: "approval_stale",
  message:
    "The call would have sent another request than the one that was approved; nothing was sent.",
  next: "Call again with the same arguments: what it would send now has to be approved again.",
};

/** Of an approval that another call has just used. */
export const usedFailure: ToolFailure = {
  code: "approval_required",
  message: "The approval was just used by another call with the same arguments.",
  next: "Read the result of that call. To make it once more, call again, and let it be approved.",
};
