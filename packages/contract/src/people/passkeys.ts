import * as z from "zod";
import { jsonObject, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { startedSession } from "./sign-in.ts";
import { personName } from "./user.ts";

/** Passkeys (WebAuthn): a key in the person's device signs a text that the server has chosen. */

export const passkeyAnswer = jsonObject.meta({
  id: "PasskeyAnswer",
  description:
    "What the browser answered, as `toJSON()` of its credential, or what `@simplewebauthn/browser` returns.",
});

const passkeyOptions = z.strictObject({
  data: jsonObject.describe(
    "Options for the browser, as `PublicKeyCredential.parse…OptionsFromJSON` takes them; good for 5 minutes.",
  ),
});

const passkey = z
  .strictObject({
    id: uuid.describe("Id of the passkey, by which it is removed."),
    name: z.string().describe("Name that the user gave it."),
    is_synced: z
      .boolean()
      .describe("Whether the user's devices share it; otherwise it is lost with its device."),
    created_at: timestamp.describe("When it was added."),
    last_used_at: timestamp.nullable().describe("When it last signed in; null for never."),
  })
  .meta({ id: "Passkey", description: "A passkey of a user." });

const ofUser = { principals: ["user"], scope: "user" } as const;

export const passkeyRoutes = {
  getPasskeySignInOptions: defineRoute({
    method: "POST",
    path: "/auth/passkeys/options",
    summary: "Begin to sign in with a passkey, or to prove who one is with it",
    principals: ["public"],
    scope: "public",
    success: { status: 200, schema: passkeyOptions },
    errors: ["untrusted_request"],
    idempotent: false,
    leavesCaches: true,
  }),
  signInByPasskey: defineRoute({
    method: "POST",
    path: "/auth/passkeys",
    summary: "Sign in with a passkey",
    principals: ["public"],
    scope: "public",
    body: z.strictObject({ passkey: passkeyAnswer }),
    success: { status: 200, schema: startedSession },
    errors: ["sign_in_failed", "untrusted_request"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  listPasskeys: defineRoute({
    method: "GET",
    path: "/me/passkeys",
    summary: "List your passkeys",
    ...ofUser,
    success: {
      status: 200,
      schema: z.strictObject({ data: z.array(passkey).describe("Your passkeys, oldest first.") }),
    },
    errors: [],
    idempotent: false,
  }),
  getPasskeyOptions: defineRoute({
    method: "POST",
    path: "/me/passkeys/options",
    summary: "Begin to add a passkey",
    ...ofUser,
    stepUp: "always",
    success: { status: 200, schema: passkeyOptions },
    errors: [],
    idempotent: false,
  }),
  addPasskey: defineRoute({
    method: "POST",
    path: "/me/passkeys",
    summary: "Add a passkey",
    ...ofUser,
    stepUp: "always",
    body: z.strictObject({
      name: personName.describe("Name to tell your passkeys apart by, such as that of the device."),
      passkey: passkeyAnswer,
    }),
    success: { status: 200, schema: z.strictObject({ data: passkey.describe("The passkey.") }) },
    errors: ["passkey_refused", "conflict", "resource_capped"],
    idempotent: false,
  }),
  deletePasskey: defineRoute({
    method: "DELETE",
    path: "/me/passkeys/{id}",
    summary: "Remove a passkey; not the last way in which you can sign in",
    ...ofUser,
    stepUp: "always",
    params: z.strictObject({
      id: z.uuid("must be the id of a passkey, a UUID").describe("Id of the passkey."),
    }),
    success: { status: 204 },
    errors: ["not_found", "conflict"],
    idempotent: false,
  }),
} as const;
