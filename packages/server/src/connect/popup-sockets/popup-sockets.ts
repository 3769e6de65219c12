import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { MINUTE, reasonOf, SECOND, type SystemContext } from "#foundation";
import { SESSION_LIFE_MS } from "../session.ts";
import { newClientId } from "./client-id.ts";
import { POPUPS } from "./notify-popup.ts";
import { deletePopup, listPopups } from "./store.ts";

export interface PopupLimits {
  /** Open sockets of this process; a further one takes the place of the oldest that no attempt has named. */
  readonly sockets: number;
  /** For an attempt to name the client, in milliseconds. */
  readonly namedWithinMs: number;
  readonly lifeMs: number;
  /** How often the database is asked while notices may be missed; sockets are pinged by a multiple of it. */
  readonly lookEveryMs: number;
}

const limits: PopupLimits = {
  sockets: 4096,
  namedWithinMs: 2 * MINUTE,
  lifeMs: SESSION_LIFE_MS,
  lookEveryMs: SECOND,
};
/** Below the idle time after which common proxies close a connection. */
const TICKS_BETWEEN_PINGS = 30;

const restarted =
  "The server restarts before the authorization has ended. Check whether the account is connected, else try again.";
const tooMany = "The server has too many open authorizations. Try again.";
const tooLate = "The authorization was not completed in time. Try again.";

/** Codes of RFC 6455, 7.4.1. */
const ENDED = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_AGAIN = 1013;

interface Client {
  readonly socket: WebSocket;
  readonly openedAt: number;
  /** An attempt has named it. */
  isNamed: boolean;
  isAlive: boolean;
}

/** Whether a request asks for such a socket; other upgrades are answered as plain requests. */
export function isPopupSocket({ method, url = "", headers }: IncomingMessage): boolean {
  const isRoot = url === "/" || url.startsWith("/?");
  return method === "GET" && isRoot && headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * The WebSocket by which browser clients written for the compatible platform learn how their popup ended: it hands out
 * a client id, which the popup's address names, and passes on one message when that attempt has ended. Clients send
 * nothing.
 */
export function servePopups(
  ctx: SystemContext,
  server: Server,
  stopping: AbortSignal,
  allowed: PopupLimits = limits,
): void {
  const upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: 1024,
  });
  const clients = new PopupClients(ctx, allowed);
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    upgrades.handleUpgrade(request, stream, head, (socket) => {
      clients.welcome(socket).catch((error: unknown) => {
        ctx.log.warn("popups.not_opened", { reason: reasonOf(error) });
        socket.close(TRY_AGAIN);
      });
    });
  });
  stopping.addEventListener("abort", () => clients[Symbol.dispose]());
}

/** The open sockets of this process, oldest first. */
class PopupClients implements Disposable {
  readonly #ctx: SystemContext;
  readonly #limits: PopupLimits;
  readonly #clients = new Map<string, Client>();
  readonly #listening: Disposable;
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;
  #isLooking = false;

  constructor(ctx: SystemContext, allowed: PopupLimits) {
    this.#ctx = ctx;
    this.#limits = allowed;
    this.#listening = ctx.notices.subscribe(POPUPS, (id) => {
      if (id === undefined) void this.#look([...this.#clients.keys()]);
      else if (this.#clients.has(id)) void this.#look([id]);
    });
    this.#timer = setInterval(() => void this.#tick(), allowed.lookEveryMs).unref();
  }

  async welcome(socket: WebSocket): Promise<void> {
    socket.on("error", () => socket.terminate());
    const id = await newClientId(this.#ctx);
    if (socket.readyState !== socket.OPEN) return;
    this.#makeRoom();
    const client = { socket, openedAt: performance.now(), isNamed: false, isAlive: true };
    this.#clients.set(id, client);
    socket.on("close", () => this.#drop(id, ENDED));
    socket.on("message", () => this.#drop(id, POLICY));
    socket.on("pong", () => {
      client.isAlive = true;
    });
    socket.send(JSON.stringify({ message_type: "connection_ack", ws_client_id: id }));
  }

  #makeRoom(): void {
    if (this.#clients.size < this.#limits.sockets) return;
    const [oldest] = this.#clients.keys();
    const [unnamed = oldest] = this.#clients.entries().find(([, { isNamed }]) => !isNamed) ?? [];
    if (unnamed !== undefined) this.#giveUp(unnamed, TRY_AGAIN, tooMany);
  }

  #drop(id: string, code: number): void {
    const client = this.#clients.get(id);
    if (client === undefined) return;
    this.#clients.delete(id);
    client.socket.close(code);
    if (!client.isNamed) return;
    deletePopup(this.#ctx.db, id).catch((error: unknown) => {
      // The daily chore removes what stays.
      this.#ctx.log.warn("popups.not_forgotten", { reason: reasonOf(error) });
    });
  }

  /** Passes on the messages that wait for these clients. */
  async #look(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      for (const { clientId, message } of await listPopups(this.#ctx.db, ids)) {
        const client = this.#clients.get(clientId);
        if (client === undefined) continue;
        client.isNamed = true;
        if (message === null) continue;
        client.socket.send(JSON.stringify(message));
        this.#drop(clientId, ENDED);
      }
    } catch (error) {
      this.#ctx.log.warn("popups.not_read", { reason: reasonOf(error) });
    }
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    const { lifeMs, namedWithinMs } = this.#limits;
    this.#ticks += 1;
    for (const [id, { openedAt, isNamed }] of this.#clients) {
      if (now - openedAt > (isNamed ? lifeMs : namedWithinMs)) this.#giveUp(id, ENDED, tooLate);
    }
    const isRare = this.#ticks % TICKS_BETWEEN_PINGS === 0;
    if (isRare) this.#ping();
    // A notice that was lost, with the connection that brings them, is made up for.
    if (this.#isLooking || (this.#ctx.notices.isListening && !isRare)) return;
    this.#isLooking = true;
    await this.#look([...this.#clients.keys()]);
    this.#isLooking = false;
  }

  #ping(): void {
    for (const client of this.#clients.values()) {
      if (!client.isAlive) client.socket.terminate();
      client.isAlive = false;
      client.socket.ping();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#listening[Symbol.dispose]();
    for (const id of [...this.#clients.keys()]) this.#giveUp(id, GOING_AWAY, restarted);
  }

  /** These clients do not look at how a socket ends: without a message they would wait for ever. */
  #giveUp(id: string, code: number, reason: string): void {
    const error = { message_type: "error", error_type: "unknown_err", error_desc: reason };
    this.#clients.get(id)?.socket.send(JSON.stringify(error));
    this.#drop(id, code);
  }
}
