import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { AppError, type Logger, reasonOf, serverState } from "#foundation";
import type { Simulator, StartSimulator } from "./simulator.ts";

interface HostOptions {
  /** Undefined where there is none, or none may run. */
  readonly start: StartSimulator | undefined;
  readonly dataDir: string;
  /** What egress may reach besides: the simulator's origin while it runs. */
  readonly origins: Set<string>;
  readonly log: Logger;
}

const kept = z.object({ port: z.number().int(), memory: z.string() });

/** The simulator of one server: started when somebody first asks for it, and from then on with the server. */
export class SimulatorHost implements AsyncDisposable {
  readonly #options: HostOptions;
  #running: Promise<Simulator> | undefined;
  #simulator: Simulator | undefined;

  private constructor(options: HostOptions) {
    this.#options = options;
  }

  /** With the simulator at its old port where one ran before, since integrations have that address. */
  static async open(options: HostOptions): Promise<SimulatorHost> {
    const host = new SimulatorHost(options);
    if (options.start === undefined) return host;
    const before = await readKept(options.dataDir);
    if (before === undefined) return host;
    try {
      await host.#start(options.start, before);
    } catch (error) {
      options.log.warn("simulator.not_started", { port: before.port, message: reasonOf(error) });
    }
    return host;
  }

  get isAvailable(): boolean {
    return this.#options.start !== undefined;
  }

  find(): Simulator | undefined {
    return this.#simulator;
  }

  /** Throws not_found where there is none. */
  async start(): Promise<Simulator> {
    const { start } = this.#options;
    if (start === undefined) throw unavailable();
    this.#running ??= this.#start(start, {}).catch((error: unknown) => {
      this.#running = undefined;
      throw error;
    });
    return await this.#running;
  }

  async #start(
    start: StartSimulator,
    given: { readonly port?: number; readonly memory?: string },
  ): Promise<Simulator> {
    const simulator = await start(given);
    this.#simulator = simulator;
    this.#running = Promise.resolve(simulator);
    this.#options.origins.add(simulator.origin);
    await this.#keep(simulator);
    return simulator;
  }

  async #keep(simulator: Simulator): Promise<void> {
    const port = Number(new URL(simulator.origin).port);
    const text = JSON.stringify({ port, memory: simulator.remember() });
    await writeFile(fileOf(this.#options.dataDir), text, { mode: 0o600 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const simulator = this.#simulator;
    if (simulator === undefined) return;
    await this.#keep(simulator);
    await simulator[Symbol.asyncDispose]();
  }
}

function unavailable(): AppError {
  return new AppError(
    "not_found",
    "This server plays no provider. It does where @jackfield/simulator is installed, SVC_SIMULATOR is not off, and the server is one process that only this machine reaches.",
  );
}

async function readKept(dataDir: string): Promise<z.output<typeof kept> | undefined> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return kept.parse(JSON.parse(text));
  } catch {
    // A file that was cut off at a crash: as if it were not there.
    return undefined;
  }
}

function fileOf(dataDir: string): string {
  return join(dataDir, "simulator.json");
}

/** Set at the start of the server. */
export const simulatorHost = serverState<Pick<SimulatorHost, "isAvailable" | "find" | "start">>(
  () => ({
    isAvailable: false,
    find: () => undefined,
    start: async () => await Promise.reject(unavailable()),
  }),
);
