import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#foundation";
import { type OnAway, withOwnWords } from "../own-words.ts";
import type { ToolFailure } from "../tool-failure.ts";
import {
  describeResources,
  describeTemplates,
  findResource,
  type ResourceAction,
  readStoredBlock,
  toContents,
} from "./resource-actions.ts";

interface Resources<Action extends ResourceAction> {
  readonly list: () => Promise<readonly Action[]>;
  /** A stored result of the caller, by its handle. */
  readonly findStored: (handle: string) => Promise<unknown>;
  /** The action's output as JSON text, or why there is none. */
  readonly run: (action: Action, args: unknown) => Promise<Uint8Array | ToolFailure>;
  readonly onAway: OnAway;
}

/** Actions of an address of their own, and what of results was too long to be in them. */
export function serveResources<Action extends ResourceAction>(
  ctx: EnvironmentContext,
  server: Server,
  { list, findStored, run, onAway }: Resources<Action>,
): void {
  server.setRequestHandler("resources/list", async () =>
    withOwnWords({ ctx, onAway }, async () => ({ resources: describeResources(await list()) })),
  );
  server.setRequestHandler("resources/templates/list", async () =>
    withOwnWords({ ctx, onAway }, async () => ({
      resourceTemplates: describeTemplates(await list()),
    })),
  );
  server.setRequestHandler("resources/read", async ({ params: { uri } }) =>
    withOwnWords({ ctx, onAway }, async () => {
      const stored = await readStoredBlock(uri, findStored);
      if (stored !== undefined) return stored;
      const found = findResource(await list(), uri);
      if (found === undefined) throw new ResourceNotFoundError(uri);
      const output = await run(found.action, found.args);
      if (output instanceof Uint8Array) {
        return toContents(found.action, uri, JSON.parse(Buffer.from(output).toString()));
      }
      const { code, message } = output;
      throw new ProtocolError(ProtocolErrorCode.InternalError, message, { uri, code });
    }),
  );
}
