import { egressHosts, MIN_FREQUENCY_MS, parseFrequency, RESOURCE_URI } from "@jackfield/contract";
import * as z from "zod";

const schema = z.custom<z.ZodType>(
  (value) => typeof value === "object" && value !== null && "_zod" in value,
  "must be a schema of zod 4, such as z.object({ … })",
);
const handler = z.custom<() => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);
const description = z
  .string("must be text")
  .min(1, "must not be empty")
  .max(2000, "has more than 2000 characters");
const endpoint = z.object({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: z.string().min(1),
  group: z.string().optional(),
});
const shared = {
  description,
  exec: handler,
  version: z.string().max(255).optional(),
  metadata: schema.optional(),
  checkpoint: schema.optional(),
  egress: egressHosts.optional(),
  credentials: z.literal("proxy-only", 'must be "proxy-only", or left out').optional(),
};
const scopes = z.array(z.string()).default([]);

const frequency = z.string("must be text such as `every hour`").superRefine((text, context) => {
  const parsed = parseFrequency(text);
  if (parsed === undefined) {
    const message = `"${text}" is not understood; write for example \`every hour\`, \`every 15 minutes\` or \`every 2 days\``;
    context.addIssue({ code: "custom", message });
  } else if (parsed.ms < MIN_FREQUENCY_MS) {
    context.addIssue({ code: "custom", message: `"${text}" is shorter than 30 seconds` });
  }
});

const models = z
  .record(
    z.string().regex(/^[A-Z][a-zA-Z0-9_]+$/, {
      error: "a model's name starts with a capital letter, followed by letters, digits and _",
    }),
    schema,
  )
  .refine((all) => Object.keys(all).length > 0, "name at least one model");

const sync = z
  .object({
    ...shared,
    type: z.literal("sync"),
    frequency,
    models,
    onWebhook: handler.optional(),
    webhookSubscriptions: z.array(z.string().min(1).max(255)).default([]),
    onInvalidRecord: z
      .enum(["quarantine", "save", "fail"], 'must be "quarantine", "save" or "fail", or left out')
      .optional(),
    autoStart: z.boolean().default(false),
    scopes,
    endpoints: z.array(endpoint).default([]),
    syncType: z.enum(["full", "incremental"]).default("full"),
    trackDeletes: z.boolean().default(false),
  })
  .refine(
    (value) =>
      value.endpoints.length === 0 || value.endpoints.length === Object.keys(value.models).length,
    {
      path: ["endpoints"],
      message: "must be one for each model, or none",
    },
  )
  .refine((value) => !(value.trackDeletes && value.syncType === "incremental"), {
    path: ["trackDeletes"],
    message: "does not go with an incremental sync; use trackDeletesStart and trackDeletesEnd",
  });

const agent = z.strictObject(
  {
    effect: z.enum(["read", "write", "destructive"]).optional(),
    idempotent: z.boolean().optional(),
    openWorld: z.boolean().optional(),
    sends: z.literal("external").optional(),
    untrustedOutput: z.boolean().optional(),
    title: z.string().min(1).max(100).optional(),
    examples: z.array(z.json()).max(5).optional(),
    expose: z.boolean().optional(),
    asks: z.boolean().optional(),
    output: z.literal("content").optional(),
    resource: z
      .strictObject({
        uri: z
          .string()
          .max(500, "has more than 500 characters")
          .regex(
            RESOURCE_URI,
            "must be an address of a scheme of its own, such as crm://contacts/{id}",
          ),
        mimeType: z.string().min(1).max(100).optional(),
      })
      .optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `${issue.keys.join(", ")}: not known` : undefined,
  },
);

const checkedAgent = agent.refine(
  ({ resource, effect }) => resource === undefined || effect === "read",
  { path: ["resource"], message: 'needs effect: "read": reading an address changes nothing' },
);

const action = z.object({
  ...shared,
  agent: checkedAgent.optional(),
  type: z.literal("action"),
  input: schema,
  output: schema,
  scopes,
  endpoint: endpoint.optional(),
});

const onEvent = z.object({
  ...shared,
  type: z.literal("on-event"),
  event: z.enum(["post-connection-creation", "pre-connection-deletion", "validate-connection"]),
});

/** What the argument of each creator must look like. */
export const definition = { sync, action, onEvent };

export type SyncDefinition = z.output<typeof sync>;
export type ActionDefinition = z.output<typeof action>;
