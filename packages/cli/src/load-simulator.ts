import { isMissing } from "./is-missing.ts";
import { exitCodes, UserError } from "./user-error.ts";

type Simulator = typeof import("@jackfield/simulator");

/** The simulator: a package of its own, since few installs of `jackfield` play a vendor. */
export async function loadSimulator(): Promise<Simulator> {
  try {
    return await import("@jackfield/simulator");
  } catch (cause) {
    if (!isMissing("@jackfield/simulator", cause)) throw cause;
    throw new UserError(
      "The simulator is a package of its own. Install it next to jackfield, with the same version: npm install --save-dev @jackfield/simulator",
      { cause, exitCode: exitCodes.usage },
    );
  }
}
