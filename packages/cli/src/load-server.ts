import { isMissing } from "./is-missing.ts";
import { exitCodes, UserError } from "./user-error.ts";

/**
 * A module that needs the server: a package of its own, since functions are written, checked and deployed without its
 * database and its Node. Throws a UserError that says how to install it.
 */
export async function needsServer<Module>(loading: Promise<Module>): Promise<Module> {
  try {
    return await loading;
  } catch (cause) {
    if (!isMissing("@jackfield/server", cause)) throw cause;
    throw new UserError(
      "This command needs the server, a package of its own. Install it next to jackfield, with the same version: npm install --save-dev @jackfield/server",
      { cause, exitCode: exitCodes.usage },
    );
  }
}
