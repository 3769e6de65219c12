import * as z from "zod";
import { creator, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** A login of the server's database, which reads the records of one environment in views. */

const view = z
  .strictObject({
    name: z.string().meta({
      description: "Name of the view in the schema; needs no quotes in SQL.",
      examples: ["contact"],
    }),
    model: z.string().describe("The model whose records it has, of all connections and variants."),
  })
  .meta({ id: "SqlView" });

const sqlAccess = z
  .strictObject({
    state: z
      .enum(["active", "suspended", "needs_new_password"])
      .describe(
        "`active`: the role can sign in. `suspended`: it cannot, since it held an advisory lock, which can block the server, or since SQL access was off for a time. `needs_new_password`: the database does not have the role, as after a restore. `POST /records/sql-access/rotate` makes both work again.",
      ),
    host: z.string().describe("Host of the database."),
    port: z.number().int().describe("Port of the database."),
    database: z.string().describe("Name of the database."),
    role: z.string().describe("The user to sign in as."),
    schema: z.string().describe("Schema with the views, which is the role's `search_path`."),
    views: z.array(view).describe("The views, by name."),
    created_at: timestamp.describe("When it was created."),
    created_by: creator
      .nullable()
      .describe("Who created it; null once the audit log no longer has it."),
    password_set_at: timestamp.describe("When its password was made."),
  })
  .meta({ id: "SqlAccess", description: "A read-only login for views of records." });

const withPassword = sqlAccess
  .extend({
    password: z.string().describe("Its password, shown this once: it is stored nowhere."),
    url: z
      .string()
      .describe("The same with user and password as a URL of Postgres, shown this once."),
  })
  .meta({ id: "NewSqlAccess" });

const created = {
  status: 201,
  schema: z.strictObject({ data: withPassword.describe("The login, with its password.") }),
} as const;

export const sqlAccessRoutes = {
  createSqlAccess: defineRoute({
    method: "POST",
    path: "/records/sql-access",
    summary: "Create a read-only login to views of the records; its password is shown this once",
    principals: ["environment"],
    scope: "environment:sql_access:write",
    success: created,
    errors: ["conflict", "feature_disabled", "sql_access_unavailable"],
    stepUp: "production",
    idempotent: true,
  }),
  getSqlAccess: defineRoute({
    method: "GET",
    path: "/records/sql-access",
    summary: "Get the login to views of the records, without its password",
    principals: ["environment"],
    scope: "environment:sql_access:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: sqlAccess.nullable().describe("The login; null when there is none."),
      }),
    },
    errors: ["feature_disabled"],
    idempotent: false,
  }),
  rotateSqlAccess: defineRoute({
    method: "POST",
    path: "/records/sql-access/rotate",
    summary: "Replace the password of the login to views of the records, and end its sessions",
    principals: ["environment"],
    scope: "environment:sql_access:write",
    success: { status: 200, schema: created.schema },
    errors: ["not_found", "feature_disabled", "sql_access_unavailable"],
    stepUp: "production",
    idempotent: true,
  }),
  deleteSqlAccess: defineRoute({
    method: "DELETE",
    path: "/records/sql-access",
    summary: "Revoke the login to views of the records: its sessions end, and it is dropped",
    principals: ["environment"],
    scope: "environment:sql_access:write",
    success: { status: 204 },
    errors: ["not_found"],
    stepUp: "production",
    idempotent: false,
  }),
} as const;
