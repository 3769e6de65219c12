import type { AuthModeId } from "@jackfield/catalogue";
import { withAfterConnect } from "../after-connect.ts";
import type { AuthMode } from "../auth-mode.ts";
import { apiKey } from "./api-key.ts";
import { app } from "./app.ts";
import { awsSigV4 } from "./aws-sigv4.ts";
import { basic } from "./basic.ts";
import { bill } from "./bill.ts";
import { custom } from "./custom.ts";
import { installPlugin } from "./install-plugin.ts";
import { jwt } from "./jwt.ts";
import { mcpOauth2 } from "./mcp-oauth2.ts";
import { mcpOauth2Generic } from "./mcp-oauth2-generic.ts";
import { none } from "./none.ts";
import { oauth1 } from "./oauth1.ts";
import { oauth2 } from "./oauth2.ts";
import { oauth2ClientCredentials } from "./oauth2-cc.ts";
import { signature } from "./signature.ts";
import { tba } from "./tba.ts";
import { twoStep } from "./two-step.ts";

const modes: Record<AuthModeId, AuthMode> = {
  OAUTH2: withAfterConnect(oauth2),
  OAUTH1: withAfterConnect(oauth1),
  OAUTH2_CC: withAfterConnect(oauth2ClientCredentials),
  API_KEY: withAfterConnect(apiKey),
  BASIC: withAfterConnect(basic),
  JWT: withAfterConnect(jwt),
  TBA: withAfterConnect(tba),
  TWO_STEP: withAfterConnect(twoStep),
  SIGNATURE: withAfterConnect(signature),
  APP: withAfterConnect(app),
  CUSTOM: withAfterConnect(custom),
  BILL: withAfterConnect(bill),
  AWS_SIGV4: withAfterConnect(awsSigV4),
  MCP_OAUTH2: withAfterConnect(mcpOauth2),
  MCP_OAUTH2_GENERIC: withAfterConnect(mcpOauth2Generic),
  INSTALL_PLUGIN: withAfterConnect(installPlugin),
  NONE: withAfterConnect(none),
};

/** The strategy of an entry's `auth_mode`, or of a connection's, which was taken from one. */
export function getAuthMode(id: AuthModeId): AuthMode {
  return modes[id];
}
