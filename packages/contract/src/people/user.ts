import * as z from "zod";
import { timestamp, uuid } from "../fields.ts";
import { roles } from "./roles.ts";

/** Who signs in, and what is said of them on the wire. */

const EMAIL_CHARACTERS = 254;
const NAME_CHARACTERS = 200;

/** RFC 5321 allows 254 characters. */
export const email = z
  .email("must be an e-mail address")
  .max(EMAIL_CHARACTERS, `must have at most ${EMAIL_CHARACTERS} characters`)
  .meta({
    id: "UserEmail",
    description:
      "E-mail address with which the person signs in, unique in the installation; upper and lower case are the same. Nothing is sent to it.",
    examples: ["ada@example.com"],
  });

// Control characters and those that turn the direction of text would let a name pose as another one.
const plainText = /^[^\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$/u;

export const personName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(NAME_CHARACTERS, `must have at most ${NAME_CHARACTERS} characters`)
  .regex(plainText, "may not hold control characters or invisible ones")
  .meta({
    id: "UserName",
    description: "Name as others see it, up to 200 characters.",
    examples: ["Ada Lovelace"],
  });

export const PASSWORD_CHARACTERS = { least: 12, most: 128 } as const;

export const newPassword = z
  .string()
  .min(PASSWORD_CHARACTERS.least, `must have at least ${PASSWORD_CHARACTERS.least} characters`)
  .max(PASSWORD_CHARACTERS.most, `must have at most ${PASSWORD_CHARACTERS.most} characters`)
  .meta({
    id: "NewPassword",
    description:
      "Password of 12 to 128 characters of any kind. Common ones, and those made of the person's name or address, are refused.",
    examples: ["a sentence that nobody else writes"],
  });

export const roleName = z.enum(roles).meta({
  id: "Role",
  description:
    "`owner`: everything. `admin`: everything but owners and single sign-on. `developer`: everything in environments that are not production; in production neither secrets nor deletions, nor code that could read credentials. `support`: looks after connections, refreshes their tokens and handles webhooks again, without secrets and contents. `read-only`: looks, without secrets and contents.",
});

export const grant = z
  .strictObject({
    role: roleName,
    environments: z
      .enum(["all", "non-production", "one"])
      .describe(
        "Where the role holds: in all environments, in those that are not production, or in the one of `environment_id`. Owners and admins have all.",
      ),
    environment_id: uuid
      .optional()
      .describe("Environment where the role holds; only with `environments: one`."),
    runs_code: z
      .boolean()
      .optional()
      .describe(
        "With `true` a developer may deploy, dry-run and use the proxy in production, too: rights to credentials, since code that runs with a connection can read them. Default `false`.",
      ),
  })
  .refine(
    ({ environments, environment_id }) =>
      (environments === "one") === (environment_id !== undefined),
    {
      message: "is needed with `environments: one`, and only then",
      path: ["environment_id"],
    },
  )
  .refine(
    ({ role, environments }) => environments === "all" || (role !== "owner" && role !== "admin"),
    {
      message: "must be `all` for owners and admins",
      path: ["environments"],
    },
  )
  .meta({ id: "Grant", description: "A role, and where it holds." });

export const user = z
  .strictObject({
    id: uuid.describe("Id of the user."),
    email,
    name: personName,
    grants: z.array(grant).describe("What the user may do, and where; rights add up."),
    ways: z
      .array(z.enum(["password", "passkey", "sso"]))
      .describe("Ways in which the user can sign in."),
    has_totp: z
      .boolean()
      .describe("Whether the user's password needs a code of an authenticator app."),
    created_at: timestamp.describe("When the user was added."),
    last_sign_in_at: timestamp.nullable().describe("When the user last signed in; null for never."),
    disabled_at: timestamp
      .nullable()
      .describe("Since when the user cannot sign in; null for one who can."),
  })
  .meta({ id: "User", description: "A person who can sign in." });
