import type { AuthModeId } from "@jackfield/catalogue";
import type { AuthMode } from "../auth-mode.ts";
import { apiKey } from "./api-key.ts";
import { basic } from "./basic.ts";
import { none } from "./none.ts";
import { oauth2 } from "./oauth2.ts";
import { oauth2ClientCredentials } from "./oauth2-cc.ts";

const modes: Record<AuthModeId, AuthMode> = {
  OAUTH2: oauth2,
  OAUTH2_CC: oauth2ClientCredentials,
  API_KEY: apiKey,
  BASIC: basic,
  NONE: none,
};

/** The strategy of an entry's `auth_mode`, or of a connection's, which was taken from one. */
export function getAuthMode(id: AuthModeId): AuthMode {
  return modes[id];
}
