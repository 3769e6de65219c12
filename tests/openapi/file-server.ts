import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

export interface FileServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: {
    readonly call: string;
    readonly type: string | undefined;
    readonly body: Buffer;
  }[];
}

/** A provider that keeps files: bytes, text and parts of forms. */
export async function startFileServer(): Promise<FileServer> {
  const requests: { call: string; type: string | undefined; body: Buffer }[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const call = `${request.method} ${request.url}`;
    requests.push({ call, type: request.headers["content-type"], body });
    const type = request.url?.endsWith("/note") ? "text/plain" : "application/octet-stream";
    const content = request.method === "GET" ? Buffer.from([0, 255, 1]) : Buffer.from("noted");
    response.writeHead(200, { "content-type": type, "content-length": content.byteLength });
    response.end(content);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const bytes = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
const text = { "text/plain": { schema: { type: "string" } } };
const parts = {
  type: "object",
  required: ["file"],
  properties: {
    file: { type: "string", format: "binary" },
    title: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
  },
};

const answered = (content: object) => ({ responses: { 200: { description: "", content } } });

/** What it takes, as its document. */
export const fileDocument = {
  openapi: "3.0.3",
  info: { title: "Files", version: "1" },
  paths: {
    "/files/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      head: { operationId: "headFile", responses: { 200: { description: "" } } },
      get: { operationId: "getFile", ...answered(bytes) },
      put: {
        operationId: "putFile",
        requestBody: { required: true, content: bytes },
        responses: { 204: { description: "" } },
      },
    },
    "/files": {
      post: {
        operationId: "uploadFile",
        requestBody: { required: true, content: { "multipart/form-data": { schema: parts } } },
        ...answered(text),
      },
    },
    "/note": {
      post: {
        operationId: "note",
        requestBody: { required: true, content: text },
        ...answered(text),
      },
    },
    "/count": {
      put: {
        operationId: "count",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { type: "string" } } },
        },
        ...answered(text),
      },
    },
  },
};
