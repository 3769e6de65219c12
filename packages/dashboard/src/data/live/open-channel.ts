import workerAddress from "./live-worker.ts?worker&url";
import { isStreamNotice, isTabMessage, type TabMessage } from "./messages.ts";
import { type Say, StreamHolder } from "./stream-holder.ts";

/** The channel to the holder of this browser's stream. */
export interface Channel {
  say(message: TabMessage): void;
}

const NAME = "jackfield-live";

/** By a worker that all tabs share; without such workers, by the tab that holds a lock. */
export function openChannel(onNotice: Say): Channel {
  if ("SharedWorker" in window) return openWorker(onNotice);
  if ("locks" in navigator && "BroadcastChannel" in window) return openBetweenTabs(onNotice);
  const holder = new StreamHolder();
  return { say: (message) => holder.hear(onNotice, message) };
}

function openWorker(onNotice: Say): Channel {
  const { port } = new SharedWorker(trustedAddress(), { name: NAME });
  port.addEventListener("message", ({ data }) => {
    if (isStreamNotice(data)) onNotice(data);
  });
  port.start();
  return { say: (message) => port.postMessage(message) };
}

/** The policy of the page lets no script in by its address but this one. */
function trustedAddress(): string {
  const policy = Object(window).trustedTypes?.createPolicy("jackfield", {
    createScriptURL(address: string) {
      if (address === workerAddress) return address;
      throw new TypeError(`${address} is no script of this page`);
    },
  });
  return policy === undefined ? workerAddress : policy.createScriptURL(workerAddress);
}

/** The tab that has the lock holds the stream; when it is closed the next one gets the lock. */
function openBetweenTabs(onNotice: Say): Channel {
  const own = crypto.randomUUID();
  const channel = new BroadcastChannel(NAME);
  let holder: StreamHolder | undefined;
  let lastSaid: TabMessage | undefined;
  const tabs = new Map<string, Say>();
  const sayTo = (to: string): Say => {
    const known = tabs.get(to);
    if (known !== undefined) return known;
    const say: Say =
      to === own ? onNotice : (notice) => channel.postMessage({ to, notice, from: own });
    tabs.set(to, say);
    return say;
  };
  channel.addEventListener("message", ({ data }) => {
    const { from, to, message, notice, isNewHolder } = Object(data);
    if (isNewHolder === true && lastSaid !== undefined) {
      channel.postMessage({ from: own, message: lastSaid });
    } else if (to === own && isStreamNotice(notice)) {
      onNotice(notice);
    } else if (typeof from === "string" && isTabMessage(message)) {
      holder?.hear(sayTo(from), message);
    }
  });
  void navigator.locks.request(NAME, async () => {
    holder = new StreamHolder();
    channel.postMessage({ isNewHolder: true });
    if (lastSaid !== undefined) holder.hear(sayTo(own), lastSaid);
    // Held until the tab is closed.
    await new Promise(() => undefined);
  });
  return {
    say(message) {
      lastSaid = message;
      if (holder === undefined) channel.postMessage({ from: own, message });
      else holder.hear(sayTo(own), message);
    },
  };
}
