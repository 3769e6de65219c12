import * as z from "zod";
import { nextCursor, pageQuery, timestamp, uuid, wholeNumber } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { email, personName } from "./user.ts";
import { oneTimeLink } from "./users.ts";

/** Accounts of an installation with several (`SVC_ACCOUNTS=many`); for owners of the first one. */

const accountName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(200)
  .meta({ description: "Name, 1 to 200 characters.", examples: ["Acme"] });

const rateLimit = z
  .number()
  .int()
  .min(1)
  .max(999_999_999)
  .nullable()
  .describe(
    "Calls that the account may make in a minute; null for `SVC_RATE_LIMIT_PER_MIN` of the installation.",
  );

const account = z
  .strictObject({
    id: uuid.describe("Id of the account."),
    name: accountName,
    is_first: z
      .boolean()
      .describe("Whether it is the account whose owners manage the installation."),
    rate_limit_per_minute: rateLimit,
    created_at: timestamp.describe("When it was made."),
  })
  .meta({
    id: "Account",
    description: "An account with its own environments, people, keys and limits.",
  });

const count = z.number().int();

const erasure = z
  .strictObject({
    id: uuid.describe("Id of the erasure."),
    account_id: uuid.describe("Id of the account, which is all that stays of it."),
    state: z
      .enum(["running", "done"])
      .describe("`running`, also after a restart, until all is erased; then `done`."),
    erased: z
      .strictObject({
        environments: count.describe("Environments, with all that they held."),
        api_keys: count.describe(
          "API keys that still worked, of the account and of its environments.",
        ),
        users: count.describe("People, with all by which they signed in."),
        log_operations: count.describe("Operations of the log, so far."),
        log_messages: count.describe("Lines of these, so far."),
        audit_names: count.describe("Names and addresses in the audit log, so far; its rows stay."),
      })
      .describe("How much has been erased, by kind."),
    created_at: timestamp.describe(
      "When it was asked for: from then on nobody of the account can sign in.",
    ),
    ended_at: timestamp.nullable().describe("When it was done; null before."),
  })
  .meta({
    id: "AccountErasure",
    description: "The receipt of an erasure of an account. It names nobody.",
  });

const answer = z.strictObject({ data: account });

export const accountRoutes = {
  listAccounts: defineRoute({
    method: "GET",
    path: "/accounts",
    summary: "List the accounts of the installation",
    principals: ["account"],
    scope: "account:accounts:list",
    query: z.strictObject({
      limit: wholeNumber({ min: 1, max: 200 })
        .optional()
        .describe("Most accounts to answer, 1 to 200. Default 100."),
      cursor: z
        .string()
        .max(200)
        .optional()
        .describe("`next_cursor` of the page before; leave out for the first page."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(account).describe("The accounts, oldest first."),
        next_cursor: z
          .string()
          .nullable()
          .describe("Send it as `cursor` for the next page; null on the last one."),
      }),
    },
    errors: ["feature_disabled", "invalid_cursor"],
    idempotent: false,
  }),
  createAccount: defineRoute({
    method: "POST",
    path: "/accounts",
    summary: "Create an account with environments `dev` and `prod`, an owner and its own key",
    principals: ["account"],
    scope: "account:accounts:create",
    stepUp: "always",
    body: z
      .strictObject({
        name: accountName,
        rate_limit_per_minute: rateLimit.optional(),
        owner: z
          .strictObject({ email, name: personName })
          .optional()
          .describe("Its first owner; absent where the account is used by keys alone."),
      })
      .meta({ id: "NewAccount", description: "An account to make." }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            account,
            api_key: z
              .string()
              .describe("Key of the account with every right, shown only in this answer."),
            link: oneTimeLink.optional(),
          })
          .describe("The account, its key, and the invitation to copy to its owner."),
      }),
    },
    errors: ["feature_disabled", "conflict", "resource_capped"],
    idempotent: true,
    noStore: true,
  }),
  updateAccount: defineRoute({
    method: "PATCH",
    path: "/accounts/{accountId}",
    summary: "Rename an account, or change its limit",
    principals: ["account"],
    scope: "account:accounts:update",
    stepUp: "always",
    params: z.strictObject({
      accountId: z.uuid("must be the id of an account, a UUID").describe("Id of the account."),
    }),
    body: z
      .strictObject({
        name: accountName.optional(),
        rate_limit_per_minute: rateLimit.optional(),
      })
      .meta({ id: "AccountChange", description: "What changes; what is omitted stays." }),
    success: { status: 200, schema: answer },
    errors: ["feature_disabled", "not_found"],
    idempotent: false,
  }),
  deleteAccount: defineRoute({
    method: "DELETE",
    path: "/accounts/{accountId}",
    summary: "Erase an account: its environments, people, keys, records and logs",
    principals: ["account"],
    scope: "account:accounts:delete",
    stepUp: "always",
    params: z.strictObject({
      accountId: z.uuid("must be the id of an account, a UUID").describe("Id of the account."),
    }),
    success: {
      status: 202,
      schema: z.strictObject({
        data: erasure.describe(
          "The erasure that has begun; a repeated call answers with the same one.",
        ),
      }),
    },
    errors: ["feature_disabled", "not_found", "conflict"],
    idempotent: false,
  }),
  listAccountErasures: defineRoute({
    method: "GET",
    path: "/account-erasures",
    summary: "List erasures of accounts, newest first",
    principals: ["account"],
    scope: "account:accounts:list",
    query: z.strictObject(pageQuery("Erasures", { most: 200, usual: 100 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(erasure).describe("The erasures, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["feature_disabled", "invalid_cursor"],
    idempotent: false,
  }),
  getAccountErasure: defineRoute({
    method: "GET",
    path: "/account-erasures/{erasureId}",
    summary: "Get the receipt of an erasure of an account",
    principals: ["account"],
    scope: "account:accounts:list",
    params: z.strictObject({ erasureId: uuid.describe("The erasure.") }),
    success: {
      status: 200,
      schema: z.strictObject({ data: erasure.describe("The erasure.") }),
    },
    errors: ["feature_disabled", "not_found"],
    idempotent: false,
  }),
} as const;
