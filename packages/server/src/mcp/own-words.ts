import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#foundation";
import { type DatabaseAway, findDatabaseAway } from "#foundation/db";

/** Hears of a call that failed for want of the database. */
export type OnAway = (error: DatabaseAway) => void;

/** The protocol's server shows the caller what an error says; of our own failures only the log may say that. */
export async function withOwnWords<Result>(
  { ctx, onAway }: { ctx: EnvironmentContext; onAway: OnAway },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError || ctx.signal.aborted) throw error;
    const away = findDatabaseAway(error);
    if (away !== undefined) {
      onAway(away);
      throw new ProtocolError(ProtocolErrorCode.InternalError, away.message);
    }
    const errorId = crypto.randomUUID();
    ctx.log.error("mcp.failed", { errorId, error });
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `Something failed on our side; the server's log has it as ${errorId}.`,
    );
  }
}
