import { type EnvironmentContext, Secret } from "#foundation";
import { open } from "#vault";
import { listSigningKeyRows } from "./store.ts";

export interface SigningKey {
  readonly key: Secret<string>;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** Keys that sign webhooks now, newest first. */
export async function listSigningKeys(ctx: EnvironmentContext): Promise<SigningKey[]> {
  const environmentId = ctx.environment.id;
  const rows = await listSigningKeyRows(ctx.db, environmentId, ctx.clock.now());
  return await Promise.all(
    rows.map(async ({ id, key, createdAt, expiresAt }) => {
      const place = { environmentId, table: "webhook_signing_keys", column: "key", row: id };
      const opened = await open(ctx, place, key);
      return { key: new Secret(opened.toString("utf8")), createdAt, expiresAt };
    }),
  );
}
