import * as z from "zod";

/** What the other side's API answers, as far as it is moved; an export file holds the same objects. */

const texts = z.record(z.string(), z.unknown());

export const nangoIntegration = z.looseObject({
  unique_key: z.string(),
  provider: z.string(),
  display_name: z.string().nullish(),
  credentials: z.looseObject({ type: z.string() }).nullish(),
  integration_config: texts.nullish(),
});
export type NangoIntegration = z.infer<typeof nangoIntegration>;

/** A connection of a list, without credentials. */
export const listedConnection = z.looseObject({
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
});
export type ListedConnection = z.infer<typeof listedConnection>;

export const nangoConnection = listedConnection.extend({
  credentials: z.looseObject({ type: z.string().optional() }),
  connection_config: texts.nullish(),
  metadata: texts.nullish(),
  tags: z.record(z.string(), z.string()).nullish(),
  end_user: z
    .looseObject({
      id: z.string(),
      email: z.string().nullish(),
      display_name: z.string().nullish(),
    })
    .nullish(),
});
export type NangoConnection = z.infer<typeof nangoConnection>;

export const nangoExport = z.looseObject({
  integrations: z.array(nangoIntegration),
  connections: z.array(nangoConnection),
});

/** Where integrations and connections come from. */
export interface NangoSource {
  /** Names only; credentials come with `readIntegration`. */
  listIntegrations(): Promise<readonly NangoIntegration[]>;
  readIntegration(key: string): Promise<NangoIntegration>;
  /** Page after page, so that ten thousand connections are never held at once. */
  listConnections(): AsyncIterable<readonly ListedConnection[]>;
  /** With credentials, for which the other side may refresh a token. */
  readConnection(listed: ListedConnection): Promise<NangoConnection>;
}
