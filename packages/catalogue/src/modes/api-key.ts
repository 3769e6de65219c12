import * as z from "zod";
import { shared } from "../schema/shared.ts";
import { fieldName, text } from "../schema/values.ts";
import { checkOption, type EntryRules } from "./entry-rules.ts";

const key = z.strictObject({
  /** `header`, `query`, `body`, or `path`: a segment before the path of each call. */
  placement: text,
  name: text,
  /** The header's or parameter's value, or the field of integration_config whose text is its template. */
  value: z.union([text, z.strictObject({ integration_field: fieldName })]),
});

export const apiKey = z.strictObject({
  ...shared,
  auth_mode: z.literal("API_KEY"),
  /** One place, or one for each of several keys. */
  api_key: z.union([key, z.array(key).min(1)]).transform((given) => [given].flat()),
});
type ApiKeyEntry = z.output<typeof apiKey>;

export const apiKeyRules: EntryRules<ApiKeyEntry> = {
  asks: ["apiKey"],
  mayHaveMcp: true,
  credentials: ["apiKey"],
  usesIntegration: ({ api_key: keys }) => listValueFields(keys),
  check: ({ api_key: keys, integration_config: fields }) =>
    keys
      .flatMap(({ placement }) =>
        checkOption(fields, "placement", placement, ["header", "query", "body", "path"]),
      )
      .concat(
        listValueFields(keys)
          .filter((name) => fields[name]?.format !== "template")
          .map((name) => `api_key.value: ${name} is no field of format template`),
      ),
};

function listValueFields(keys: ApiKeyEntry["api_key"]): string[] {
  return keys.flatMap(({ value }) =>
    "integration_field" in value ? [value.integration_field] : [],
  );
}
