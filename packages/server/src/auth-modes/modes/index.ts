import type { AuthModeId } from "@jackfield/catalogue";
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

const modes: Readonly<Record<AuthModeId, AuthMode>> = {
  OAUTH2: oauth2,
  OAUTH1: oauth1,
  OAUTH2_CC: oauth2ClientCredentials,
  API_KEY: apiKey,
  BASIC: basic,
  JWT: jwt,
  TBA: tba,
  TWO_STEP: twoStep,
  SIGNATURE: signature,
  APP: app,
  CUSTOM: custom,
  BILL: bill,
  AWS_SIGV4: awsSigV4,
  MCP_OAUTH2: mcpOauth2,
  MCP_OAUTH2_GENERIC: mcpOauth2Generic,
  INSTALL_PLUGIN: installPlugin,
  NONE: none,
};

/** The strategy of an entry's `auth_mode`, or of a connection's, which was taken from one. */
export function getAuthMode(id: AuthModeId): AuthMode {
  return modes[id];
}
