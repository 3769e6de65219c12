import * as z from "zod";
import { webOrigin } from "./fields.ts";

/** What one environment can be set to, everything in one schema. */

const validationMode = z.enum(["off", "warn", "fail"]);

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be a colour such as #00b2e3");
const palette = { primary: colour };

const days = z.number().int().min(1).max(3650);

const validation = {
  input: validationMode,
  output: validationMode,
  records: validationMode,
  metadata: validationMode,
  checkpoint: validationMode,
};

const retention = {
  /** Records that nothing changed for so long lose their content; null: never. */
  records_prune_days: days.nullable(),
  /** Records of a sync whose last successful run is so long ago are removed; null: never. */
  records_delete_days: days.nullable(),
  /** Webhooks, received and sent. */
  webhooks_days: days,
};

const share = z.number().min(0).max(1);

/** A run that would delete more than this share of a model's records stops and asks. */
const deleteGuard = {
  /** Of every sync; null: no limit. */
  share: share.nullable(),
  /** By `<integration>/<sync>`, instead of `share`; null: as every sync. */
  syncs: z
    .record(z.string().min(1).max(511), share.nullable())
    .refine((syncs) => Object.keys(syncs).length <= 1000, "must have at most 1000 syncs"),
};

const settings = {
  /** Asynchronous actions that run at once. */
  async_action_limit: z.number().int().min(1).max(1000),
  /** Where providers send the browser back; empty: the server's own address. */
  callback_url: z.union([
    z.literal(""),
    z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).max(2048),
  ]),
  /** Pages that may open or embed the connect UI; empty: any. */
  connect_allowed_origins: z.array(webOrigin).max(100),
};

const themes = z.enum(["light", "dark", "system"]);

export const environmentSettings = z.strictObject({
  ...settings,
  /** What happens when a function's values do not match their schema. */
  validation: z.strictObject(validation),
  connect_ui: z.strictObject({
    theme: z.strictObject({ light: z.strictObject(palette), dark: z.strictObject(palette) }),
    default_theme: themes,
    show_watermark: z.boolean(),
  }),
  retention: z.strictObject(retention),
  delete_guard: z.strictObject(deleteGuard),
});

export type EnvironmentSettings = z.infer<typeof environmentSettings>;

/** Any part of the settings; what is left out stays. */
export const environmentSettingsChange = z
  .strictObject({
    ...settings,
    validation: z.strictObject(validation).partial(),
    connect_ui: z
      .strictObject({
        theme: z
          .strictObject({ light: z.strictObject(palette), dark: z.strictObject(palette) })
          .partial(),
        default_theme: themes,
        show_watermark: z.boolean(),
      })
      .partial(),
    retention: z.strictObject(retention).partial(),
    delete_guard: z.strictObject(deleteGuard).partial(),
  })
  .partial();

export type EnvironmentSettingsChange = z.infer<typeof environmentSettingsChange>;

export const defaultEnvironmentSettings: EnvironmentSettings = {
  validation: {
    input: "fail",
    output: "warn",
    records: "warn",
    metadata: "warn",
    checkpoint: "warn",
  },
  async_action_limit: 10,
  callback_url: "",
  connect_allowed_origins: [],
  connect_ui: {
    theme: { light: { primary: "#00B2E3" }, dark: { primary: "#00B2E3" } },
    default_theme: "system",
    show_watermark: true,
  },
  retention: { records_prune_days: null, records_delete_days: null, webhooks_days: 30 },
  delete_guard: { share: null, syncs: {} },
};
