import { access } from "node:fs/promises";
import { startNginx } from "../../../tests/proxy/start-nginx.ts";

/** nginx before the upstream, adding the credential as we do; undefined where it is not installed. */
export async function startBareNginx(upstreamUrl: string) {
  const command = "/usr/sbin/nginx";
  try {
    await access(command);
  } catch {
    return undefined;
  }
  const lines = ['proxy_set_header Authorization "Bearer x";'];
  return await startNginx({ command, upstreamUrls: [upstreamUrl], lines });
}
