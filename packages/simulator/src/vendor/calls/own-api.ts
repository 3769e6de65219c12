import type { Received } from "../exchange/received.ts";
import { type Reply, replyJson } from "../exchange/write-answer.ts";

/** A call whose credentials the simulator has found right. */
export interface VendorCall {
  readonly method: string;
  /** Path below the entry's base URL. */
  readonly path: string;
  /** Without parameters that carry credentials. */
  readonly query: URLSearchParams;
  readonly headers: Received["headers"];
  readonly body: string;
  /** The vendor's own address of the call, for links to other pages. */
  readonly url: string;
}

export interface VendorAnswer {
  /** 200 unless set. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes go out as they are, everything else as JSON; undefined is no body. */
  readonly body?: unknown;
}

/** Answers calls of one vendor's API; undefined for what the simulator's sample data shall answer. */
export type VendorApi = (
  call: VendorCall,
) => VendorAnswer | undefined | Promise<VendorAnswer | undefined>;

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What the API of a function project's own answers; undefined where it has nothing for the call. */
export async function answerOwnApi(
  { api }: { readonly api: VendorApi | undefined },
  received: Received,
  { path, query }: Asked,
): Promise<Reply | undefined> {
  const { method, headers, body, host, search } = received;
  const url = `https://${host}${received.path}${search === "" ? "" : `?${search}`}`;
  const answer = await api?.({ method, path, query, headers, body, url });
  return answer && toReply(answer);
}

function toReply({ status = 200, headers = {}, body }: VendorAnswer): Reply {
  if (body instanceof Uint8Array) return { status, headers, body };
  if (body === undefined) return { status, headers, body: "" };
  return replyJson(body, status, headers);
}
