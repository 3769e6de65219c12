import * as z from "zod";
import { tokenErrors } from "../schema/calls.ts";
import { shared } from "../schema/shared.ts";
import { address, addresses, parameters } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

/** What an app with a private key says of its installations. */
export const installation = {
  /** Where a token of the installation is minted with the app's JWT. */
  installation_token_url: address,
  installation_token_headers: parameters,
  token_errors: tokenErrors,
  /** Seconds that the app's JWT lives; GitHub takes at most 600. */
  app_jwt_lifetime_s: z.number().int().positive().max(600).default(540),
} as const;

const installationRules = z.strictObject(installation);
/** What minting a token of an installation takes from an entry, in every mode. */
export type InstallationRules = z.output<typeof installationRules>;

export const app = z.strictObject({
  ...shared,
  ...installation,
  auth_mode: z.literal("APP"),
  /** The page on which the app is installed. */
  authorization_url: addresses,
});
export const appRules: EntryRules<z.output<typeof app>> = {
  credentials: ["access_token"],
  config: ["installation_id", "app_id"],
};
