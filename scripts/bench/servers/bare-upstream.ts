// A provider that answers GET with 1 KB, with as many bytes as `?bytes=` says, or with one a second for
// `?trickle=1`, and takes what is sent.
import { createServer, type ServerResponse } from "node:http";

const body = Buffer.alloc(1024, "x");
const piece = Buffer.alloc(64 * 1024, "y");
const server = createServer((request, response) => {
  const bytes = Number(/\?bytes=(\d+)/.exec(request.url ?? "")?.[1] ?? 0);
  request.resume();
  if (request.url?.includes("?trickle=1") === true) {
    response.writeHead(200);
    const timer = setInterval(() => response.write("x"), 1000);
    response.on("close", () => clearInterval(timer));
    return;
  }
  if (bytes > 0) {
    sendBytes(response, bytes);
    return;
  }
  const answer = () => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": body.length });
    response.end(body);
  };
  if (request.method === "GET") answer();
  else request.on("end", answer);
});

function sendBytes(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "text/plain", "content-length": bytes });
  let left = bytes;
  const send = () => {
    while (left > 0) {
      const chunk = left < piece.length ? piece.subarray(0, left) : piece;
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once("drain", send);
        return;
      }
    }
    response.end();
  };
  send();
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) {
    console.log(`http://127.0.0.1:${address.port}`);
  }
});
