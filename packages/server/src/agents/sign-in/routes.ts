import type { agentSignInRoutes } from "@jackfield/contract";
import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { recordChange } from "#logs";
import { seal } from "#vault";
import { issuerOf } from "../oauth/resource.ts";
import { refuse } from "./note-refusal.ts";
import { callbackOf, noteProof, openIdentityProvider, requireOpen, secretAad } from "./prove.ts";
import {
  deleteSignInRow,
  endAuthorization,
  findAuthorization,
  findSignIn,
  type SignIn,
  saveSignIn,
} from "./store.ts";

export const agentSignInHandlers = {
  getAgentSignIn: async (ctx) => {
    const found = await findSignIn(ctx.db, ctx.environment.id);
    if (found === undefined) throw noSignIn();
    return { data: presentSignIn(ctx, found) };
  },
  putAgentSignIn: async (ctx, { body }) => {
    const { verifier_url: verifierUrl = null, oidc } = body;
    const known = await findSignIn(ctx.db, ctx.environment.id);
    const signIn: SignIn = {
      verifierUrl,
      issuer: oidc?.issuer ?? null,
      clientId: oidc?.client_id ?? null,
      clientSecret: await secretOf(ctx, known, oidc),
      endUserClaim: oidc?.end_user_claim ?? "sub",
      registration: body.dynamic_registration,
      updatedAt: ctx.clock.now(),
    };
    if (signIn.issuer !== null) {
      await ctx.http.requireAllowedUrl(signIn.issuer);
      await openIdentityProvider(ctx, signIn);
    }
    if (known !== undefined) noteBefore(ctx, { ...presentSignIn(ctx, known) });
    await saveSignIn(ctx.db, ctx.environment.id, signIn);
    recordChange(ctx, { message: "Set how agents' end users are proven" });
    return { data: presentSignIn(ctx, signIn) };
  },
  deleteAgentSignIn: async (ctx) => {
    const known = await findSignIn(ctx.db, ctx.environment.id);
    if (known !== undefined) noteBefore(ctx, { ...presentSignIn(ctx, known) });
    if (!(await deleteSignInRow(ctx.db, ctx.environment.id))) throw noSignIn();
    recordChange(ctx, { message: "Remove how agents' end users are proven" });
    return undefined;
  },
  answerAgentAuthorization: async (ctx, { params: { authorizationId: id }, body }) => {
    const environmentId = ctx.environment.id;
    const found = await findAuthorization(ctx.db, { id, environmentId });
    const authorization = requireOpen(ctx, found);
    if (!body.approved) {
      await endAuthorization(ctx.db, environmentId, { id, state: "refused" });
      throw refuse(ctx, {
        ...{ code: "forbidden", meta: { authorization: id } },
        message: "Your backend did not approve it; the browser has to begin again.",
      });
    }
    return { data: { continue_url: await noteProof(ctx, authorization, body.end_user_id) } };
  },
} satisfies RouteHandlers<typeof agentSignInRoutes>;

function noSignIn(): AppError {
  return new AppError(
    "not_found",
    "The environment has neither a verifier nor an identity provider; set one with PUT /agent/sign-in.",
  );
}

/** A secret that is not sent again stays, unless the client has changed. */
async function secretOf(
  ctx: EnvironmentContext,
  known: SignIn | undefined,
  sent:
    | { client_id: string; issuer: string; client_secret?: string | null | undefined }
    | undefined,
): Promise<Buffer | null> {
  if (sent === undefined || sent.client_secret === null) return null;
  if (sent.client_secret !== undefined) {
    return await seal(ctx, secretAad(ctx), Buffer.from(sent.client_secret));
  }
  const isSame = known?.clientId === sent.client_id && known.issuer === sent.issuer;
  return isSame ? known.clientSecret : null;
}

function presentSignIn(ctx: EnvironmentContext, signIn: SignIn) {
  const { issuer, clientId } = signIn;
  return {
    verifier_url: signIn.verifierUrl,
    oidc:
      issuer === null || clientId === null
        ? null
        : {
            ...{ issuer, client_id: clientId, end_user_claim: signIn.endUserClaim },
            has_client_secret: signIn.clientSecret !== null,
            redirect_uri: callbackOf(ctx),
          },
    dynamic_registration: signIn.registration,
    issuer: issuerOf(ctx.settings, ctx.environment.id),
    updated_at: signIn.updatedAt.toISOString(),
  };
}
