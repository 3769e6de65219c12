import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { type InboundRequest, UnreadableWebhook } from "../match/router.ts";

/**
 * Largest body of a webhook, before and after its content coding: GitHub and Jira send up to 25 MB, and no vendor that
 * tells of a limit sends more.
 */
export const MAX_BODY_BYTES: number = 25 * 1024 * 1024;
/** Of a request that nothing proves: anyone who knows the address can send it. */
export const MAX_UNPROVEN_BYTES: number = 2 * 1024 * 1024;

const LENGTH_BYTES = 4;

/** The request as bytes, in parts: length of the head, the head as JSON, the body as received. */
export function packRequest({ body, ...head }: InboundRequest): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.byteLength);
  return [length, text, body];
}

export function unpackRequest(bytes: Buffer): InboundRequest {
  const end = LENGTH_BYTES + bytes.readUInt32BE();
  const head = asHead(JSON.parse(bytes.toString("utf8", LENGTH_BYTES, end)));
  return { ...head, body: bytes.subarray(end) };
}

// Authenticated encryption: what opens is what packRequest made.
function asHead(value: unknown): Omit<InboundRequest, "body"> {
  return value as Omit<InboundRequest, "body">;
}

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

// Anybody can ask for this work before the signature is checked.
const MAX_CODINGS = 2;

/** The request with its content unchanged a content coding; throws for one that cannot be undone. */
export async function decodeContent(request: InboundRequest): Promise<InboundRequest> {
  const names = (request.headers["content-encoding"] ?? "").toLowerCase().split(",");
  const codings = names.map((name) => name.trim()).filter((name) => !/^(identity)?$/.test(name));
  if (codings.length === 0) return request;
  if (codings.length > MAX_CODINGS) {
    throw new UnreadableWebhook(`the body has more than ${MAX_CODINGS} content codings`);
  }
  let { body } = request;
  for (const coding of codings.toReversed()) {
    const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (decode === undefined) throw new UnreadableWebhook(`the coding ${coding} is not known`);
    try {
      body = await decode(body, { maxOutputLength: MAX_BODY_BYTES });
    } catch {
      throw new UnreadableWebhook(`the body is not ${coding}, or too large without it`);
    }
  }
  return { ...request, body };
}
