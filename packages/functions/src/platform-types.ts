import type { UntypedData } from "./schemas.ts";

/** The integration of a function, as the API gives it. */
export interface Integration {
  unique_key: string;
  provider: string;
  display_name: string;
  logo: string;
  created_at: string;
  updated_at: string;
  /** With `include: ["webhook"]`: where the provider sends its webhooks; null where it sends none. */
  webhook_url?: string | null;
  /** With `include: ["credentials"]`: the OAuth client and the like; null where there are none. */
  credentials?: Record<string, UntypedData> | null;
  [field: string]: UntypedData;
}

/** `{ reset, emptyCache }`, or one of the older forms; `true` stands for `full_refresh`. */
export type TriggerSyncOptions =
  | { reset?: boolean | undefined; emptyCache?: boolean | undefined }
  | "incremental"
  | "full_refresh"
  | "full_refresh_and_clear_cache"
  | boolean;

export interface UncontrolledFetchOptions {
  url: URL;
  /** Default GET. */
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: string | null | undefined;
}
