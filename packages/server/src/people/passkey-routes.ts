import type { passkeyRoutes } from "@jackfield/contract";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { RouteHandlers } from "#foundation/http";
import { answerSession } from "./answer-session.ts";
import { addPasskey, newPasskeyOptions } from "./passkeys/add-passkey.ts";
import { checkPasskey, newSignInOptions } from "./passkeys/sign-in-by-passkey.ts";
import { deletePasskeyRow, listPasskeyRows, type PasskeyRow } from "./passkeys/store.ts";
import { requireUser } from "./require-user.ts";
import { requireOwnPage } from "./sessions/own-pages.ts";
import { getUser, lockUser } from "./users/store.ts";

export const passkeyHandlers = {
  getPasskeySignInOptions: async (ctx) => ({ data: { ...(await newSignInOptions(ctx)) } }),
  signInByPasskey: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const user = await checkPasskey(ctx, body.passkey);
    await answerSession(ctx, exchange, { user, via: "passkey", secondFactor: "passkey" });
  },
  listPasskeys: async (ctx) => {
    const passkeys = await listPasskeyRows(ctx.db, requireUser(ctx).userId);
    return { data: passkeys.map(presentPasskey) };
  },
  getPasskeyOptions: async (ctx) => ({
    data: { ...(await newPasskeyOptions(ctx, requireUser(ctx).userId)) },
  }),
  addPasskey: async (ctx, { body }) => {
    const { name, passkey: answer } = body;
    return {
      data: presentPasskey(await addPasskey(ctx, requireUser(ctx), { name, answer })),
    };
  },
  deletePasskey: async (ctx, { params: { id } }) => {
    await deletePasskey(ctx, { id, userId: requireUser(ctx).userId });
    return undefined;
  },
} satisfies RouteHandlers<typeof passkeyRoutes>;

async function deletePasskey(
  ctx: SystemContext,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  await withTransaction(ctx, async ({ db }) => {
    await lockUser(db, userId);
    if (!(await deletePasskeyRow(db, { id, userId }))) {
      throw new AppError("not_found", `You have no passkey ${id}.`);
    }
    const { passwordHash } = await getUser(db, userId);
    if (passwordHash !== null || (await listPasskeyRows(db, userId)).length > 0) return;
    throw new AppError(
      "conflict",
      "It is the last way in which you can sign in: set a password or add a passkey first.",
    );
  });
}

function presentPasskey({ id, name, isSynced, createdAt, lastUsedAt }: PasskeyRow) {
  return {
    id,
    name,
    is_synced: isSynced,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
