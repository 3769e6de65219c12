import type { CDPSession, Browser as Chrome, Page } from "playwright-core";
import type { PlatformProcess } from "../../../tests/launcher/platform-process.ts";
import type { OwnerSession } from "./owner-session.ts";

export interface Subject {
  readonly chrome: Chrome;
  /** The owner's session. */
  readonly owner: OwnerSession;
  readonly server: PlatformProcess;
  readonly database: { readonly url: string; readonly processId: number };
  /** Data folder of the server. */
  readonly dataDir: string;
  /** Of a call through the proxy. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Window extends AsyncDisposable {
  readonly page: Page;
  readonly session: CDPSession;
  readonly address: string;
}

/** A window without anything in its cache, in which the owner has signed in. */
export async function openWindow({
  chrome,
  owner,
  server,
}: Pick<Subject, "chrome" | "owner"> & { server: { readonly url: string } }): Promise<Window> {
  const origin = server.url.replace("127.0.0.1", "localhost");
  const context = await chrome.newContext({ viewport: { width: 1440, height: 900 } });
  const cookies = owner.cookies.map(([name, value]) => {
    return { name, value, url: origin, sameSite: "Strict" as const };
  });
  await context.addCookies(cookies);
  const page = await context.newPage();
  return {
    page,
    session: await context.newCDPSession(page),
    address: `${origin}/dashboard`,
    [Symbol.asyncDispose]: async () => await context.close(),
  };
}

/** What is in use once what nobody needs has gone, in MB. */
export async function heapMbOf({ session }: Window): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}

/** By the debugger: the page's policy lets no text become code. */
export async function evaluate(window: Window, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await window.session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
  return result.value;
}

/** Counts the times between frames from now on. */
export const watchFrames = `
  (() => { let last = performance.now(); const tick = () => { const now = performance.now(); window.frameTimes.push(now - last); last = now; requestAnimationFrame(tick); }; window.frameTimes = []; requestAnimationFrame(tick); })()
`;

export function shareOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

export function numbersOf(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}
