import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { SignatureV4 } from "@smithy/signature-v4";

export const bucketKeys = {
  accessKeyId: "AKIDEXAMPLEFORBUCKETS",
  secretAccessKey: "a-secret+of/the-bucket=0123456789",
};

/** A bucket `records` on loopback, which takes objects whose signature Amazon's own library makes, too. */
export interface TestBucket extends AsyncDisposable {
  readonly endpoint: string;
  /** By name. */
  readonly objects: Map<string, Buffer>;
  /** Names in the order in which they were put, with those that were put again. */
  readonly puts: string[];
  /** Takes objects, but the answers are lost. */
  isMute: boolean;
  /** Answers instead of the bucket, while it is set. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/** With a certificate it speaks TLS. */
export async function startTestBucket(
  tls?: Readonly<Record<"cert" | "key", string>>,
): Promise<TestBucket> {
  const objects = new Map<string, Buffer>();
  const puts: string[] = [];
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    if (bucket.answer !== undefined) bucket.answer(request, response);
    else void put(request, response);
  };
  const put = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request).catch(() => undefined);
    // The client has gone.
    if (body === undefined) return;
    const name = /^\/records\/([^?]+)$/.exec(request.url ?? "")?.[1];
    if (request.method !== "PUT" || name === undefined) {
      return refuse(response, 404, "NoSuchBucket");
    }
    if (!(await isSigned(request, body))) return refuse(response, 403, "SignatureDoesNotMatch");
    objects.set(decodeURIComponent(name), body);
    puts.push(decodeURIComponent(name));
    if (bucket.isMute) return void response.destroy();
    response.writeHead(200, { etag: '"0"' }).end();
  };
  const server = tls === undefined ? createHttpServer(listen) : createHttpsServer(tls, listen);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port of TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const bucket: TestBucket = {
    endpoint: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    objects,
    puts,
    isMute: false,
    answer: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return bucket;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused by the test.</Message></Error>`;
  response.writeHead(status, { "content-type": "application/xml" }).end(xml);
}

async function isSigned(request: IncomingMessage, body: Buffer): Promise<boolean> {
  const given = String(request.headers.authorization);
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(";") ?? [];
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name))) {
    return false;
  }
  if (request.headers["x-amz-content-sha256"] !== createHash("sha256").update(body).digest("hex")) {
    return false;
  }
  const signer = new SignatureV4({
    credentials: bucketKeys,
    region: "eu-central-1",
    service: "s3",
    sha256: Sha256,
    uriEscapePath: false,
  });
  const time = String(request.headers["x-amz-date"]);
  const signed = await signer.sign(
    {
      method: String(request.method),
      protocol: "https:",
      hostname: String(request.headers.host),
      path: String(request.url),
      query: {},
      headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name])])),
      body,
    },
    {
      signingDate: new Date(
        time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
      ),
    },
  );
  return signed.headers["authorization"] === given;
}

/** What the library asks for: SHA-256, or its HMAC. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined ? createHash("sha256") : createHmac("sha256", toBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }

  reset(): void {}
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  if (ArrayBuffer.isView(data))
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}
