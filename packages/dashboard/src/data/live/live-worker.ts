import { isTabMessage } from "./messages.ts";
import { type Say, StreamHolder } from "./stream-holder.ts";

// A worker that all tabs of the browser share: a browser has six connections to a server over HTTP/1.1, and a stream
// for each tab would leave none for the seventh.
const holder = new StreamHolder();

addEventListener("connect", (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (port === undefined) return;
  const say: Say = (notice) => port.postMessage(notice);
  port.addEventListener("message", ({ data }) => {
    if (isTabMessage(data)) holder.hear(say, data);
  });
  // A tab that crashed says no goodbye.
  port.addEventListener("close", () => holder.hear(say, { kind: "leave" }));
  port.start();
});
