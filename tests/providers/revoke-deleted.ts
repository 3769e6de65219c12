import { connectionTaskHandlers } from "../../packages/server/src/connections/index.ts";
import type {
  ConnectionUuid,
  EnvironmentContext,
} from "../../packages/server/src/foundation/index.ts";

/** Does what a worker does after a connection was deleted. */
export async function revokeDeleted(ctx: EnvironmentContext, connectionId: string): Promise<void> {
  const rows = await ctx.db
    .withTables<{ connections: { uuid: ConnectionUuid; connectionId: string } }>()
    .selectFrom("connections")
    .select("uuid")
    .where("connectionId", "=", connectionId)
    .execute();
  for (const { uuid } of rows) {
    const task = { environment: ctx.environment, connection: uuid };
    await connectionTaskHandlers.revokeDeleted(ctx, task, { number: 1, isLast: true });
  }
}
