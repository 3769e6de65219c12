import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** A connection at the other platform, which refreshes its tokens. */
export interface OldRow {
  readonly key: string;
  readonly id: string;
  accessToken: string;
  refreshToken: string | undefined;
  expiresAt: Date | undefined;
  readonly more: Readonly<Record<string, unknown>>;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: Date;
}

/** The other platform's API, as far as it is called; it refreshes 15 min before the end, as such platforms do. */
export interface FakeOldPlatform extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly rows: Map<string, OldRow>;
  /** Method and path of each call, in order. */
  readonly calls: string[];
  add(row: Omit<OldRow, "more"> & { readonly more?: OldRow["more"] }): void;
  /** As something that uses the connection there has it refreshed. */
  refreshNow(key: string, id: string): Promise<void>;
  /** Answers each call in place of the platform; undefined: as usual. `hang` never answers. */
  answer: { readonly status: number; readonly body?: object } | "hang" | undefined;
  /** Answers deletions in place of the platform. */
  deletion: { readonly status: number; readonly body?: object } | undefined;
  /** Runs before each call is answered. */
  before: (call: string) => Promise<void>;
}

const MARGIN_MS = 15 * 60_000;

export async function startFakeOldPlatform(options: {
  readonly now: () => Date;
  readonly refresh: (row: OldRow) => Promise<Tokens>;
  /** Of integrations of a server like this one. */
  readonly settings?: object | undefined;
}): Promise<FakeOldPlatform> {
  const rows = new Map<string, OldRow>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const fake: FakeOldPlatform = {
    ...{ url: `http://127.0.0.1:${port}`, key: "old-platform-key-7f31", rows, calls: [] },
    ...{ answer: undefined, deletion: undefined, before: async () => {} },
    add: (row) => void rows.set(nameOf(row.key, row.id), { more: {}, ...row }),
    refreshNow: async (key, id) => await renew(rows.get(nameOf(key, id))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return fake;

  async function renew(row: OldRow | undefined): Promise<void> {
    if (row?.refreshToken === undefined) return;
    Object.assign(row, await options.refresh(row));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", fake.url);
    const method = request.method ?? "";
    fake.calls.push(`${method} ${pathname}`);
    await fake.before(`${method} ${pathname}`);
    const send = (status: number, body: object) =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    const { answer } = fake;
    if (answer === "hang") return;
    if (answer !== undefined) return send(answer.status, answer.body ?? {});
    if (request.headers.authorization !== `Bearer ${fake.key}`) {
      return send(401, { error: { code: "unknown_account" } });
    }
    const [, collection = "", id] = pathname.split("/").map(decodeURIComponent);
    if (collection === "integrations") {
      return send(200, { data: { unique_key: id, settings: options.settings } });
    }
    if (method === "POST") {
      const body = asImport(await json(request));
      const { credentials, provider_config_key: key, connection_id: connectionId } = body;
      rows.set(nameOf(key, connectionId), {
        ...{ key, id: connectionId, accessToken: credentials.access_token },
        refreshToken: credentials.refresh_token,
        expiresAt:
          credentials.expires_at === undefined ? undefined : new Date(credentials.expires_at),
        more: { metadata: body.metadata, tags: body.tags },
      });
      return send(201, { ...body, provider: "p" });
    }
    if (id === undefined) {
      const name = nameOf(
        searchParams.get("integrationId") ?? "",
        searchParams.get("connectionId") ?? "",
      );
      const found = rows.get(name);
      return send(200, { connections: found === undefined ? [] : [{ connection_id: found.id }] });
    }
    const name = nameOf(searchParams.get("provider_config_key") ?? "", id);
    const row = rows.get(name);
    if (row === undefined) return send(404, { error: { code: "not_found" } });
    if (method === "DELETE") {
      if (fake.deletion !== undefined) return send(fake.deletion.status, fake.deletion.body ?? {});
      rows.delete(name);
      return send(200, { success: true });
    }
    const isDue = (row.expiresAt?.getTime() ?? Infinity) < options.now().getTime() + MARGIN_MS;
    if (isDue || searchParams.get("force_refresh") === "true") await renew(row);
    const withRefreshToken = searchParams.get("refresh_token") === "true";
    send(200, {
      ...{ connection_id: row.id, provider_config_key: row.key, provider: "p", ...row.more },
      credentials: {
        type: "OAUTH2",
        access_token: row.accessToken,
        ...(withRefreshToken ? { refresh_token: row.refreshToken } : {}),
        expires_at: row.expiresAt?.toISOString() ?? null,
        raw: { access_token: row.accessToken },
      },
    });
  }
}

function nameOf(key: string, id: string): string {
  return `${key}/${id}`;
}

interface Import {
  readonly provider_config_key: string;
  readonly connection_id: string;
  readonly credentials: {
    readonly access_token: string;
    readonly refresh_token?: string;
    readonly expires_at?: string;
  };
  readonly metadata?: object;
  readonly tags?: object;
}

// What the server under test sends; a test that looks at it fails where it is anything else.
function asImport(body: unknown): Import {
  return body as Import;
}
