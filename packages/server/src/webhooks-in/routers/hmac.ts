import { type InboundRequest, type Router, UnreadableWebhook } from "../match/router.ts";
import {
  hmacProof,
  isObject,
  matches,
  ownHeader,
  readJson,
  secondsIn,
  texts,
  valueAt,
} from "../match/router-kit.ts";

/** How a provider without a router of its own signs and what its events say, as data of its entry. */
export interface HmacRouting {
  /** Lower case. */
  readonly header: string;
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly encoding: "hex" | "base64";
  /** Comes before the signature, like `sha256=`. */
  readonly prefix?: string | undefined;
  /** What is signed: `{body}`, `{timestamp}`, `{url}`, `{method}` and text between them. */
  readonly signed?: string | undefined;
  /** Header with the time, in seconds since the epoch. */
  readonly timestamp_header?: string | undefined;
  readonly tolerance_seconds?: number | undefined;
  /** Which secret; that of the integration's webhooks where it is left out. */
  readonly secret?: "webhook" | "client" | undefined;
  readonly required?: boolean | undefined;
  /** `header:<name>`, `query:<name>`, or a path of names in the body with dots between them. */
  readonly type?: string | undefined;
  readonly event_id?: string | undefined;
  /** In order: where the event names the account, and what of the connection has to equal it. */
  readonly match?:
    | readonly {
        readonly value: string;
        readonly property: `config.${string}` | `metadata.${string}` | "connectionId";
      }[]
    | undefined;
}

/** The router that an entry's data describes. */
export function hmacRouter(routing: HmacRouting): Router {
  const { header, algorithm, encoding, prefix, secret, timestamp_header, tolerance_seconds } =
    routing;
  const properties = (routing.match ?? []).map(({ property }) => property);
  return {
    matchesOn: properties.flatMap((name) => (name.startsWith("config.") ? [name.slice(7)] : [])),
    proof: hmacProof({
      header,
      algorithm,
      encoding,
      ...(prefix !== undefined && { prefix }),
      ...(routing.required === true && { required: true as const }),
      ...(secret === "client" && { secret: ({ clientSecret }) => clientSecret }),
      ...(timestamp_header !== undefined && { sentAt: secondsIn(timestamp_header) }),
      ...(tolerance_seconds !== undefined && { toleranceMs: tolerance_seconds * 1000 }),
      signed: (request) => fill(routing.signed ?? "{body}", request, timestamp_header),
    }),
    read: (request) => {
      const payload = readJson(request);
      if (!isObject(payload)) throw new UnreadableWebhook("the body has to be a JSON object");
      const value = (place: string | undefined) => place && valueAt(place, { request, payload });
      return [
        {
          payload,
          types: texts(value(routing.type)),
          id: texts(value(routing.event_id))[0],
          match: (routing.match ?? []).flatMap((each) =>
            matches([each.property, value(each.value)]),
          ),
        },
      ];
    },
  };
}

function fill(
  template: string,
  request: InboundRequest,
  timestampHeader: string | undefined,
): Buffer | undefined {
  const { url, method, body } = request;
  const time = timestampHeader === undefined ? "" : ownHeader(request, timestampHeader);
  if (time === undefined) return undefined;
  const values: Readonly<Record<string, string | Buffer>> = { body, url, method, timestamp: time };
  const parts = template.split(/(\{(?:body|timestamp|url|method)\})/);
  // The places stand at every second part.
  const filled = parts.map((part, at) => (at % 2 === 1 ? values[part.slice(1, -1)] : undefined));
  return Buffer.concat(parts.map((part, at) => Buffer.from(filled[at] ?? part)));
}
