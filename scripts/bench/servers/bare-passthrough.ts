// The baseline of the proxy: node:http and undici's dispatch, one header added, nothing else.
import { createServer } from "node:http";
import { Agent, type Dispatcher } from "undici";

const origin = process.argv[2] ?? "";
const agent = new Agent();
const server = createServer((request, response) => {
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      for (const name of ["content-type", "content-length"]) {
        const value = headers[name];
        if (value !== undefined) response.setHeader(name, value);
      }
      response.writeHead(status);
    },
    onResponseData(controller, chunk) {
      if (response.write(chunk)) return;
      controller.pause();
      response.once("drain", () => controller.resume());
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      response.destroy();
    },
  };
  const method = request.method ?? "GET";
  agent.dispatch(
    {
      origin,
      path: request.url ?? "/",
      method,
      headers: { authorization: "Bearer x" },
      body: method === "GET" ? null : request,
    },
    handler,
  );
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) {
    console.log(`http://127.0.0.1:${address.port}`);
  }
});
