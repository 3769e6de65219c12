import type * as OidcProvider from "oidc-provider";

const runtimeWarning = "oidc-provider WARNING: Unsupported runtime";

/** Imports `oidc-provider` without the runtime warning that it prints on Node lines not yet marked LTS. */
export async function loadOidcProvider(): Promise<typeof OidcProvider> {
  // The library warns while it is being imported whenever process.release.lts is unset, which is
  // the case on a current Node; users of a demo would take the line for a fault of theirs.
  const output = console;
  const { warn } = output;
  const filtered = (...message: unknown[]): void => {
    if (!String(message[0]).includes(runtimeWarning)) warn(...message);
  };
  output.warn = filtered;
  try {
    return await import("oidc-provider");
  } finally {
    if (output.warn === filtered) output.warn = warn;
  }
}
