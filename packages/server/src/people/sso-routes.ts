import { randomUUID } from "node:crypto";
import type { ssoRoutes } from "@jackfield/contract";
import { noteBefore } from "#audit";
import { AppError, accountOf, type SystemContext } from "#foundation";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import { startSessionOf } from "./answer-session.ts";
import { clearAttempt, readAttempt } from "./sso/attempt-cookie.ts";
import { renderForward } from "./sso/forward-page.ts";
import { openClient, sealClientSecret } from "./sso/open-client.ts";
import { beginSignIn, finishSignIn, redirectUriOf } from "./sso/sign-in-by-sso.ts";
import { deleteProviderOf, findProviderOf, type ProviderRow, saveProvider } from "./sso/store.ts";
import { requireMayGrant, requireOwnEnvironments, toGrants } from "./users/grants.ts";

export const ssoHandlers = {
  getSingleSignOn: async (ctx) => {
    const provider = await findProviderOf(ctx.db, accountOf(ctx.actor));
    return { data: provider === undefined ? null : presentProvider(ctx, provider) };
  },
  setSingleSignOn: async (ctx, { body }) => {
    const accountId = accountOf(ctx.actor);
    const known = await findProviderOf(ctx.db, accountId);
    const id = known?.id ?? randomUUID();
    const given = toGrants([
      ...body.default_grants,
      ...body.group_grants.flatMap((each) => each.grants),
    ]);
    if (given.some(({ role }) => role === "owner")) {
      throw new AppError("forbidden", "An identity provider makes no owners: name them by hand.");
    }
    if (given.length > 0) requireMayGrant(ctx, given);
    await requireOwnEnvironments(ctx, given);
    const provider: ProviderRow = {
      id,
      accountId,
      name: body.name,
      issuer: body.issuer,
      clientId: body.client_id,
      clientSecret: await secretOf(ctx, { id, known, sent: body.client_secret }),
      groupClaim: body.group_claim,
      groupGrants: body.group_grants,
      addsUsers: body.adds_users,
      defaultGrants: body.default_grants,
      allowedDomains: body.allowed_domains,
      isRequired: body.is_required,
      updatedAt: ctx.clock.now(),
    };
    await ctx.http.requireAllowedUrl(provider.issuer);
    await openClient(ctx, provider);
    if (known !== undefined) noteBefore(ctx, { ...presentProvider(ctx, known) });
    await saveProvider(ctx.db, provider);
    return { data: presentProvider(ctx, provider) };
  },
  deleteSingleSignOn: async (ctx) => {
    const known = await findProviderOf(ctx.db, accountOf(ctx.actor));
    if (known !== undefined) noteBefore(ctx, { ...presentProvider(ctx, known) });
    await deleteProviderOf(ctx.db, accountOf(ctx.actor));
    return undefined;
  },
  beginSingleSignOn: async (ctx, { params: { id } }, { reply }) => {
    const { location, cookie } = await beginSignIn(ctx, id.toLowerCase());
    await reply
      .status(302)
      .headers({ location, "set-cookie": cookie, "cache-control": "no-store" })
      .send();
  },
  finishSingleSignOn: async (ctx, { params: { id } }, exchange) => {
    await finish(ctx, id.toLowerCase(), exchange);
  },
} satisfies RouteHandlers<typeof ssoRoutes>;

/** A page that forwards, since a strict cookie is not sent in redirects that began elsewhere. */
async function finish(ctx: SystemContext, id: string, exchange: RawExchange): Promise<void> {
  const { request, reply } = exchange;
  const attempt = readAttempt(ctx.settings, request.headers.cookie);
  const query = request.url.split("?")[1] ?? "";
  const cookies = [clearAttempt(ctx.settings)];
  let target = ctx.settings.dashboardUrl;
  try {
    const user = await finishSignIn(ctx, id, { attempt, query });
    cookies.push(
      ...(await startSessionOf(ctx, exchange, { user, via: "sso", secondFactor: "sso" })).cookies,
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn("people.sso_failed", { provider: id, code: error.code, reason: error.message });
    target = `${target}/sign-in?${new URLSearchParams({ error: error.code, message: error.message })}`;
  }
  const page = renderForward(target);
  await reply
    .status(200)
    .headers({ ...page.headers, "set-cookie": cookies })
    .send(page.html);
}

async function secretOf(
  ctx: SystemContext,
  {
    id,
    known,
    sent,
  }: { id: string; known: ProviderRow | undefined; sent: string | null | undefined },
): Promise<Buffer | null> {
  if (sent === undefined) return known?.clientSecret ?? null;
  return sent === null ? null : await sealClientSecret(ctx, id, sent);
}

function presentProvider(ctx: SystemContext, provider: ProviderRow) {
  return {
    id: provider.id,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    has_client_secret: provider.clientSecret !== null,
    group_claim: provider.groupClaim,
    group_grants: [...provider.groupGrants],
    adds_users: provider.addsUsers,
    default_grants: [...provider.defaultGrants],
    allowed_domains: provider.allowedDomains,
    is_required: provider.isRequired,
    redirect_uri: redirectUriOf(ctx.settings, provider.id),
    updated_at: provider.updatedAt.toISOString(),
  };
}
