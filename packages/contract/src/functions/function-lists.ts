import * as z from "zod";
import {
  functionName,
  functionType,
  integrationKey,
  nextCursor,
  pageQuery,
  timestamp,
  uuid,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import { deployedFunction } from "./function-shape.ts";

/** Functions of a whole environment, their versions, and how they got there. */

const listedFunction = deployedFunction
  .extend({
    provider_config_key: z
      .string()
      .meta({ description: "Key of its integration.", examples: ["hubspot"] }),
    runs_24h: z.number().int().describe("Runs that ended in the last 24 hours, by the hour."),
    failures_24h: z.number().int().describe("Those of them that failed."),
    last_run: z
      .strictObject({
        at: timestamp.describe("When it ended."),
        succeeded: z.boolean().describe("Whether it succeeded."),
        operation_id: uuid.describe("Its operation in the logs."),
      })
      .nullable()
      .describe("The run that ended last; null before the first."),
  })
  .meta({ id: "ListedFunction", description: "A deployed function and how it has run lately." });

const functionVersion = z
  .strictObject({
    id: z.number().int().describe("Number of the version, by which its code is read."),
    version: z
      .string()
      .describe("Version: the author's, or a number that each change raises by 1."),
    current: z.boolean().describe("Whether it is the one that runs."),
    deployed_at: timestamp.describe("When it was deployed."),
    deployment_id: uuid
      .nullable()
      .describe("The deployment that brought it; null for one from before versions were kept."),
    source: z
      .enum(["repo", "standalone"])
      .describe(
        "`repo`: deployed with its project; `standalone`: deployed individually, from source.",
      ),
  })
  .meta({ id: "FunctionVersion", description: "What a function was after a deployment." });

const place = {
  uniqueKey: integrationKey.describe("Integration of the function."),
  name: functionName.describe("Name of the function."),
};
const ofType = z.strictObject({
  type: functionType
    .optional()
    .describe("Type of the function; required where functions of several types have the name."),
});

const pastDeployment = z
  .strictObject({
    id: uuid.describe("Id of the deployment."),
    way: z
      .enum(["upload", "staged", "bundle", "source", "rollback", "canary"])
      .describe(
        "How it came: from the command line at once (`upload`) or in parts (`staged`), as a `bundle`, from `source`, as the `rollback` of another, or by the promotion of a `canary`.",
      ),
    state: z.enum(["success", "failed"]).describe("`failed`: nothing was changed."),
    actor: z
      .strictObject({
        type: z.string().meta({ description: "Kind of the actor.", examples: ["key"] }),
        id: z.string().nullable().describe("Its id; null for the server itself."),
        name: z.string().nullable().describe("Its name, where it was known."),
      })
      .describe("Who deployed."),
    plan: z
      .strictObject({
        created: z.number().int().describe("Functions that were not there before."),
        updated: z.number().int().describe("Functions that were changed."),
        removed: z.number().int().describe("Functions that were removed."),
        unchanged: z.number().int().describe("Functions that were sent and were the same."),
        changes: z
          .array(
            z.strictObject({
              provider_config_key: z.string().describe("Integration of the function."),
              type: functionType.describe("Type of the function."),
              name: z.string().describe("Name of the function."),
              change: z.enum(["new", "updated", "removed"]).describe("What happened to it."),
            }),
          )
          .describe("The first 100 functions that it changed."),
      })
      .describe("What it did; all 0 where it failed."),
    error: z
      .strictObject({
        type: z.string().describe("Code of the error."),
        message: z.string().describe("What was wrong."),
      })
      .nullable()
      .describe("Why it failed; null when it did not."),
    operation_id: uuid.nullable().describe("Its operation in the logs."),
    rollback_of: uuid
      .nullable()
      .describe("The deployment whose changes it took back; null for others."),
    commit: z
      .string()
      .nullable()
      .meta({
        description: "Commit of which it was made, as `Svc-Commit` said; null where nobody did.",
        examples: ["9f2c4e1b7a60d3f8c5b2a1908e7d6c5b4a392817"],
      }),
    branch: z
      .string()
      .nullable()
      .describe("Branch or tag of that commit, as `Svc-Branch` said; null where nobody did."),
    created_at: timestamp.describe("When it was made."),
  })
  .meta({ id: "PastDeployment", description: "A deployment of functions, as it went." });

export const functionListRoutes = {
  listEnvironmentFunctions: defineRoute({
    method: "GET",
    path: "/functions",
    summary: "List the functions of all integrations, newest first, with how they ran lately",
    principals: ["environment"],
    scope: "environment:functions:list",
    query: z.strictObject({
      provider_config_key: integrationKey
        .optional()
        .describe("Only functions of this integration."),
      type: functionType.optional().describe("Only functions of this type."),
      search: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe("Only functions whose name contains this text, in either case."),
      ...pageQuery("Functions", { most: 100, usual: 50 }),
    }),
    synonyms: { query: camelCaseOf("provider_config_key") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(listedFunction).describe("The page of functions, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: [{ code: "unknown_provider_config", status: 400 }, "invalid_cursor"],
    idempotent: false,
  }),
  listFunctionVersions: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions/{name}/versions",
    summary: "List the last 20 versions of a function, newest first",
    principals: ["environment"],
    scope: "environment:functions:read",
    params: z.strictObject(place),
    query: ofType,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(functionVersion).describe("Its versions, newest first."),
      }),
    },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
  getFunctionVersionCode: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions/{name}/versions/{version}/code",
    summary: "Get the source of an earlier version of a function as its author wrote it",
    principals: ["environment"],
    scope: "environment:functions:read",
    params: z.strictObject({
      ...place,
      version: z
        .string()
        .regex(/^[1-9]\d{0,15}$/, "must be the `id` of a version")
        .describe("`id` of the version."),
    }),
    query: ofType,
    success: {
      status: 200,
      schema: z.strictObject({
        type: functionType.describe("Type of the function."),
        version: z.string().describe("The version."),
        code: z.string().describe("Its TypeScript source."),
      }),
    },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
  listPastDeployments: defineRoute({
    method: "GET",
    path: "/deployments",
    summary: "List deployments of every way, newest first; the last 1,000 are kept",
    principals: ["environment"],
    scope: ["environment:functions:list", "environment:deploy"],
    query: z.strictObject(pageQuery("Deployments", { most: 100, usual: 50 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(pastDeployment).describe("The page of deployments, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  rollBackDeployment: defineRoute({
    method: "POST",
    path: "/deployments/{id}/rollback",
    summary: "Take back what a deployment changed: each function is again what it was before it",
    principals: ["environment"],
    scope: "environment:deploy",
    params: z.strictObject({
      id: uuid.describe("The deployment, as `GET /deployments` names it."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: pastDeployment.describe("The deployment that put the functions back."),
      }),
    },
    errors: [
      "deployment_not_found",
      "rollback_not_possible",
      "concurrent_deployment",
      "canary_running",
    ],
    idempotent: true,
  }),
} as const;
