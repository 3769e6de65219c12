import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { RefusedCall } from "../sources/refused-call.ts";
import type { ReadTool } from "../sources/tool-source.ts";
import { callUpstream } from "./call-upstream.ts";
import { toShown } from "./to-shown.ts";

/** A tool of a session, called as the version that the account of a call has. */
export function readUpstream(tool: CatalogueTool): ReadTool | undefined {
  const [newest] = tool.versions ?? [];
  if (newest === undefined) return undefined;
  const findVersion = (connection: { uuid: string }) => tool.versionOf?.get(connection.uuid);
  return {
    ...toShown(newest),
    digest: newest.digest,
    digestFor: (connection) => findVersion(connection)?.digest ?? "none",
    run: async (ctx, call) => {
      const version = findVersion(call.connection);
      if (version === undefined) throw new RefusedCall(notThere(tool.name));
      return await callUpstream(ctx, version, call);
    },
  };
}

function notThere(name: string) {
  return {
    ...{
      code: "unknown_tool" as const,
      message: `The server has no tool "${name}" for this account now.`,
    },
    next: "Choose another tool, or tell the user: who runs the integration sees what has changed.",
  };
}
