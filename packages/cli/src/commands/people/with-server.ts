import type { Config } from "@jackfield/server";
import { needsServer } from "../../load-server.ts";
import { messageOf, UserError } from "../../user-error.ts";

type ServerLibrary = typeof import("@jackfield/server");

/** Works on the database of the server on this machine, with the settings that `jackfield start` reads. */
export async function withServer<Result>(
  work: (server: ServerLibrary, config: Config) => Promise<Result>,
): Promise<Result> {
  const server = await needsServer(import("@jackfield/server"));
  const { config, problems, warnings } = server.readConfig();
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (config === undefined) throw new UserError(problems.join("\n"));
  try {
    return await work(server, config);
  } catch (cause) {
    throw new UserError(messageOf(cause), { cause });
  }
}

export const worksOnDatabase =
  "\nWorks on the server's database directly, found by the settings that `jackfield start` reads\n" +
  "(SVC_DATA_DIR, SVC_DATABASE_URL, SVC_ENCRYPTION_KEY), whether the server runs or not.\n";
