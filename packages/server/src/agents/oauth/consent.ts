import { randomBytes, randomUUID } from "node:crypto";
import type { Provider } from "oidc-provider";
import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { recordChange } from "#logs";
import { getCatalogue, listSessionTools } from "../catalogue/tool-catalogue.ts";
import { listAccounts } from "../sessions/accounts.ts";
import { nameIntegrations } from "../sessions/name-integrations.ts";
import { insertSession } from "../sessions/store.ts";
import { refuse } from "../sign-in/note-refusal.ts";
import { type Effect, effectsOf, narrowBudget, type Toolset } from "../toolsets/toolset.ts";
import { GRANT_LIFE_MS } from "./authorization-server.ts";
import { itemIdOf } from "./item-id.ts";
import { type ConsentQuestion, describeRedirect } from "./pages.ts";
import { findResource, toEffects, toScope } from "./resource.ts";
import { type ConsentKey, findConsent, noteClientUse, saveConsent } from "./store.ts";

export type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;

/** A client's request, understood: what it wants, of which toolset. */
export interface Asked {
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly redirectUri: string;
  readonly resource: string;
  readonly toolset: Toolset;
  readonly effects: readonly Effect[];
}

/** Throws forbidden for a request that names no toolset of hosted authorization. */
export async function readRequest(
  ctx: EnvironmentContext,
  server: Provider,
  { params }: Interaction,
): Promise<Asked> {
  const { resource, client_id: clientId, redirect_uri: redirectUri, scope } = params;
  if (
    typeof resource !== "string" ||
    resource === "" ||
    typeof clientId !== "string" ||
    typeof redirectUri !== "string"
  ) {
    throw refuse(ctx, {
      code: "forbidden",
      message: "The app has to say for which tools it asks, by one `resource` (RFC 8707).",
    });
  }
  const toolset = await findResource(ctx, resource);
  const client = await server.Client.find(clientId);
  if (client === undefined || toolset?.settings.authorization?.mode !== "hosted") {
    throw refuse(ctx, { code: "not_found", message: "These tools are not there any more." });
  }
  const wanted = new Set(toEffects(String(scope ?? "").split(" ")));
  return {
    ...{ clientId, redirectUri, resource, toolset, clientName: client.clientName },
    effects: effectsOf(toolset.settings).filter((effect) => wanted.has(effect)),
  };
}

function keyOf({ clientId, redirectUri, toolset }: Asked, endUserId: string): ConsentKey {
  const { text } = describeRedirect(redirectUri);
  return { toolsetId: toolset.id, endUserId, clientId, redirectHost: text };
}

/** Whether the end user has allowed all of it before, and nobody else can be where the code goes. */
export async function hasAgreed(
  ctx: EnvironmentContext,
  asked: Asked,
  endUserId: string,
): Promise<boolean> {
  // On a person's computer any program may use the name of another.
  if (!describeRedirect(asked.redirectUri).isSite) return false;
  const known = await findConsent(ctx.db, ctx.environment.id, keyOf(asked, endUserId));
  return (
    known?.toolsetVersion === asked.toolset.version &&
    asked.effects.every((effect) => known.effects.includes(effect))
  );
}

export async function toQuestion(
  ctx: EnvironmentContext,
  asked: Asked,
  { endUserId, ...form }: { endUserId: string; action: string; ticket: string },
): Promise<ConsentQuestion> {
  const { settings, name } = asked.toolset;
  const held = {
    ...{ endUserId, policy: { effects: asked.effects } },
    settings: [settings, settings] as const,
  };
  const accounts = await listAccounts(ctx, held);
  const tools = listSessionTools(await getCatalogue(ctx), held);
  const connected = new Set(accounts.map(({ integration }) => integration));
  const wanted = new Set(tools.map(({ integration }) => integration));
  const names = await nameIntegrations(ctx, new Set([...connected, ...wanted]));
  const nameOf = (key: string) => names.get(key) ?? key;
  return {
    ...{ clientName: asked.clientName, redirectUri: asked.redirectUri, ...form },
    clientHost: URL.parse(asked.clientId)?.host,
    ...{ endUserId, effects: asked.effects, days: GRANT_LIFE_MS / DAY },
    toolset: { name, description: settings.description },
    accounts: accounts.map(({ integration, alias, identity }) => ({
      ...{ integration: nameOf(integration), label: identity ?? alias },
    })),
    missing: [...wanted].filter((key) => !connected.has(key)).map(nameOf),
  };
}

/** Lets the client in for the end user: a grant, and the session that its tokens stand for. */
export async function letIn(
  ctx: EnvironmentContext,
  server: Provider,
  { asked, endUserId, effects }: { asked: Asked; endUserId: string; effects: readonly Effect[] },
) {
  const { toolset, clientId, resource } = asked;
  const grant = new server.Grant({ accountId: endUserId, clientId });
  const denied = asked.effects.filter((effect) => !effects.includes(effect));
  // The library looks for them at the resource and at the server, too.
  grant.addOIDCScope(effects.map(toScope));
  grant.addResourceScope(resource, effects.map(toScope));
  if (denied.length > 0) {
    grant.rejectOIDCScope(denied.map(toScope));
    grant.rejectResourceScope(resource, denied.map(toScope));
  }
  const grantKey = await grant.save();
  const createdAt = ctx.clock.now();
  const id = randomUUID();
  await insertSession(ctx.db, ctx.environment.id, {
    ...{ id, toolsetId: toolset.id, toolset: toolset.name, toolsetVersion: toolset.version },
    ...{ endUserId, policy: { effects }, budget: narrowBudget(toolset.settings.budget) },
    ...{ createdAt, expiresAt: addMs(createdAt, GRANT_LIFE_MS) },
    // No token of its own: those of the grant stand for it.
    tokenHash: randomBytes(32),
    ...{ grantId: await itemIdOf(ctx, "Grant", grantKey), clientId, askedEffects: asked.effects },
  });
  await saveConsent(ctx.db, ctx.environment.id, {
    ...keyOf(asked, endUserId),
    ...{ toolsetVersion: toolset.version, effects, at: createdAt },
  });
  const registered = { id: await itemIdOf(ctx, "Client", clientId), now: createdAt };
  await noteClientUse(ctx.db, ctx.environment.id, registered);
  recordChange(ctx, {
    message: "Let a client of an end user in",
    meta: { session: id, toolset: toolset.name, client: clientId, effects },
  });
  return {
    login: { accountId: endUserId, remember: false },
    consent: { grantId: grantKey },
  };
}
