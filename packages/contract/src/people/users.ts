import * as z from "zod";
import { nextCursor, pageQuery, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { email, grant, personName, user } from "./user.ts";

/** The people of an account. Nothing is mailed: who adds somebody copies the link to them. */

const grants = z
  .array(grant)
  .min(1)
  .max(50)
  .describe("What the user may do, and where: 1 to 50 grants, in place of earlier ones.");

const params = z.strictObject({
  id: z.uuid("must be the id of a user, a UUID").describe("Id of the user."),
});

export const oneTimeLink = z
  .strictObject({
    url: z.string().meta({
      description:
        "Address for the person: with it they choose how to sign in. It works once, is shown only in this answer, and ends those made before.",
      examples: ["https://jackfield.example.com/dashboard/invite#k3Jd…"],
    }),
    expires_at: timestamp.describe("When it stops working: 48 hours after it was made."),
  })
  .meta({ id: "OneTimeLink", description: "A link that works once." });

export const userRoutes = {
  listUsers: defineRoute({
    method: "GET",
    path: "/users",
    summary: "List the people who can sign in, with what they may do",
    principals: ["account"],
    scope: "account:users:list",
    query: z.strictObject(pageQuery("Users", { most: 200, usual: 100 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(user).describe("The users, oldest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  createUser: defineRoute({
    method: "POST",
    path: "/users",
    summary: "Add a person; the answer has the link by which they choose how to sign in",
    principals: ["account"],
    scope: "account:users:create",
    stepUp: "always",
    body: z.strictObject({ email, name: personName, grants }).meta({
      id: "NewUser",
      description: "A person to add, and what they may do.",
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({ user, link: oneTimeLink })
          .describe("The new user, and the invitation to copy to them."),
      }),
    },
    errors: ["conflict", "not_found", "resource_capped"],
    idempotent: true,
  }),
  updateUser: defineRoute({
    method: "PATCH",
    path: "/users/{id}",
    summary:
      "Change a user's name or rights, or stop and let them sign in; sessions follow within a second",
    principals: ["account"],
    scope: "account:users:update",
    stepUp: "always",
    params,
    body: z
      .strictObject({
        name: personName.optional().describe("New name; absent to keep it."),
        grants: grants.optional(),
        disabled: z
          .boolean()
          .optional()
          .describe(
            "`true` ends all sessions and lets the user begin none; `false` lets them sign in again.",
          ),
      })
      .meta({ id: "UserChange", description: "What changes of a user; what is omitted stays." }),
    success: {
      status: 200,
      schema: z.strictObject({ data: user.describe("The user after the change.") }),
    },
    errors: ["not_found", "last_owner"],
    idempotent: false,
  }),
  deleteUser: defineRoute({
    method: "DELETE",
    path: "/users/{id}",
    summary: "Remove a user with their sessions and ways to sign in",
    principals: ["account"],
    scope: "account:users:delete",
    stepUp: "always",
    params,
    success: { status: 204 },
    errors: ["not_found", "last_owner"],
    idempotent: false,
  }),
  createUserLink: defineRoute({
    method: "POST",
    path: "/users/{id}/link",
    summary: "Make a link by which a user chooses a new way to sign in; earlier links end",
    principals: ["account"],
    scope: "account:users:update",
    stepUp: "always",
    params,
    success: {
      status: 200,
      schema: z.strictObject({ data: oneTimeLink.describe("The link to copy to the user.") }),
    },
    errors: ["not_found"],
    idempotent: true,
  }),
} as const;
