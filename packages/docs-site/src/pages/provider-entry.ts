import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { repository } from "../folders.ts";

const field = z.looseObject({
  title: z.string().optional(),
  description: z.string().optional(),
  example: z.string().optional(),
  prefix: z.string().optional(),
  suffix: z.string().optional(),
  optional: z.boolean().optional(),
  secret: z.boolean().optional(),
  automated: z.boolean().optional(),
});

const fields = z.record(z.string(), field).optional();
const address = z.union([z.string(), z.array(z.string())]).optional();

/** What the page of a provider is made of, as the compiled catalogue has it. */
const entry = z.looseObject({
  id: z.string(),
  display_name: z.string(),
  family: z.string(),
  family_name: z.string(),
  categories: z.array(z.string()),
  docs: z.string(),
  auth_mode: z.string(),
  base_url: address,
  authorization_url: address,
  token_url: address,
  checked_at: z.string().optional(),
  unverified: z.boolean().optional(),
  deprecated: z.looseObject({ reason: z.string() }).optional(),
  connection_config: fields,
  integration_config: fields,
  credentials: fields,
  required_scopes: z.array(z.string()).optional(),
  example_scopes: z.array(z.string()).optional(),
  scope_separator: z.string().optional(),
  pkce: z.string().optional(),
  webhooks: z
    .looseObject({ router: z.string().optional(), matched: z.boolean().optional() })
    .optional(),
  pagination: z.record(z.string(), z.unknown()).optional(),
  retry: z.record(z.string(), z.unknown()).optional(),
  verification: z.looseObject({ path: address, method: z.string().optional() }).optional(),
  other_base_urls: z.unknown().optional(),
  revocation: z.unknown().optional(),
  authorization_params: z.record(z.string(), z.string()).optional(),
});

/** Where credentials are tried; of several paths the first. */
export function verificationPath({ verification }: ProviderEntry): string | undefined {
  return [verification?.path].flat()[0];
}

export type ProviderEntry = z.output<typeof entry>;
export type EntryField = z.output<typeof field>;

/** All built-in entries, by id. */
export async function readEntries(): Promise<ProviderEntry[]> {
  const text = await readFile(
    join(repository, "packages/catalogue/generated/catalogue.jsonl"),
    "utf8",
  );
  return text
    .split("\n")
    .filter((line) => line.includes('"auth_mode"'))
    .map((line) => entry.parse(JSON.parse(line)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
