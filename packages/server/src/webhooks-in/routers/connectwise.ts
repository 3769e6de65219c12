import { createHash, createHmac } from "node:crypto";
import type { InboundRequest, Router } from "../match/router.ts";
import {
  at,
  isObject,
  isSame,
  matches,
  readJson,
  readObject,
  singleEvent,
  texts,
} from "../match/router-kit.ts";

/** Hosts of the vendor that may name a signing key. */
const KEY_HOST = /(^|\.)(myconnectwise\.net|connectwisedev\.com|connectwise\.com)$/;

function keyAddress(request: InboundRequest): string | undefined {
  const [address] = texts(at(readObject(request), "Metadata", "key_url"));
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" && KEY_HOST.test(hostname) ? address : undefined;
}

/** The key is fetched from the vendor. Source: ConnectWise docs, "Callbacks", "Verifying a callback". */
export const connectwise: Router = {
  proof: {
    required: true,
    secret: () => "",
    isSigned: ({ headers }) => "x-content-signature" in headers,
    isGenuine: async (request, _secret, { fetchText }) => {
      const address = keyAddress(request);
      if (address === undefined) return false;
      const answer = readJson({ ...request, body: Buffer.from(await fetchText(address)) });
      const [text] = isObject(answer) ? texts(answer["signing_key"]) : [];
      if (text === undefined) return false;
      const key = createHash("sha256").update(text).digest();
      const signature = createHmac("sha256", key).update(request.body).digest("base64");
      return isSame(signature, request.headers["x-content-signature"] ?? "");
    },
  },
  read: singleEvent((body) => ({
    types: texts(body["Type"]),
    match: matches(
      ["metadata.productInstanceId", body["ProductInstanceId"]],
      ["metadata.ProductInstanceId", body["ProductInstanceId"]],
    ),
  })),
};
