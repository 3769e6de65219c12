import * as z from "zod";
import { timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Who changed what of an environment last. */

const settingChange = z
  .strictObject({
    of: z
      .enum(["environment", "settings", "webhooks", "variable"])
      .describe(
        "What it belongs to: the environment's name and production mark, its settings, its webhook settings, or a variable.",
      ),
    name: z.string().meta({
      description:
        "The field that was sent, at the highest level, such as `delete_guard`; `signing_key` when that was replaced; or the name of the variable.",
      examples: ["delete_guard"],
    }),
    at: timestamp.describe("When it was changed last."),
    action: z.string().meta({
      description: "What was done: the name of the API's operation.",
      examples: ["updateEnvironmentSettings"],
    }),
    actor: z
      .strictObject({
        kind: z.string().meta({ description: "Kind of the actor.", examples: ["user"] }),
        id: z.string().nullable().describe("Id of the key or person; null for others."),
        name: z
          .string()
          .nullable()
          .describe("Its name at that time; null for others, and where it was erased."),
      })
      .describe("Who changed it."),
  })
  .meta({ id: "SettingChange", description: "The last change of a setting, from the audit log." });

export const settingChangeRoutes = {
  listSettingChanges: defineRoute({
    method: "GET",
    path: "/environment/settings/changes",
    summary: "List who changed each setting of the environment last, and when",
    principals: ["environment"],
    scope: "environment:settings:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(settingChange)
          .describe(
            "The last change of each setting, the newest first; at most 1,000. Of each action the account's latest 5,000 events are searched.",
          ),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
