import { AppError, withEnvironment } from "#foundation";
import type { TaskHandlers } from "#tasks";
import { findConnectionByUuid } from "../store.ts";
import { readConnectionAccount } from "./read-connection-account.ts";
import type { accountTasks } from "./tasks.ts";

export const accountTaskHandlers: TaskHandlers<typeof accountTasks> = {
  /** Nobody waits for it, and the connection works without: what fails is not told to the operator as an error. */
  readAccount: async (ctx, { environment, connection: uuid }, { isLast }) => {
    const inside = withEnvironment(ctx, environment);
    const connection = await findConnectionByUuid(ctx.db, environment.id, uuid);
    if (connection === undefined) return;
    try {
      await readConnectionAccount(inside, connection);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code } = error;
      ctx.log.debug("connection.account_not_read", { uuid, code, isLast });
      if (!isLast) throw error;
    }
  },
};
