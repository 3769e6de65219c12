import type * as OidcProvider from "oidc-provider";

const runtimeWarning = "oidc-provider WARNING: Unsupported runtime";

/** Loaded by who needs it: it has some sixty modules, and names on the console each runtime that is no newest LTS. */
export async function loadLibrary(): Promise<typeof OidcProvider> {
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
