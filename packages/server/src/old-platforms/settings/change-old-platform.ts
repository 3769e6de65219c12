import { randomUUID } from "node:crypto";
import type { oldPlatformRoutes, RouteInput } from "@jackfield/contract";
import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext, invalidFields, Secret } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { OldPlatformClient } from "../client/old-platform-client.ts";
import { MOST_OLD_PLATFORMS, MoveRefused, type OldPlatform } from "../old-platform.ts";
import {
  deletePlatformRow,
  findPlatform,
  insertPlatform,
  listPlatformRows,
  lockEnvironmentOf,
  updatePlatformRow,
} from "../store.ts";
import { sealSecretKey } from "./sealed-key.ts";

type Created = RouteInput<typeof oldPlatformRoutes.createOldPlatform>["body"];
type Changed = RouteInput<typeof oldPlatformRoutes.updateOldPlatform>["body"];

/** Throws not_found. */
export async function getOldPlatform(ctx: EnvironmentContext, id: string): Promise<OldPlatform> {
  const found = await findPlatform(ctx.db, ctx.environment.id, id);
  if (found !== undefined) return found;
  throw new AppError("not_found", `The environment has no old platform ${id}.`);
}

/** Throws invalid_body, destination_not_allowed, invalid_credentials, conflict and resource_capped. */
export async function createOldPlatform(
  ctx: EnvironmentContext,
  body: Created,
): Promise<OldPlatform> {
  const [id, now] = [randomUUID(), ctx.clock.now()];
  const row = {
    ...{ id, name: body.name, environmentId: ctx.environment.id, createdAt: now, updatedAt: now },
    url: await requireUrl(ctx, body.url),
    secretKey: await sealSecretKey(ctx, id, new Secret(body.secret_key)),
  };
  await requireAnswer(ctx, row);
  await withTransaction(ctx, async (ctx) => {
    await lockEnvironmentOf(ctx.db, ctx.environment.id);
    const known = await listPlatformRows(ctx.db, ctx.environment.id);
    if (known.length >= MOST_OLD_PLATFORMS) {
      const message = `An environment has at most ${MOST_OLD_PLATFORMS} old platforms.`;
      throw new AppError("resource_capped", message);
    }
    if (await insertPlatform(ctx.db, ctx.environment.id, { ...row, now })) return;
    throw new AppError("conflict", `The environment has an old platform ${body.name} already.`);
  });
  recordChange(ctx, { message: `Add the old platform ${body.name}`, meta: { url: row.url } });
  return await getOldPlatform(ctx, id);
}

/** Throws not_found, invalid_body, destination_not_allowed and invalid_credentials. */
export async function updateOldPlatform(
  ctx: EnvironmentContext,
  id: string,
  body: Changed,
): Promise<OldPlatform> {
  const before = await getOldPlatform(ctx, id);
  const url = body.url === undefined ? before.url : await requireUrl(ctx, body.url);
  const secretKey = await sealSecretKey(ctx, id, new Secret(body.secret_key));
  const row = { ...before, url, secretKey };
  await requireAnswer(ctx, row);
  await withTransaction(ctx, async (ctx) => {
    noteBefore(ctx, { url: before.url });
    await updatePlatformRow(ctx.db, ctx.environment.id, { ...row, now: ctx.clock.now() });
  });
  recordChange(ctx, { message: `Change the old platform ${before.name}`, meta: { url } });
  return await getOldPlatform(ctx, id);
}

/** Throws not_found, and conflict while connections depend on it. */
export async function deleteOldPlatform(ctx: EnvironmentContext, id: string): Promise<void> {
  const { name, url } = await getOldPlatform(ctx, id);
  await withTransaction(ctx, async (ctx) => {
    noteBefore(ctx, { name, url });
    if (await deletePlatformRow(ctx.db, ctx.environment.id, id)) return;
    throw new AppError(
      "conflict",
      `Connections are still read through from ${name}: hand them over, or delete them.`,
    );
  });
  recordChange(ctx, { message: `Forget the old platform ${name}` });
}

/** Without a slash at its end. */
async function requireUrl(ctx: EnvironmentContext, given: string): Promise<string> {
  const fault = (message: string) => invalidFields("invalid_body", [{ path: ["url"], message }]);
  const { protocol, origin, pathname, search, hash, username, password } = new URL(given);
  if (username !== "" || password !== "") throw fault("must not have a user or a password");
  if (search !== "" || hash !== "") throw fault("must not have a query or a fragment");
  const url = `${origin}${pathname.endsWith("/") ? pathname.slice(0, -1) : pathname}`;
  await ctx.http.requireAllowedUrl(url);
  if (protocol !== "https:" && !ctx.http.isOpened(url)) {
    throw fault("must be https, since an API key and tokens are sent there");
  }
  return url;
}

/** Throws invalid_credentials where the old platform does not take the key, or does not answer. */
async function requireAnswer(ctx: EnvironmentContext, platform: OldPlatform): Promise<void> {
  try {
    await new OldPlatformClient(ctx, platform).requireAnswer();
  } catch (error) {
    if (!(error instanceof MoveRefused)) throw error;
    throw new AppError(
      "invalid_credentials",
      `The old platform does not answer as expected: ${error.message}`,
      { cause: error },
    );
  }
}
