import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from "jose";

/** An API that takes one bound token, with a proof over a nonce of its own for each call (RFC 9449). */
export interface BoundResource extends AsyncDisposable {
  readonly origin: string;
  /** What was answered, as method, path with query, bytes of the body, and status. */
  readonly answered: string[];
  /** How far its clock is ahead, in milliseconds. */
  aheadMs: number;
  /** No nonce that it gave before counts any more. */
  forgetNonces(): void;
}

export async function startBoundResource(bound: {
  readonly token: string;
  readonly key: JWK;
}): Promise<BoundResource> {
  const thumbprint = await calculateJwkThumbprint(bound.key);
  const seen = new Set<string>();
  let nonce = randomUUID();
  const answered: string[] = [];

  /** Why the call is refused; undefined where it is not. */
  async function check(request: IncomingMessage): Promise<string | undefined> {
    const { authorization, dpop } = request.headers;
    if (authorization !== `DPoP ${bound.token}`) return "invalid_token";
    const { payload, protectedHeader } = await jwtVerify(String(dpop), EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: ["ES256"],
      currentDate: new Date(Date.now() + state.aheadMs),
      maxTokenAge: "60s",
    });
    const jwk = protectedHeader.jwk;
    if (jwk === undefined || (await calculateJwkThumbprint(jwk)) !== thumbprint)
      return "invalid_token";
    if (payload["nonce"] !== nonce) return "use_dpop_nonce";
    const ath = createHash("sha256").update(bound.token).digest("base64url");
    const [path] = (request.url ?? "").split("?");
    const isFor =
      payload["htm"] === request.method &&
      payload["htu"] === `${state.origin}${path}` &&
      payload["ath"] === ath;
    const isNew = payload.jti !== undefined && !seen.has(payload.jti);
    seen.add(payload.jti ?? "");
    return isFor && isNew ? undefined : "invalid_dpop_proof";
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = await check(request).catch(() => "invalid_dpop_proof");
    const body = await buffer(request);
    // Each nonce is for one call.
    if (fault === undefined) nonce = randomUUID();
    const status = fault === undefined ? 200 : 401;
    answered.push(`${request.method} ${request.url} ${body.length} ${status}`);
    response.sendDate = false;
    response.setHeader("date", new Date(Date.now() + state.aheadMs).toUTCString());
    response.setHeader("dpop-nonce", nonce);
    if (fault !== undefined) response.setHeader("www-authenticate", `DPoP error="${fault}"`);
    response.writeHead(status).end(fault ?? `${body.length} bytes`);
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const state = {
    origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    answered,
    aheadMs: 0,
    forgetNonces() {
      nonce = randomUUID();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}
