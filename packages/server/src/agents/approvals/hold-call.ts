import { randomUUID } from "node:crypto";
import { addMs, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { announceChange } from "#logs";
import type { ToolFailure } from "#mcp";
import type { RunCaller } from "#slice";
import { sealJson } from "#vault";
import { findOrigins, type Origins } from "../provenance/provenance.ts";
import { findSignIn } from "../sign-in/store.ts";
import { approverOf } from "../toolsets/toolset.ts";
import { asksForProvenance, isRisky, verdictOn } from "../toolsets/verdict.ts";
import { LIFE_MS, MOST_WAITING, readShown, type Shown, shownAad } from "./approval.ts";
import { askClient } from "./ask-client.ts";
import { askPolicies } from "./ask-policy.ts";
import { ApprovedCaller, PreviewCaller } from "./careful-caller.ts";
import { decideApproval, getApproval } from "./decide-approval.ts";
import type { HeldCall } from "./held-call.ts";
import { sendApprovalWebhook } from "./send-approval-webhook.ts";
import {
  type FoundApproval,
  findApproval,
  insertApproval,
  readApprovals,
  takeApproval,
} from "./store.ts";

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
  const { ruled, rules, caller } = call;
  const free: Held = { kind: "held", begin: async () => ({ kind: "free", caller }) };
  const isTainted = rules.taint.untrustedSeen;
  const origins = asksForProvenance(rules) ? await lookUpOrigins(ctx, call) : undefined;
  const isFromOthers =
    origins === undefined ? undefined : origins.found.length > 0 || !origins.isComplete;
  const facts = { input: call.input, isTainted, isFromOthers };
  const { verdict, reason } = await askPolicies(ctx, call, verdictOn(ruled, rules, facts));
  if (verdict === "deny") return { kind: "refused", failure: policyDenied(reason) };
  if (verdict === "allow" || call.isResumed === true) return free;
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  const mayCover = !(isTainted && isRisky(ruled));
  const known = await readApprovals(ctx.db, environmentId, { ...call, now, mayCover });
  const { found } = known;
  if (found?.coversAll === true) return free;
  const waiting = found?.state === "waiting" ? await settle(ctx, call, found) : undefined;
  if (waiting !== undefined && waiting !== "approved") return { kind: "refused", failure: waiting };
  if (found?.state === "denied") return { kind: "refused", failure: approvalDenied(found.reason) };
  if (found !== undefined && (found.state === "approved" || waiting === "approved")) {
    return {
      kind: "held",
      begin: async () => {
        const digest = await takeApproval(ctx.db, environmentId, { id: found.id, now });
        if (digest === undefined) return undefined;
        return { kind: "approved", caller: new ApprovedCaller(caller, digest) };
      },
    };
  }
  if (known.waiting >= MOST_WAITING) {
    return { kind: "refused", failure: tooManyWait() };
  }
  return {
    kind: "held",
    begin: async () => ({ kind: "preview", caller: new PreviewCaller(caller) }),
  };
}

/** Where the client's user decides, asks them; else what the agent reads while somebody else decides. */
async function settle(
  ctx: EnvironmentContext,
  call: HeldCall,
  { id, approver }: Pick<FoundApproval, "id" | "approver">,
): Promise<ToolFailure | "approved"> {
  if (approver !== "client") return await approvalRequired(ctx, { id, approver });
  const shown = await readShown(ctx, await getApproval(ctx, id));
  const answer = askClient(call.caller, { id, tool: call.tool, shown });
  if (answer === "open") return askingClient;
  if (answer === "unasked") return await approvalRequired(ctx, { id, approver });
  const isApproved = answer === "approve";
  const decision = { isApproved, scope: "once", reason: undefined, by: "client" } as const;
  await decideApproval(ctx, { id, ...decision });
  return isApproved ? "approved" : approvalDenied(null);
}

/** Lets the call wait for a person, who sees its arguments and its first change. */
export async function askForApproval(
  ctx: EnvironmentContext,
  call: HeldCall,
  first: NonNullable<PreviewCaller["first"]>,
): Promise<ToolFailure> {
  const { ruled, input, account } = call;
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const approver = approverOf(call.rules.settings);
  const { found: origins } = await lookUpOrigins(ctx, call);
  const shown: Shown = {
    ...{ input: input ?? null, request: first.request, account },
    ...{ tainted: call.rules.taint.untrustedSeen, origins },
  };
  const row = {
    ...call,
    ...{ id, createdAt, integration: ruled.integration, effect: ruled.effect, approver },
    changeDigest: first.digest,
    shown: await sealJson(ctx, shownAad(ctx, id), shown),
    expiresAt: addMs(createdAt, LIFE_MS),
  };
  const added = await withTransaction(ctx, async (ctx) => {
    const id = await insertApproval(ctx.db, ctx.environment.id, row);
    if (id !== undefined) await sendApprovalWebhook(ctx, id);
    return id;
  });
  if (added === undefined) {
    const faster = await findApproval(ctx.db, ctx.environment.id, {
      ...{ ...call, now: createdAt, mayCover: false },
    });
    return await approvalRequired(ctx, { id: faster?.id, approver: "operator" });
  }
  announceChange(ctx, ctx.environment.id, "agents");
  if (approver === "client" && askClient(call.caller, { id, tool: call.tool, shown }) === "open") {
    return askingClient;
  }
  return await approvalRequired(ctx, { id, approver });
}

/** Where nothing of others was read, nothing comes from there. */
async function lookUpOrigins(ctx: EnvironmentContext, call: HeldCall): Promise<Origins> {
  if (!call.rules.taint.untrustedSeen) return { found: [], isComplete: true };
  return await findOrigins(ctx, call.sessionId, call.input);
}

async function approvalRequired(
  ctx: EnvironmentContext,
  { id, approver }: { id: string | undefined; approver: FoundApproval["approver"] },
): Promise<ToolFailure> {
  const url = id === undefined || approver !== "end_user" ? undefined : await findPage(ctx, id);
  const whom = url === undefined ? "Tell the user" : "Give the user approval_url to open, and say";
  return {
    ...{ code: "approval_required", message: "A person has to approve this call first." },
    ...(id === undefined ? {} : { approval_id: id }),
    ...(url === undefined ? {} : { approval_url: url }),
    next: `Nothing was changed. ${whom} that it waits for approval; once it is approved, call again with the same arguments within 15 minutes.`,
  };
}

/** Where the end user approves it; undefined where nothing in the environment can tell who a browser's user is. */
async function findPage(ctx: EnvironmentContext, id: string): Promise<string | undefined> {
  const signIn = await findSignIn(ctx.db, ctx.environment.id);
  return signIn === undefined ? undefined : `${ctx.settings.serverUrl}/agent/approve/${id}`;
}

const askingClient: ToolFailure = {
  ...{ code: "input_required", message: "The user is asked to approve the call." },
  next: "Let the user answer.",
};

function policyDenied(reason: string | undefined): ToolFailure {
  const why = reason === undefined ? "" : ` ${reason}`;
  return {
    ...{ code: "policy_denied", message: `The policy of the toolset denies this call.${why}` },
    next: "Nothing was done. Do not try it in another way. Tell the user.",
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
    "The call would have sent a different request from the one that was approved; nothing was sent.",
  next: "Call again with the same arguments: what it would send now has to be approved again.",
};

/** Of an approval that another call has just used. */
export const usedFailure: ToolFailure = {
  code: "approval_required",
  message: "The approval was just used by another call with the same arguments.",
  next: "Read the result of that call. To make it once more, call again, and let it be approved.",
};
