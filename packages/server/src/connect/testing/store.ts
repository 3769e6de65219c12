import { sql } from "kysely";
import type { ConnectServer } from "./connect-server.ts";

export async function countConnections(server: ConnectServer): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from connections`.execute(
    server.installation.ctx.db,
  );
  return rows[0]?.count ?? 0;
}
