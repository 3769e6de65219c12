// A provider that answers everything with 1 KB.
import { createServer } from "node:http";

const body = Buffer.alloc(1024, "x");
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/plain", "content-length": body.length });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) {
    console.log(`http://127.0.0.1:${address.port}`);
  }
});
