import * as z from "zod";
import { functionType, jsonObject, timestamp } from "../fields.ts";

export const deployedFunction = z
  .strictObject({
    id: z
      .number()
      .int()
      .describe("Number of the function, unique in the installation; new versions keep it."),
    name: z.string().meta({ description: "Its name.", examples: ["contacts"] }),
    type: functionType.describe("Its type."),
    version: z
      .string()
      .describe("Version: the author's, or a number that each change raises by 1."),
    enabled: z
      .boolean()
      .describe(
        "Whether it runs. A disabled sync keeps its schedule, but no run begins; a disabled action is refused with `disabled_resource`.",
      ),
    description: z
      .string()
      .optional()
      .describe(
        "What the author says that it does; absent without a description and for on-event functions.",
      ),
    scopes: z
      .array(z.string())
      .optional()
      .describe("OAuth scopes that it needs; absent for on-event functions."),
    input: z
      .string()
      .optional()
      .describe(
        "Name of the input schema (actions) or the metadata schema (syncs) in `json_schema`; absent if there is none.",
      ),
    returns: z
      .array(z.string())
      .describe(
        "Names of the models that a sync writes, or of an action's output schema, in `json_schema`. Empty for on-event functions.",
      ),
    json_schema: jsonObject.describe(
      "JSON Schema of its input, output and models, by name under `definitions`.",
    ),
    last_deployed: timestamp.describe("When this version was deployed."),
    source: z
      .enum(["repo", "standalone"])
      .describe(
        "`repo`: deployed with its project; `standalone`: deployed individually, from source.",
      ),
    egress: z
      .array(z.string())
      .optional()
      .describe(
        "Hosts that it may send to; `{integration}` are those of its integration, `*` is any. Absent: any.",
      ),
    credentials: z
      .literal("proxy-only")
      .optional()
      .describe("`proxy-only`: it never sees credentials. Absent: it can read them."),
    runs: z
      .string()
      .optional()
      .describe("How often the sync runs, such as `5 minutes`. Syncs only."),
    auto_start: z
      .boolean()
      .optional()
      .describe("Whether the sync starts automatically for a new connection. Syncs only."),
    track_deletes: z
      .boolean()
      .optional()
      .describe(
        "Whether records that a full run did not save again are marked as deleted. Syncs only.",
      ),
    endpoints: z
      .array(
        z.strictObject({
          method: z
            .string()
            .meta({ description: "HTTP method of the path under `/v1`.", examples: ["GET"] }),
          path: z.string().meta({
            description: "Path under `/v1` that answers for it.",
            examples: ["/contacts"],
          }),
        }),
      )
      .optional()
      .describe("Deprecated paths under `/v1` that answer for it; absent without any."),
    event: z
      .string()
      .optional()
      .describe("What it reacts to, such as `post-connection-creation`. On-event functions only."),
  })
  .meta({ id: "DeployedFunction", description: "A deployed function, without its code." });
