import * as z from "zod";
import { namedTexts } from "../fields.ts";

/** Who a connection belongs to, as older clients write it; kept as tags. */

export const endUser = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(255)
      .meta({
        description: "Your id of the end user; becomes the tag `end_user_id`.",
        examples: ["u1"],
      }),
    email: z
      .email()
      .min(5)
      .optional()
      .meta({
        description: "E-mail address; becomes the tag `end_user_email`.",
        examples: ["ada@example.com"],
      }),
    display_name: z
      .string()
      .max(255)
      .optional()
      .meta({
        description: "Name for people; becomes the tag `end_user_display_name`.",
        examples: ["Ada Quay"],
      }),
    tags: namedTexts
      .optional()
      .describe(
        "Further tags. Those that are no valid tags, or exceed the limit of 10, are dropped.",
      ),
  })
  .meta({
    id: "NewEndUser",
    description:
      "Older form of tags: stored as `end_user_id`, `end_user_email` and `end_user_display_name`.",
  });

export type EndUser = z.output<typeof endUser>;

/** An end user as it is read back from a connection's tags. */
export const presentedEndUser = z
  .strictObject({
    id: z.string().describe("The tag `end_user_id`."),
    display_name: z
      .string()
      .nullable()
      .describe("The tag `end_user_display_name`; null without one."),
    email: z.string().nullable().describe("The tag `end_user_email`; null without one."),
    tags: z.null().describe("Always null; read the connection's `tags`."),
    organization: z
      .strictObject({
        id: z.string().describe("The tag `organization_id`."),
        display_name: z
          .string()
          .nullable()
          .describe("The tag `organization_display_name`; null without one."),
      })
      .nullable()
      .describe("The end user's organization; null without the tag `organization_id`."),
  })
  .meta({
    id: "EndUser",
    description: "The end user that the connection's tags name, in the form of older clients.",
  });
