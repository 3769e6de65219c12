import { Server } from "@modelcontextprotocol/server";
import { cleanResult } from "./clean-result.ts";

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** What a model reads of tools; lists name tools and values exactly, and are written by those who deploy them. */
const shownMethods: ReadonlySet<string> = new Set(["tools/call", "resources/read", "tasks/get"]);

/** The one way to a model: every server of the protocol is one. */
export class ModelServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    if (!shownMethods.has(method)) return wrapped;
    return async (request, server) => cleanResult(await wrapped(request, server));
  }
}
