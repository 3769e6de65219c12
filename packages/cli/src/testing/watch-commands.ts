import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { createProgram } from "../program.ts";

/** What commands of a test ask of a server, and print. */
export interface WatchedCommands {
  /** Bodies of the next answers; 204 once there is none left. */
  answers: object[];
  /** Methods and paths. */
  readonly asked: readonly string[];
  readonly printed: string;
  /** Runs a command in this process. */
  run(...args: string[]): Promise<void>;
}

/** A server that answers as the test says; each test of the file begins with nothing asked and nothing printed. */
export function watchCommands(): WatchedCommands {
  const watched = {
    answers: [] as object[],
    asked: [] as string[],
    printed: "",
    run: async (...args: string[]) =>
      void (await (await createProgram(args)).parseAsync(args, { from: "user" })),
  };
  const server = createServer((request, response) => {
    watched.asked.push(`${request.method} ${request.url}`);
    const answer = watched.answers.shift();
    if (answer === undefined) {
      response.writeHead(204).end();
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    Object.assign(watched, { answers: [], asked: [], printed: "" });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    vi.stubEnv("SVC_HOSTPORT", `http://127.0.0.1:${address.port}`);
    vi.stubEnv("SVC_SECRET_KEY_DEV", "key-of-dev");
    vi.spyOn(console, "log").mockImplementation((text) => {
      watched.printed += `${text}\n`;
    });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  return watched;
}
