import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";

/** The operator's further spelling of the names that are built on `svc`; the transport only asks. */
export interface NameAliases {
  /** The name itself, and its further spelling where it has one. */
  spellingsOf(name: string): readonly string[];
  /** Headers and query under the names of the contract, in place; before anything reads them. */
  renameRequest(request: FastifyRequest): void;
  /** The headers alone; a second time it changes nothing. */
  renameHeaders(request: IncomingMessage): void;
  /** The body's first level under the names of the contract. */
  renameBody(body: unknown): unknown;
  /** What clients of that spelling look for in an error body, next to what is in it. */
  widenError(error: Readonly<Record<string, unknown>>): Record<string, unknown>;
}
