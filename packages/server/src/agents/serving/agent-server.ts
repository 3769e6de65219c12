import { createRequire } from "node:module";
import type { CallToolResult, Server } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { EnvironmentContext } from "#foundation";
import {
  askUser,
  capabilitiesOf,
  describeResources,
  describeTemplates,
  describeTool,
  findStoredResult,
  holdsOutputs,
  openStates,
  readClient,
  readResult,
  reportProgress,
  requireForms,
  requireOwnState,
  type ServerParts,
  type ShownLists,
  serveResources,
  toolFailure,
  withOwnWords,
} from "#mcp";
import type { RunCaller } from "#slice";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import {
  findSessionTool,
  getCatalogue,
  listSessionTools,
  mayCall,
} from "../catalogue/tool-catalogue.ts";
import { codeInput } from "../code/code-tool.ts";
import { runCode } from "../code/run-code.ts";
import { callWithTask } from "../deferred/defer-call.ts";
import { hasTasks, TASKS } from "../deferred/deferred-call.ts";
import type { MakeCall } from "../deferred/run-deferred.ts";
import { serveTasks, TaskServer } from "../deferred/serve-tasks.ts";
import { insertSeen } from "../provenance/store.ts";
import { type Account, listAccounts } from "../sessions/accounts.ts";
import { type ServedSession, withinReach } from "../sessions/session.ts";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { readTool } from "../sources/read-tool.ts";
import { getSessionCatalogue } from "../upstream/session-catalogue.ts";
import { withAccount } from "./account-argument.ts";
import { type AgentServing, decideByNow, OutOfDate } from "./agent-serving.ts";
import { askToOpen, ownerOf } from "./ask-to-open.ts";
import {
  builtInNames,
  callInput,
  codeInstructions,
  codeTools,
  describeInput,
  directTools,
  findInput,
  searchInstructions,
  searchTools,
} from "./built-in-tools.ts";
import { callSessionTool } from "./call-tool.ts";
import { answerAccounts, answerDescriptions, answerFound } from "./lookups.ts";
import { listPinned, modeOf, runsCode } from "./mode.ts";
import { listResourceTools, readResource } from "./resources.ts";
import { seenBy } from "./seen-by.ts";

const { version } = createRequire(import.meta.url)("../../../package.json");

