import * as z from "zod";

/** What one environment can be set to, everything in one schema. Defaults: HTTP contract 1.5, 2.3; decisions 8. */

const validationMode = z.enum(["off", "warn", "fail"]);

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "is not a colour of the form #rrggbb");
const palette = { primary: colour };

/** `https://app.example.com`: scheme, host and port, nothing behind. */
const origin = z
  .string()
  .max(2048)
  .refine(isOrigin, "is not an origin: write scheme and host only, as https://app.example.com");

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const days = z.number().int().min(1).max(3650);

const validation = {
  input: validationMode,
  output: validationMode,
  records: validationMode,
  metadata: validationMode,
  checkpoint: validationMode,
};

const retention = {
  /** Records that nothing changed for so long lose their content. */
  records_prune_days: days,
  /** Records of a sync that has not run for so long are removed. */
  records_delete_days: days,
  /** Webhooks, received and sent. */
  webhooks_days: days,
};

const settings = {
  /** Asynchronous actions that run at once. */
  async_action_limit: z.number().int().min(1).max(1000),
  /** Where providers send the browser back; empty: the platform's own address. */
  callback_url: z.union([
    z.literal(""),
    z.url({ protocol: /^https?$/, error: "is not an http or https URL" }).max(2048),
  ]),
  /** Pages that may open or embed the connect UI; empty: any. */
  connect_allowed_origins: z.array(origin).max(100),
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
  retention: { records_prune_days: 30, records_delete_days: 60, webhooks_days: 30 },
};
