import type { Answer, ReceivedRequest, TokenServer } from "./token-server.ts";

/** A request as a server that insists on its form reads it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** User and password of HTTP Basic. */
  readonly basic: string | undefined;
}

/** One oddity of a provider: what its entry says, what its server demands, and what comes of it. */
export interface Quirk {
  readonly name: string;
  /** `ORIGIN` in any text stands for the server. */
  /** Given next to the site, and what the connection held before. */
  readonly config?: Readonly<Record<string, string>>;
  readonly kept?: Readonly<Record<string, string>>;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly step: "connect" | "refresh";
  readonly client?: Readonly<Record<string, string>>;
  readonly credentials?: Readonly<Record<string, unknown>>;
  readonly callback?: Readonly<Record<string, string>>;
  /** Compared with the requests, in their order; each is compared only in the parts named. */
  readonly demands: readonly Partial<SeenRequest>[];
  /** Parameters that must not be there, in any request. */
  readonly forbidden?: readonly string[];
  readonly answers: readonly (Answer | Readonly<Record<string, unknown>>)[];
  readonly credentialsAfter?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: string;
  readonly configAfter?: Readonly<Record<string, string>>;
  readonly failure?: Readonly<Record<string, unknown>>;
}

/** Makes the server answer as the quirk has it; what it saw is returned as it comes. */
export function insistOn(server: TokenServer, quirk: Quirk): SeenRequest[] {
  const seen: SeenRequest[] = [];
  server.respond = (request) => {
    const answer = quirk.answers[seen.length] ?? quirk.answers.at(-1) ?? {};
    seen.push(toSeen(request));
    return isAnswer(answer) ? answer : { body: JSON.stringify(answer) };
  };
  return seen;
}

function isAnswer(answer: Answer | Readonly<Record<string, unknown>>): answer is Answer {
  return ["body", "status", "reset"].some((name) => Object.hasOwn(answer, name));
}

function toSeen({ method = "", url = "", headers = {}, body }: ReceivedRequest): SeenRequest {
  const { pathname, searchParams } = new URL(url, "http://server");
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1];
  return {
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    form: Object.fromEntries(new URLSearchParams(body.startsWith("{") ? "" : body)),
    json: parseJson(body),
    body,
    basic: basic === undefined ? undefined : Buffer.from(basic, "base64").toString(),
  };
}

function parseJson(body: string): Record<string, unknown> {
  return body.startsWith("{") ? JSON.parse(body) : {};
}
