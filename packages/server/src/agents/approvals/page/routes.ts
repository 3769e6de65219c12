import type { approvalPageRoutes } from "@jackfield/contract";
import { chooseTexts } from "#connect";
import { AppError, type EnvironmentContext } from "#foundation";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import { getCatalogue } from "../../catalogue/tool-catalogue.ts";
import { nameIntegrations } from "../../sessions/name-integrations.ts";
import { beginApprovalProof, requireProof } from "../../sign-in/prove.ts";
import { enter, redirect } from "../../sign-in/serve-page.ts";
import { endAuthorization, findAuthorization } from "../../sign-in/store.ts";
import { type Approval, readShown } from "../approval.ts";
import { decideApproval } from "../decide-approval.ts";
import { findApprovalRow, findEnvironmentOfApproval } from "../store.ts";
import { failurePage, type Page, questionPage, statePage } from "./approval-page.ts";
import { type ApprovalTexts, approvalLanguages } from "./approval-texts.ts";

type Handlers = RouteHandlers<typeof approvalPageRoutes>;
type SystemContext = Parameters<Handlers["showAgentApproval"]>[0];

export const approvalPageHandlers: Handlers = {
  showAgentApproval: async (ctx, { params: { id }, query: { ticket } }, exchange) => {
    await withPage(ctx, exchange, id.toLowerCase(), async (at) => {
      const { inside, approval, texts } = at;
      const { reply, request } = exchange;
      if (approval.state !== "waiting") {
        await send(exchange, statePage(texts, approval.state));
        return;
      }
      if (ticket === undefined) {
        const { location, cookie } = await beginApprovalProof(inside, approval);
        await redirect(reply.header("set-cookie", cookie), location);
        return;
      }
      await requireUser(at, { ticket, cookies: request.headers.cookie });
      await send(exchange, await toQuestion(at, ticket));
    });
  },
  decideAgentApprovalOnPage: async (ctx, { params: { id }, body }, exchange) => {
    await withPage(ctx, exchange, id.toLowerCase(), async (at) => {
      const { inside, approval } = at;
      const { reply, request } = exchange;
      if (approval.state === "waiting") {
        const cookies = request.headers.cookie;
        const proof = await requireUser(at, { ticket: body.ticket, cookies });
        await endAuthorization(inside.db, inside.environment.id, { id: proof.id, state: "done" });
        const decision = { scope: "once", reason: undefined, by: "end_user" } as const;
        const isApproved = body.decision === "approve";
        await decideApproval(inside, { id: approval.id, isApproved, ...decision });
      }
      await redirect(reply, addressOf(inside, approval));
    });
  },
};

interface At {
  readonly inside: EnvironmentContext;
  readonly approval: Approval & { readonly shown: Buffer };
  readonly texts: ApprovalTexts;
}

/** Finds what the page is about; a browser gets a page of what fails, too. */
async function withPage(
  ctx: SystemContext,
  exchange: RawExchange,
  id: string,
  work: (at: At) => Promise<void>,
): Promise<void> {
  const texts = chooseTexts(approvalLanguages, exchange.request.headers["accept-language"]);
  try {
    const environmentId = await findEnvironmentOfApproval(ctx.db, id);
    const inside = environmentId === undefined ? undefined : await enter(ctx, environmentId);
    const now = ctx.clock.now();
    const approval =
      inside && (await findApprovalRow(inside.db, inside.environment.id, { id, now }));
    // Others are for other people to approve.
    if (inside === undefined || approval?.approver !== "end_user") {
      await send(exchange, statePage(texts, "missing"));
      return;
    }
    await work({ inside, approval, texts });
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : new AppError("server_error");
    if (error.status >= 500) ctx.log.error("agents.page_failed", { error: thrown });
    await send(exchange, failurePage(texts, error), error.headers);
  }
}

/** Who opened the link is the end user for whom the agent acts; throws not_found, forbidden. */
async function requireUser(
  { inside, approval }: At,
  given: { readonly ticket: string; readonly cookies: string | undefined },
) {
  const environmentId = inside.environment.id;
  const wanted = { approvalId: approval.id, environmentId };
  return await requireProof(inside, await findAuthorization(inside.db, wanted), given);
}

async function toQuestion({ inside, approval, texts }: At, ticket: string): Promise<Page> {
  const { tool, integration, expiresAt } = approval;
  const names = await nameIntegrations(inside, new Set([integration]));
  const { tools } = await getCatalogue(inside);
  return questionPage(texts, {
    ...{ approval, ticket, action: addressOf(inside, approval) },
    shown: await readShown(inside, approval),
    service: names.get(integration) ?? integration,
    toolTitle: tools.get(tool)?.title ?? tool,
    leftMs: expiresAt.getTime() - inside.clock.now().getTime(),
  });
}

function addressOf({ settings }: EnvironmentContext, { id }: Approval): string {
  return `${settings.serverUrl}/agent/approve/${id}`;
}

async function send(
  { reply }: RawExchange,
  { status, headers, html }: Page,
  further: Readonly<Record<string, string>> = {},
): Promise<void> {
  await reply
    .status(status)
    .headers({ ...headers, ...further })
    .send(html);
}
