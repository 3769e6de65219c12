import { Argument, Command, Option } from "commander";
import * as z from "zod";
import { callPlatform } from "../../deploy/call-platform.ts";
import { listPages } from "../../deploy/list-pages.ts";
import { printJson } from "../../output/print-json.ts";
import { printTable } from "../../output/print-table.ts";
import { findPlatform } from "../../platform/find-platform.ts";
import { exitCodes, UserError } from "../../user-error.ts";

const version = z.looseObject({ digest: z.string(), description: z.string() });

const upstream = z.looseObject({
  data: z.looseObject({
    failure: z.string().nullable(),
    list: z.array(
      z.looseObject({
        name: z.string(),
        server_url: z.string(),
        state: z.string(),
        effect: z.string(),
        definition: version,
        changed: z
          .looseObject({
            definition: version,
            changes: z.array(
              z.looseObject({
                path: z.string(),
                before: z.string().nullable(),
                after: z.string().nullable(),
              }),
            ),
          })
          .nullable(),
      }),
    ),
  }),
  next_cursor: z.string().nullable().default(null),
});
type Tool = z.output<typeof upstream>["data"]["list"][number];

interface Where {
  environment: string;
}

/** Commands about the tools that an integration has of another MCP server. */
export function serverCommands(): Command[] {
  return [servers(), toolsOf(), allow(), decide("accept"), decide("refuse")];
}

function inEnvironment(command: Command): Command {
  return command.option("-e, --environment <name>", "where the integration is", "dev");
}

const summary = z.looseObject({
  integration: z.string(),
  failure: z.string().nullable(),
  server: z.looseObject({ url: z.string() }).nullable(),
  tools: z.looseObject({ allowed: z.number(), new: z.number(), changed: z.number() }),
});

function servers(): Command {
  return inEnvironment(new Command("servers"))
    .description("list the integrations that have tools of an MCP server")
    .option("--json", "print the servers of the API's answers as JSON")
    .action(async ({ environment, json }: Where & { json?: true }): Promise<void> => {
      const found: z.output<typeof summary>[] = [];
      const pages = listPages(findPlatform(environment), {
        ...{ path: "/agent/upstreams", item: summary },
      });
      for await (const page of pages) found.push(...page);
      if (json === true) {
        printJson({ data: found });
      } else if (found.length === 0) {
        console.log("No integration has an MCP server.");
      } else {
        const head = ["INTEGRATION", "ALLOWED", "WAITING", "SERVER", "FAILURE"];
        printTable([head, ...found.map(toServerRow)]);
      }
    });
}

function toServerRow({ integration, tools, server, failure }: z.output<typeof summary>): string[] {
  const waiting = tools.new + tools.changed;
  return [
    ...[integration, String(tools.allowed), String(waiting), server?.url ?? "-"],
    (failure ?? "").slice(0, 60),
  ];
}

function toolsOf(): Command {
  return inEnvironment(new Command("tools"))
    .description(
      "list the tools of an integration's MCP server: which are allowed, and what has changed",
    )
    .argument("<integration>", "key of the integration")
    .option("--refresh", "read the list from the server first")
    .option("--json", "print what the API answers as JSON")
    .action(
      async (
        integration: string,
        options: Where & { refresh?: true; json?: true },
      ): Promise<void> => {
        const path = pathOf(integration);
        const answer =
          options.refresh === true
            ? await call(options, { method: "POST", path: `${path}/refresh`, body: {} })
            : await call(options, { method: "GET", path });
        if (options.json === true) printJson(answer);
        else print(answer.data);
      },
    );
}

function allow(): Command {
  return inEnvironment(new Command("allow"))
    .description("say which tools of the server's first list agents may call")
    .argument("<integration>", "key of the integration")
    .addArgument(new Argument("<tools...>", "names of tools, or one of: all, read_only, none"))
    .addHelpText("after", "\nTools and versions that come later wait for `jackfield mcp accept`.")
    .action(async (integration: string, tools: string[], options: Where): Promise<void> => {
      const [first = ""] = tools;
      const isWord = tools.length === 1 && ["all", "read_only", "none"].includes(first);
      const body = { allow: isWord ? first : tools };
      const { data } = await call(options, {
        method: "PUT",
        path: `${pathOf(integration)}/allow`,
        body,
      });
      print(data);
    });
}

interface DecideOptions extends Where {
  effect?: string;
  sends?: true;
}

function decide(decision: "accept" | "refuse"): Command {
  const description =
    decision === "accept"
      ? "let agents call the tool as its server lists it now"
      : "keep the tool from agents as its server lists it now";
  const command = inEnvironment(new Command(decision))
    .description(description)
    .argument("<integration>", "key of the integration")
    .argument("<tool>", "name of the tool at its server");
  if (decision === "accept") {
    command
      .addOption(
        new Option(
          "--effect <effect>",
          "what it does, as you know it; a write unless given",
        ).choices([...["read", "write", "destructive"]]),
      )
      .option("--sends", "it may send what it is given to others, also where it only reads");
  }
  return command.action(
    async (integration: string, name: string, options: DecideOptions): Promise<void> => {
      const path = pathOf(integration);
      const { data } = await call(options, { method: "GET", path, query: { search: name } });
      const tool = data.list.find((each) => each.name === name);
      if (tool === undefined) {
        throw new UserError(`"${integration}" has no tool ${name}.`, { exitCode: exitCodes.usage });
      }
      const body = {
        ...{ decision, digest: (tool.changed ?? tool).definition.digest },
        ...{ server_url: tool.server_url, sends: options.sends === true },
        ...(options.effect === undefined ? {} : { effect: options.effect }),
      };
      const toolPath = `${path}/tools/${encodeURIComponent(name)}`;
      print((await call(options, { method: "POST", path: toolPath, body })).data);
    },
  );
}

function pathOf(integration: string): string {
  return `/agent/upstreams/${encodeURIComponent(integration)}`;
}

interface UpstreamCall {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const PAGE = { limit: "500" };

/** The server with all tools that were asked for: a first page says where the next one begins. */
async function call({ environment }: Where, { query, ...request }: UpstreamCall) {
  const platform = findPlatform(environment);
  const size = request.method === "GET" ? { query: { ...query, ...PAGE } } : {};
  const answer = await callPlatform(platform, { ...request, ...size, answer: upstream });
  const { list } = answer.data;
  const [path = ""] = /^\/agent\/upstreams\/[^/]+/.exec(request.path) ?? [];
  for (let cursor = answer.next_cursor; cursor !== null; ) {
    const page: z.output<typeof upstream> = await callPlatform(platform, {
      ...{ method: "GET", path, answer: upstream },
      query: { ...query, ...PAGE, cursor },
    });
    list.push(...page.data.list);
    cursor = page.next_cursor;
  }
  return { data: answer.data };
}

function print({ list, failure }: z.output<typeof upstream>["data"]): void {
  if (failure !== null) console.log(`The list could not be read last: ${failure}`);
  if (list.length === 0) {
    console.log("No list was read yet: connect an account, or use --refresh.");
    return;
  }
  printTable([["TOOL", "STATE", "EFFECT", "DESCRIPTION"], ...list.map(toRow)]);
  for (const { name, changed } of list) {
    for (const { path, before, after } of changed?.changes ?? []) {
      console.log(`${name} ${path}\n  - ${before ?? ""}\n  + ${after ?? ""}`);
    }
  }
}

function toRow({ name, state, effect, definition }: Tool): string[] {
  // Text of a stranger: one line of it.
  const [line = ""] = definition.description.split("\n");
  return [name, state, effect, line.slice(0, 60)];
}
