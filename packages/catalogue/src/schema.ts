import * as z from "zod";
import { apiKey, apiKeyRules } from "./modes/api-key.ts";
import { app, appRules } from "./modes/app.ts";
import { awsSigV4, awsSigV4Rules } from "./modes/aws-sigv4.ts";
import { basic, basicRules } from "./modes/basic.ts";
import { bill, billRules } from "./modes/bill.ts";
import { custom, customRules } from "./modes/custom.ts";
import type { EntryRules } from "./modes/entry-rules.ts";
import { installPlugin, installPluginRules } from "./modes/install-plugin.ts";
import { jwt, jwtRules } from "./modes/jwt.ts";
import { mcpOauth2, mcpOauth2Rules } from "./modes/mcp-oauth2.ts";
import { mcpOauth2Generic, mcpOauth2GenericRules } from "./modes/mcp-oauth2-generic.ts";
import { none, noneRules } from "./modes/none.ts";
import { oauth1, oauth1Rules } from "./modes/oauth1.ts";
import { oauth2, oauth2Rules } from "./modes/oauth2.ts";
import { oauth2ClientCredentials, oauth2ClientCredentialsRules } from "./modes/oauth2-cc.ts";
import { signature, signatureRules } from "./modes/signature.ts";
import { tba, tbaRules } from "./modes/tba.ts";
import { twoStep, twoStepRules } from "./modes/two-step.ts";

/** What a provider file may say. Unknown keys are refused, so that a typo is not silently ignored. */

/** One provider as the engine uses it: an entry with compiled templates. */
export const provider = z.discriminatedUnion("auth_mode", [
  oauth2,
  oauth1,
  oauth2ClientCredentials,
  apiKey,
  basic,
  jwt,
  tba,
  twoStep,
  signature,
  app,
  custom,
  bill,
  awsSigV4,
  mcpOauth2,
  mcpOauth2Generic,
  installPlugin,
  none,
]);
export type Provider = z.output<typeof provider>;

export type AuthModeId = Provider["auth_mode"];
export type ProviderOf<Mode extends AuthModeId> = Extract<Provider, { auth_mode: Mode }>;

const entryRules: { readonly [Mode in AuthModeId]: EntryRules<ProviderOf<Mode>> } = {
  OAUTH2: oauth2Rules,
  OAUTH1: oauth1Rules,
  OAUTH2_CC: oauth2ClientCredentialsRules,
  API_KEY: apiKeyRules,
  BASIC: basicRules,
  JWT: jwtRules,
  TBA: tbaRules,
  TWO_STEP: twoStepRules,
  SIGNATURE: signatureRules,
  APP: appRules,
  CUSTOM: customRules,
  BILL: billRules,
  AWS_SIGV4: awsSigV4Rules,
  MCP_OAUTH2: mcpOauth2Rules,
  MCP_OAUTH2_GENERIC: mcpOauth2GenericRules,
  INSTALL_PLUGIN: installPluginRules,
  NONE: noneRules,
};

/** The rules of an entry's mode; they take entries of that mode only. */
export function rulesOf({ auth_mode: mode }: Provider): EntryRules<Provider> {
  return asCommonRules(entryRules[mode]);
}

// The rules stand under the very mode that picks them, which the type of the table cannot express.
function asCommonRules(rules: unknown): EntryRules<Provider> {
  return rules as EntryRules<Provider>;
}

/** One file: a product family, whose variants are the providers; `shared` holds what they have in common. */
export const family = z.strictObject({
  family: z.string().regex(/^[a-z0-9-]+$/),
  /** The product's name, without its variants'. */
  name: z.string().min(1),
  shared: z.record(z.string(), z.unknown()).default({}),
  variants: z.array(z.record(z.string(), z.unknown())).min(1),
});
