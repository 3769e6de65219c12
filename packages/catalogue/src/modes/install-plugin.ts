import * as z from "zod";
import { shared } from "../schema/shared.ts";
import { address } from "../schema/values.ts";
import type { EntryRules } from "./entry-rules.ts";

/** A plugin that the end user installs at the provider, and that comes back with a user and a password. */
export const installPlugin = z.strictObject({
  ...shared,
  auth_mode: z.literal("INSTALL_PLUGIN"),
  install_url: address,
  callback: z
    .strictObject({
      state: z.string().min(1).default("payload"),
      /** Name of the parameter that takes the callback's address, where it is not known to the plugin. */
      redirect: z.string().optional(),
      username: z.string().min(1).default("username"),
      password: z.string().min(1).default("password"),
      error: z.string().min(1).default("error"),
    })
    .prefault({}),
});
export const installPluginRules: EntryRules<z.output<typeof installPlugin>> = {
  credentials: ["username", "password"],
};
