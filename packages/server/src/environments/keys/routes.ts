import type { apiKeyRoutes } from "@jackfield/contract";
import { type KeyBounds, SECOND } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { recordChange } from "#logs";
import { requireTarget } from "../require-target.ts";
import { addApiKey } from "./add-api-key.ts";
import { deleteApiKey } from "./delete-api-key.ts";
import { ownAccount, ownedBy } from "./key-owner.ts";
import { type Replacement, replaceApiKeys } from "./replace-api-keys.ts";
import { type ListedKey, listKeys } from "./store.ts";
import { updateApiKey } from "./update-api-key.ts";

export const apiKeyHandlers = {
  listApiKeys: async (ctx, { query }) => {
    const target = { environmentId: query.environment_id, sentIn: "query" } as const;
    const { db, environment } = await requireTarget(ctx, target);
    return { data: (await listKeys(db, ownedBy(environment))).map(presentKey) };
  },
  createApiKey: async (ctx, { body }) => {
    const target = { environmentId: body.environment_id, sentIn: "body" } as const;
    const inside = await requireTarget(ctx, target);
    const scopes = body.scopes ?? ["environment:*"];
    const { secret, ...key } = await addApiKey(inside, ownedBy(inside.environment), {
      displayName: body.display_name,
      scopes,
      expiresAt: toTime(body.expires_at) ?? null,
      boundTo: toBounds(body.bound_to),
    });
    const message = `Create the API key ${key.displayName}`;
    recordChange(inside, { message, meta: { key: key.id, scopes } });
    return { data: { ...presentNewKey(key), secret } };
  },
  updateApiKey: async (ctx, { body }) => {
    const target = { environmentId: body.environment_id, sentIn: "body" } as const;
    const inside = await requireTarget(ctx, target);
    const key = await updateApiKey(inside, ownedBy(inside.environment), toChange(body));
    const { id, displayName, scopes } = key;
    recordChange(inside, {
      message: `Change the API key ${displayName}`,
      meta: { key: id, scopes },
    });
    return { data: presentKey(key) };
  },
  deleteApiKey: async (ctx, { body }) => {
    const target = { environmentId: body.environment_id, sentIn: "body" } as const;
    const inside = await requireTarget(ctx, target);
    const name = await deleteApiKey(inside, ownedBy(inside.environment), body.key_id);
    recordChange(inside, { message: `Delete the API key ${name}`, meta: { key: body.key_id } });
    return { success: true };
  },
  replaceApiKeys: async (ctx, { body }) => {
    const target = { environmentId: body.environment_id, sentIn: "body" } as const;
    const inside = await requireTarget(ctx, target);
    const replacements = await replaceApiKeys(
      inside,
      ownedBy(inside.environment),
      toReplacement(body),
    );
    for (const { replacedId, key } of replacements) {
      const message = `Replace the API key ${key.displayName}`;
      recordChange(inside, { message, meta: { replaced: replacedId, key: key.id } });
    }
    return { data: replacements.map(presentReplacement) };
  },
  listAccountApiKeys: async (ctx) => ({
    data: (await listKeys(ctx.db, ownAccount(ctx))).map(presentKey),
  }),
  createAccountApiKey: async (ctx, { body }) => {
    const { secret, ...key } = await addApiKey(ctx, ownAccount(ctx), {
      displayName: body.display_name,
      scopes: body.scopes ?? ["account:*"],
      expiresAt: toTime(body.expires_at) ?? null,
    });
    return { data: { ...presentNewKey(key), secret } };
  },
  updateAccountApiKey: async (ctx, { body }) => ({
    data: presentKey(await updateApiKey(ctx, ownAccount(ctx), toChange(body))),
  }),
  deleteAccountApiKey: async (ctx, { body }) => {
    await deleteApiKey(ctx, ownAccount(ctx), body.key_id);
    return { success: true };
  },
  replaceAccountApiKeys: async (ctx, { body }) => ({
    data: (await replaceApiKeys(ctx, ownAccount(ctx), toReplacement(body))).map(presentReplacement),
  }),
} satisfies RouteHandlers<typeof apiKeyRoutes>;

interface SentChange {
  readonly key_id: string;
  readonly display_name?: string | undefined;
  readonly scopes?: string[] | undefined;
  readonly expires_at?: string | null | undefined;
}

function toChange({ key_id: id, display_name, scopes, expires_at }: SentChange) {
  return {
    id,
    displayName: display_name,
    ...(scopes !== undefined && { scopes }),
    ...(expires_at !== undefined && { expiresAt: toTime(expires_at) ?? null }),
  };
}

function toReplacement(sent: { key_ids: string[]; grace_seconds?: number | undefined }) {
  return { ids: sent.key_ids, graceMs: (sent.grace_seconds ?? 0) * SECOND };
}

function toTime(sent: string | null | undefined): Date | undefined {
  return typeof sent === "string" ? new Date(sent) : undefined;
}

function toBounds(
  sent: { end_user_id: string; integrations?: string[] | undefined } | undefined,
): KeyBounds | null {
  if (sent === undefined) return null;
  const { end_user_id: endUserId, integrations } = sent;
  return { endUserId, ...(integrations === undefined ? {} : { integrations }) };
}

function presentBounds({ endUserId, integrations }: KeyBounds) {
  return {
    end_user_id: endUserId,
    ...(integrations === undefined ? {} : { integrations: [...integrations] }),
  };
}

function presentNewKey(key: Omit<ListedKey, "lastUsedAt" | "lastUsedFrom" | "replacedBy">) {
  return {
    id: key.id,
    display_name: key.displayName,
    scopes: [...key.scopes],
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    expires_at: key.expiresAt?.toISOString() ?? null,
    bound_to: key.boundTo && presentBounds(key.boundTo),
  };
}

function presentKey(key: ListedKey) {
  const { lastUsedFrom: from } = key;
  return {
    ...presentNewKey(key),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    last_used_from: from && { address: from.address, user_agent: from.userAgent },
    replaced_by: key.replacedBy,
  };
}

function presentReplacement({ replacedId, worksUntil, key: { secret, ...key } }: Replacement) {
  return {
    replaced_key_id: replacedId,
    works_until: worksUntil?.toISOString() ?? null,
    key: { ...presentNewKey(key), secret },
  };
}
