import type { DevChoice, DevRun, DevState } from "@jackfield/contract";
import { queryOptions } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const RETRY_MS = 1000;
/** It stays in the address, so that the page can be loaded again; no request sends it. */
const token = window.location.hash.slice(1);

/** Calls the command that serves this page; throws an Error with what it says. */
async function callDev(
  path: string,
  { body, method = "GET" }: { body?: unknown; method?: "GET" | "POST" } = {},
): Promise<unknown> {
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(String(Object(answer).message));
  return answer;
}

/** A run never changes. */
export function devRunQuery(id: string) {
  return queryOptions({
    queryKey: ["dev-run", id],
    queryFn: async () => toRun(await callDev(`/runs/${encodeURIComponent(id)}`)),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function devConnectionsQuery(integration: string) {
  return queryOptions({
    queryKey: ["dev-connections", integration],
    queryFn: async () => {
      const found = await callDev(`/connections?integration=${encodeURIComponent(integration)}`);
      return Array.isArray(found) ? found.map(String) : [];
    },
  });
}

export async function runChoice(choice: DevChoice): Promise<void> {
  await callDev("/choice", { method: "POST", body: choice });
}

export async function stopRun(): Promise<void> {
  await callDev("/stop", { method: "POST" });
}

/** Path of the recording that it was kept in. */
export async function saveRun(id: string): Promise<string> {
  const path = `/runs/${encodeURIComponent(id)}/recording`;
  return String(Object(await callDev(path, { method: "POST" })).file);
}

export type DevLink = "open" | "lost" | "refused";

/** What the command says, as it changes. */
export function useDevState(): { readonly state: DevState | undefined; readonly link: DevLink } {
  const [state, setState] = useState<DevState>();
  const [link, setLink] = useState<DevLink>("open");
  useEffect(() => {
    const leaving = new AbortController();
    void follow(leaving.signal, setState, setLink);
    return () => leaving.abort();
  }, []);
  return { state, link };
}

async function follow(
  signal: AbortSignal,
  onState: (state: DevState) => void,
  onLink: (link: DevLink) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch("/state", {
        headers: { authorization: `Bearer ${token}` },
        signal,
      });
      if (response.status === 401) {
        onLink("refused");
        return;
      }
      onLink("open");
      await readLines(response, (line) => onState(toState(JSON.parse(line))));
    } catch {
      // The command has ended, or starts again at the same port.
    }
    if (signal.aborted) return;
    onLink("lost");
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readLines(response: Response, onLine: (line: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    const lines = `${rest}${part.value}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
}

/** The command that serves this page is of the same release, and so are the shapes that it sends. */
function toState(value: unknown): DevState {
  return value as DevState;
}

function toRun(value: unknown): DevRun {
  return value as DevRun;
}
