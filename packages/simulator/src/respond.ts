import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Ends the response with a JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
    ...headers,
  });
  response.end(body);
}

/** Ends the response with the API's error body. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  problem: { error: string; message: string },
  headers: OutgoingHttpHeaders = {},
): void {
  sendJson(response, status, problem, headers);
}

/** Ends the response with an HTML page that may load nothing and be framed by nobody. */
export function sendHtml(response: ServerResponse, status: number, html: string): void {
  const body = Buffer.from(html);
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": body.length,
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  });
  response.end(body);
}
