import * as z from "zod";
import { webAddress, webOrigin } from "../fields.ts";

/** What one environment can be set to, everything in one schema. */

const validationMode = z.enum(["off", "warn", "fail"]).meta({
  id: "ValidationMode",
  description:
    "What happens to a value that does not match its schema: `off` accepts it, `warn` accepts it and logs a warning, `fail` fails the run.",
});

const recordValidationMode = z.enum(["off", "warn", "quarantine", "fail"]).meta({
  id: "RecordValidationMode",
  description:
    "What happens to a record that does not match its model's schema: `off` saves it unchecked, `warn` saves it and logs a warning, `quarantine` does not save it and lists it in `GET /records/quarantine`, `fail` fails the run.",
});

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be a colour such as #00b2e3");
const palette = {
  primary: colour.meta({
    description: "Colour of buttons and links, as `#rrggbb`.",
    examples: ["#00B2E3"],
  }),
};

const days = z.number().int().min(1).max(3650);

const validation = {
  input: validationMode.describe("Input of actions. Default `fail`."),
  output: validationMode.describe("Output of actions. Default `warn`."),
  records: recordValidationMode.describe(
    "Records that syncs save, for syncs that do not say so themselves by `onInvalidRecord`. Default `warn`.",
  ),
  metadata: validationMode.describe(
    "Metadata of the connection that a function runs for. Default `warn`.",
  ),
  checkpoint: validationMode.describe("Checkpoints that syncs save. Default `warn`."),
};

const retention = {
  records_prune_days: days
    .nullable()
    .describe(
      "Records lose their content this many days after their last change; their id and metadata stay. Null, the default: never.",
    ),
  records_delete_days: days
    .nullable()
    .describe(
      "The records of a sync are deleted this many days after its last successful run. Null, the default: never.",
    ),
  webhooks_days: days.describe(
    "How many days webhooks are kept, received and sent ones. Default 30.",
  ),
};

const share = z.number().min(0).max(1);

/** A run that would delete more than this share of a model's records stops and asks. */
const deleteGuard = {
  share: share.nullable().meta({
    description:
      "A run that would delete a larger share of a model's records, from 0 to 1, deletes nothing and waits for `POST /sync/confirm-deletes`. Null, the default: no limit.",
    examples: [0.2],
  }),
  syncs: z
    .record(z.string().min(1).max(511), share.nullable())
    .refine((syncs) => Object.keys(syncs).length <= 1000, "must have at most 1000 syncs")
    .meta({
      description:
        "Shares for single syncs, by `<integration>/<sync>`, instead of `share`; null for the environment's share. At most 1,000.",
      examples: [{ "hubspot/contacts": 0.5 }],
    }),
};

const settings = {
  async_action_limit: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .describe(
      "How many asynchronous actions of the environment run at once, 1 to 1,000. Default 10.",
    ),
  callback_url: z
    .union([
      z.literal(""),
      z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).max(2048),
    ])
    .meta({
      description:
        "Address to which providers send end users back. An empty text, the default: this installation's `/oauth/callback`.",
      examples: ["https://example.com/oauth/callback"],
    }),
  connect_allowed_origins: z
    .array(webOrigin)
    .max(100)
    .meta({
      description:
        "Web origins that may embed the connect page, for sessions that do not list their own; at most 100. An empty list, the default: any.",
      examples: [["https://app.example.com"]],
    }),
};

/** Enough for a logo of 128 by 128 pixels; every answer with the settings includes it. */
const MAX_LOGO_LENGTH = 20_000;

const app = {
  name: z
    .string()
    .min(1)
    .max(80)
    .nullable()
    .meta({
      description:
        "Name of the app that end users connect their accounts to, up to 80 characters. Null, the default: the page names none.",
      examples: ["Quay Ledger"],
    }),
  logo: z
    .string()
    .max(MAX_LOGO_LENGTH)
    .regex(
      /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/,
      "must be a PNG, JPEG or WebP image as a data: URL",
    )
    .nullable()
    .describe(
      "Its logo: a PNG, JPEG or WebP image as a `data:` URL in Base64, up to 20,000 characters. Null, the default: none.",
    ),
  terms_url: webAddress.nullable().meta({
    description: "Its terms, which the page links to. Null, the default: none.",
    examples: ["https://example.com/terms"],
  }),
  privacy_url: webAddress.nullable().meta({
    description: "Its privacy policy, which the page links to. Null, the default: none.",
    examples: ["https://example.com/privacy"],
  }),
};

const themes = z
  .enum(["light", "dark", "system"])
  .meta({ id: "ThemeName", description: "`light`, `dark`, or `system` to follow the browser." });

export const environmentSettings = z
  .strictObject({
    ...settings,
    validation: z
      .strictObject(validation)
      .describe("What happens to values of functions that do not match their schemas."),
    connect_ui: z
      .strictObject({
        theme: z
          .strictObject({
            light: z.strictObject(palette).describe("Colours of the light theme."),
            dark: z.strictObject(palette).describe("Colours of the dark theme."),
          })
          .describe("Colours of both themes."),
        default_theme: themes.describe("Theme that the page begins with. Default `system`."),
        show_watermark: z
          .boolean()
          .describe("Whether the page names the product that it comes from. Default `true`."),
        app: z.strictObject(app).describe("The app that asks for access."),
      })
      .describe("How the connect page looks."),
    retention: z.strictObject(retention).describe("How long data is kept."),
    delete_guard: z
      .strictObject(deleteGuard)
      .describe("Protects records from a run that finds far fewer than before."),
  })
  .meta({
    id: "EnvironmentSettings",
    description: "Everything that an environment can be set to.",
  });

export type EnvironmentSettings = z.infer<typeof environmentSettings>;

/** Any part of the settings; what is left out stays. */
export const environmentSettingsChange = z
  .strictObject({
    ...settings,
    validation: z
      .strictObject(validation)
      .partial()
      .describe("What happens to values of functions that do not match their schemas."),
    connect_ui: z
      .strictObject({
        theme: z
          .strictObject({
            light: z.strictObject(palette).describe("Colours of the light theme."),
            dark: z.strictObject(palette).describe("Colours of the dark theme."),
          })
          .partial()
          .describe("Colours of both themes."),
        default_theme: themes.describe("Theme that the page begins with."),
        show_watermark: z
          .boolean()
          .describe("Whether the page names the product that it comes from."),
        app: z.strictObject(app).partial().describe("The app that asks for access."),
      })
      .partial()
      .describe("How the connect page looks."),
    retention: z.strictObject(retention).partial().describe("How long data is kept."),
    delete_guard: z
      .strictObject(deleteGuard)
      .partial()
      .describe("Protects records from a run that finds far fewer than before."),
  })
  .partial()
  .meta({
    id: "EnvironmentSettingsChange",
    description: "Any part of the settings; what is omitted stays as it is.",
  });

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
    app: { name: null, logo: null, terms_url: null, privacy_url: null },
  },
  retention: { records_prune_days: null, records_delete_days: null, webhooks_days: 30 },
  delete_guard: { share: null, syncs: {} },
};
