import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { readXml } from "./read-xml.ts";

/** A request as the vendor sees it: under the vendor's own name. */
export interface Received {
  readonly method: string;
  readonly host: string;
  /** Path as received, without the query. */
  readonly path: string;
  readonly search: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** SHA-256 of the client's certificate, in colon-separated hex; undefined where it showed none. */
  readonly certificate: string | undefined;
  /** Whether it came from a browser, which cannot name the vendor's host by itself. */
  readonly isBrowser: boolean;
}

/** What a vendor finds wrong with a request; named by the stage of a connection's life. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly stage: Stage;
  readonly status: number;
  /** Of a token endpoint (RFC 6749, section 5.2). */
  readonly code: "invalid_grant" | "invalid_client" | undefined;

  constructor(stage: Stage, message: string, status = 400, code?: Refusal["code"]) {
    super(message);
    this.stage = stage;
    this.status = status;
    this.code = code;
  }
}

export type Stage =
  | "register"
  | "authorize"
  | "token"
  | "refresh"
  | "revoke"
  | "verify"
  | "after_connect"
  | "identity"
  | "call";

const BROWSER_PATH = /^\/\.vendor\/([^/]+)(\/.*)?$/;

export function toReceived(request: IncomingMessage, body: string): Received {
  const url = request.url ?? "/";
  const [full = "/", ...rest] = url.split("?");
  const search = rest.join("?");
  const fromBrowser = BROWSER_PATH.exec(full);
  const certificate =
    request.socket instanceof TLSSocket
      ? request.socket.getPeerCertificate().fingerprint256
      : undefined;
  return {
    method: request.method ?? "GET",
    host: fromBrowser?.[1] ?? request.headers.host ?? "",
    path: fromBrowser === null ? full : (fromBrowser[2] ?? "/"),
    search,
    query: new URLSearchParams(search),
    headers: request.headers,
    body,
    certificate,
    isBrowser: fromBrowser !== null,
  };
}

/** Host and path, as addresses of an entry are compared. */
export function placeOf({ host, path }: Pick<Received, "host" | "path">): string {
  return `https://${host}${path}`;
}

/** Host and path of an address of the entry. */
export function toPlace(url: string): string {
  const { host, pathname } = new URL(url);
  return `https://${host}${pathname}`;
}

/** The fields of a body by its content type, or of the query where the vendor reads that. */
export function readFields(received: Received, format: string): Record<string, unknown> {
  if (received.method === "GET" || format === "query") return Object.fromEntries(received.query);
  const type = received.headers["content-type"] ?? "";
  switch (format) {
    case "json":
      return type.startsWith("application/json") ? parseJson(received.body) : {};
    case "xml":
      return type.startsWith("application/xml") ? readXml(received.body) : {};
    case "none":
      return {};
    default:
      return type.startsWith("application/x-www-form-urlencoded")
        ? Object.fromEntries(new URLSearchParams(received.body))
        : {};
  }
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Whether a secret of the vendor's is anywhere in the request. */
export function holds({ search, body, headers }: Received, secret: string | undefined): boolean {
  if (secret === undefined || secret === "") return false;
  const texts = [search, body, ...Object.values(headers).flat(), readBasic(headers.authorization)];
  return texts.some(
    (text) =>
      text?.includes(secret) === true || text?.includes(encodeURIComponent(secret)) === true,
  );
}

/** User and password of a Basic header (RFC 7617): some vendors want the token there. */
function readBasic(header: string | undefined): string | undefined {
  const text = /^Basic (.+)$/i.exec(header ?? "")?.[1];
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}