/** A server for one request: the tools of one session. */
export function createAgentServer(
  ctx: EnvironmentContext,
  serving: AgentServing,
  { onAway, channel, canListen, isFirst }: ServerParts,
): Server {
  const { session, catalogue, client: named } = serving;
  const listTools = toolsOf(serving);
  const instructions = isFirst
    ? instructionsOf[modeOf(session.settings[0], listTools())]
    : undefined;
  const extensions = canListen ? { extensions: { [TASKS]: {} } } : {};
  const server = new TaskServer(
    { name: `jackfield-${session.toolset}`, version },
    {
      capabilities: { ...capabilitiesOf(canListen), ...extensions },
      ...(instructions === undefined ? {} : { instructions }),
      requestState: {
        verify: async (state, server) =>
          await (await openStates(ctx, ownerOf(session))).verify(state, server),
      },
    },
  );
  server.setRequestHandler("tools/list", async () =>
    withOwnWords({ ctx, onAway }, async () => {
      return { tools: await listShown(ctx, session, listTools()) };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, server) =>
    withOwnWords({ ctx, onAway }, async () => {
      const { mcpReq } = server;
      const client = readClient(mcpReq.envelope) ?? readClient(params._meta) ?? named;
      const notify = mcpReq.notify.bind(mcpReq);
      const call = { name: params.name, given: params.arguments ?? {} };
      requireOwnState(server, call, () => noteForeignState(ctx, session));
      if (findSessionTool(catalogue, session, params.name)?.asks === true) requireForms(server);
      await using progress = reportProgress(notify, params._meta?.progressToken);
      if (hasTasks(server)) {
        const onProgress = progress.report;
        const asked = { session, server, call, client, onProgress, make: makeBy(serving) };
        const { kind, result } = await callWithTask(ctx, asked);
        return kind === "asked" ? result : await askToOpen(ctx, session, { result, call, server });
      }
      const owner = ownerOf(session);
      const asking = { server, call, owner, channel, onProgress: progress.report };
      const result = await askUser(ctx, asking, async (caller) =>
        decideByNow(ctx, { ...serving, client }, async (now) =>
          answer(ctx, { ...now, caller, listTools: toolsOf(now) }, call),
        ),
      );
      return await askToOpen(ctx, session, { result, call, server });
    }),
  );
  if (canListen) serveTasks(ctx, server, { session, make: makeBy(serving), onAway });
  serveResources(ctx, server, {
    list: async () =>
      await listResourceTools(ctx, { session, tools: callable(listTools(), session) }),
    findStored: async (handle) => await findStoredResult(ctx, { sessionId: session.id }, handle),
    run: async (resource, input) =>
      await decideByNow(ctx, serving, async (now) =>
        readResource(ctx, { session: now.session, client: named, resource, input }),
      ),
    onAway,
  });
  return server;
}

/** A call of the session, as a task makes it: by what there is at that time. */
function makeBy(serving: AgentServing): MakeCall {
  return async (ctx, call, { caller, client }) =>
    await decideByNow(ctx, { ...serving, client, isRemembered: true }, async (now) =>
      answer(ctx, { ...now, caller, listTools: toolsOf(now) }, call),
    );
}

/** There may be thousands, which a call has no use for. */
function toolsOf({ session, catalogue }: AgentServing): () => readonly CatalogueTool[] {
  let known: readonly CatalogueTool[] | undefined;
  return () => {
    known ??= listSessionTools(catalogue, withinReach(session));
    return known;
  };
}

/** The tools as the session's client sees them. */
async function listShown(
  ctx: EnvironmentContext,
  session: ServedSession,
  tools: readonly CatalogueTool[],
) {
  const [settings] = session.settings;
  const mode = modeOf(settings, tools);
  if (mode === "code") ctx.sandbox.scripts.warm();
  const listed = mode === "direct" ? tools : listPinned(settings, tools);
  const described =
    listed.length === 0 ? [] : await describeDirect(ctx, listed, await listAccounts(ctx, session));
  return [...described, ...fixedTools[mode]];
}

const fixedTools = { direct: directTools, search: searchTools, code: codeTools };
const instructionsOf = {
  ...{ direct: undefined, search: searchInstructions, code: codeInstructions },
};

function callable(tools: readonly CatalogueTool[], session: ServedSession): CatalogueTool[] {
  return tools.filter((tool) => mayCall(session, tool));
}

/** What a client that listens hears the changes of; `find` is its session, while it is open. */
export function listsOf(
  ctx: EnvironmentContext,
  find: () => Promise<ServedSession | undefined>,
): ShownLists {
  const read = async () => {
    const session = await find();
    if (session === undefined) return undefined;
    const readAccounts = async () => await listAccounts(ctx, session);
    const catalogue = await getSessionCatalogue(ctx, await getCatalogue(ctx), {
      ...{ session, readAccounts },
    });
    const tools = listSessionTools(catalogue, withinReach(session));
    const own = await listResourceTools(ctx, { session, tools: callable(tools, session) });
    const resources = [describeResources(own), describeTemplates(own)];
    return { tools: await listShown(ctx, session, tools), resources };
  };
  return { read };
}

function noteForeignState(ctx: EnvironmentContext, { id }: ServedSession): void {
  const message = "The request state is of another call.";
  noteRefusal(ctx, { code: "invalid_request_state", message, meta: { session: id } });
}

interface At extends AgentServing {
  readonly listTools: () => readonly CatalogueTool[];
  readonly caller: RunCaller;
}

/** Built-in tools come first; no other has a name without the integration's. */
async function answer(
  ctx: EnvironmentContext,
  at: At,
  { name, given }: { name: string; given: unknown },
): Promise<CallToolResult> {
  const { session, catalogue, readAccounts, client, caller, isRemembered } = at;
  switch (name) {
    case builtInNames.find:
      return await withInput(findInput, given, async (wanted) =>
        answerFound(at, await readAccounts(), wanted),
      );
    case builtInNames.describe:
      return await withInput(describeInput, given, async (wanted) =>
        answerDescriptions(ctx, at, await readAccounts(), wanted),
      );
    case builtInNames.accounts:
      return answerAccounts(at.listTools(), await readAccounts());
    case builtInNames.result:
      if (isRemembered) throw new OutOfDate();
      return await readOwnResult(ctx, session, given);
    case builtInNames.code:
      if (!runsCode(session)) return await callDirect(ctx, at, { name, given });
      if (isRemembered) throw new OutOfDate();
      return await withInput(codeInput, given, async (wanted) =>
        runCode(ctx, { session, client }, wanted),
      );
    case builtInNames.read:
    case builtInNames.write:
      return await withInput(callInput, given, async ({ name: called, account, input }) =>
        callSessionTool(ctx, {
          ...{ session, client, caller, name: called, account, input, isListed: false },
          isRemembered,
          tool: findSessionTool(catalogue, session, called),
          accounts: await readAccounts(),
          readsOnly: name === builtInNames.read,
        }),
      );
    default:
      return await callDirect(ctx, at, { name, given });
  }
}

/** A handle that the session has not may be another's. */
async function readOwnResult(
  ctx: EnvironmentContext,
  session: ServedSession,
  given: unknown,
): Promise<CallToolResult> {
  const { id, taint } = session;
  const result = await readResult(ctx, { sessionId: id }, given);
  const seen = taint.untrustedSeen
    ? await seenBy(ctx, session, { tool: builtInNames.result, result })
    : undefined;
  if (seen !== undefined) await insertSeen(ctx.db, ctx.environment.id, seen);
  if (result.isError === true) {
    const message = "A session asked for a result that it has not.";
    noteRefusal(ctx, { code: "not_found", message, meta: { session: id } });
  }
  return result;
}

async function callDirect(
  ctx: EnvironmentContext,
  { session, catalogue, readAccounts, client, caller, isRemembered }: At,
  { name, given }: { name: string; given: unknown },
): Promise<CallToolResult> {
  const tool = findSessionTool(catalogue, session, name);
  const accounts = await readAccounts();
  const own = accounts.filter(({ integration }) => integration === tool?.integration);
  const action = tool && own.length > 1 ? await readTool(ctx, tool) : undefined;
  const split = action && withAccount(action.inputSchema, own).split(given);
  return await callSessionTool(ctx, {
    ...{ session, client, caller, name, tool, accounts, isListed: true, isRemembered },
    ...(split ?? { account: undefined, input: given }),
  });
}

/** With the account as a required argument where the end user has several. */
async function describeDirect(
  ctx: EnvironmentContext,
  tools: readonly CatalogueTool[],
  accounts: readonly Account[],
) {
  const isStructured = await holdsOutputs(ctx);
  const described = [];
  for (const tool of tools) {
    const action = await readTool(ctx, tool);
    if (action === undefined) continue;
    const own = accounts.filter(({ integration }) => integration === tool.integration);
    const shown = describeTool(action, { name: tool.name, isStructured });
    const inputSchema =
      own.length > 1 ? withAccount(action.inputSchema, own).schema : shown.inputSchema;
    described.push({ ...shown, inputSchema });
  }
  return described;
}

async function withInput<Input extends z.ZodType>(
  schema: Input,
  given: unknown,
  work: (input: z.output<Input>) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return await work(parsed.data);
  const [issue] = parsed.error.issues;
  return toolFailure({
    code: "invalid_input",
    message: `${issue?.path.join(".") || "the input"}: ${issue?.message}`,
    next: "Correct the input and call again.",
  });
}
