import { spawn } from "node:child_process";
import { once } from "node:events";

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** False where no browser can be opened. */
export async function openBrowser(link: string): Promise<boolean> {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, link], { stdio: "ignore", detached: true });
  const failed = once(child, "error").then(() => false);
  const started = once(child, "exit").then(([code]) => code === 0);
  return await Promise.race([failed, started]);
}
