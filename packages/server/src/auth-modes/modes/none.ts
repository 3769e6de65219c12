import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { requireType } from "../read-credentials.ts";

/** APIs that ask for nothing. */
export const none: AuthMode = defineAuthMode("NONE", {
  fields: {},
  secrets: [],
  fromFlat: () => ({}),

  async accept(_subject, given) {
    requireType(given, "NONE");
    return { credentials: { type: "NONE" }, expiresAt: undefined, capturedConfig: {} };
  },
  apply() {},
});
