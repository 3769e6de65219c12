import { apiAddress } from "./base-path.ts";
import { noteServerTime } from "./server-clock.ts";

let answer: Promise<Response> | undefined;

/** Asks who has signed in while the scripts that need to know are still being loaded. */
export function askWhoIsThere(): void {
  answer = fetch(`${apiAddress}/me`, {
    headers: { accept: "application/json" },
    credentials: "same-origin",
  }).then((response) => {
    noteServerTime(response);
    return response;
  });
  // Who takes the answer finds the error in it.
  answer.catch(() => undefined);
}

/** The answer, for the first call that would ask for it. */
export function takeEarlyAnswer(): Promise<Response> | undefined {
  const taken = answer;
  answer = undefined;
  return taken;
}
