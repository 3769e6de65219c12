import { randomUUID } from "node:crypto";
import { readConfig, type StartOptions, startServer } from "@jackfield/server";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
  readonly body: any;
}

export interface BrowserCall {
  readonly body?: unknown;
  /** Added to what the page of the dashboard sends, or in its place; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Name or id of the environment that the call is about. */
  readonly environment?: string | undefined;
}

/** A browser in which the dashboard is open: it keeps cookies, and says where its calls come from. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  csrf: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  async call(method: string, path: string, call: BrowserCall = {}): Promise<BrowserAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent: Record<string, string | undefined> = {
      "sec-fetch-site": "same-origin",
      cookie: cookie === "" ? undefined : cookie,
      "svc-csrf": this.csrf,
      "svc-environment": call.environment,
      "content-type": call.body === undefined ? undefined : "application/json",
      ...call.headers,
    };
    const given = Object.entries(sent).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: "manual",
      headers: given,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    this.#keepCookies(response.headers.getSetCookie());
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const body = isJson && text !== "" ? JSON.parse(text) : undefined;
    const token: unknown = body?.data?.csrf_token;
    if (typeof token === "string") this.csrf = token;
    return { status: response.status, headers: response.headers, text, body };
  }

  #keepCookies(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

export interface Joined {
  readonly id: string;
  readonly email: string;
  readonly browser: Browser;
}

/** A server of this process on a database of its own, with nobody in it. */
export interface PeopleUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly database: Awaited<ReturnType<typeof createServerDatabase>>;
  readonly setupToken: string;
  readonly keys: { readonly dev: string; readonly prod: string; readonly account: string };
  browser(): Browser;
  /** A browser in which the first owner has signed in. */
  owner(): Promise<Browser>;
  readonly ownerPassword: string;
  /** Somebody whom the owner has invited, who has chosen a password where one is given. */
  join(role: string, given?: { readonly password?: string }): Promise<Joined>;
}

export const OWNER = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  password: "engines weave algebra",
} as const;

export async function startPeople(
  env: Readonly<Record<string, string>> = {},
  { clock }: Pick<StartOptions, "clock"> = {},
): Promise<PeopleUnderTest> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createServerDatabase());
  const folder = stack.use(await makeDataFolder());
  const { config, problems } = readConfig({
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_URL: database.connectionString,
    SVC_DATABASE_POOLED: "false",
    SVC_PORT: "0",
    SVC_LOG_LEVEL: "silent",
    SVC_EGRESS_ALLOW: "127.0.0.1/32",
    ...env,
  });
  if (config === undefined) throw new Error(problems.join("\n"));
  const server = stack.use(await startServer({ config, ...(clock && { clock }) }));
  const { newKeys: keys } = server;
  if (keys === undefined) throw new Error("this database has an installation already");
  const running = stack.move();
  const setupToken = server.setupLink?.reveal().split("#")[1] ?? "";
  let claimed = false;
  const signInOwner = async () => {
    const browser = new Browser(server.url);
    const { email, password } = OWNER;
    const answer = claimed
      ? await browser.call("POST", "/auth/password", { body: { email, password } })
      : await browser.call("POST", "/auth/setup", { body: { token: setupToken, ...OWNER } });
    if (answer.status !== 200) throw new Error(answer.text);
    claimed = true;
    return browser;
  };
  return {
    url: server.url,
    database,
    setupToken,
    keys,
    ownerPassword: OWNER.password,
    browser: () => new Browser(server.url),
    owner: signInOwner,
    async join(role, given = {}) {
      const inviter = await signInOwner();
      const email = `${randomUUID()}@example.com`;
      const grants = [{ role, environments: "all" }];
      const added = await inviter.call("POST", "/users", { body: { email, name: role, grants } });
      if (added.status !== 200) throw new Error(added.text);
      const token = String(added.body.data.link.url).split("#")[1];
      const browser = new Browser(server.url);
      await browser.call("POST", "/auth/links/redeem", { body: { token, ...given } });
      return { id: String(added.body.data.user.id), email, browser };
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
