import { needsServer } from "../../load-server.ts";
import { UserError } from "../../user-error.ts";

/** The server as a library with the settings that `jackfield start` reads; throws a UserError on bad ones. */
export async function loadServer() {
  const server = await needsServer(import("@jackfield/server"));
  const { config, problems, warnings } = server.readConfig();
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (config === undefined) throw new UserError(problems.join("\n"));
  return { server, config };
}
