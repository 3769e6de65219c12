import { exitCodes, UserError } from "./user-error.ts";

type Simulator = typeof import("@jackfield/simulator");

/** The simulator: a package of its own, since few installs of `jackfield` play a vendor. */
export async function loadSimulator(): Promise<Simulator> {
  try {
    return await import("@jackfield/simulator");
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new UserError(
      "The simulator is a package of its own. Install it next to jackfield, with the same version: npm install --save-dev @jackfield/simulator",
      { cause, exitCode: exitCodes.usage },
    );
  }
}

/** Whether the package itself is not there, and not something that it needs. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes("@jackfield/simulator");
}
