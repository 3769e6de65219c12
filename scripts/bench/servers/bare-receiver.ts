// A handler that reads a webhook's body, checks its signature and answers: all that a receiver has to do at least.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [secret = ""] = process.argv.slice(2);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const expected = createHmac("sha256", secret).update(body).digest();
    const given = Buffer.from(String(request.headers["x-shopify-hmac-sha256"]), "base64");
    const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
    JSON.parse(body.toString());
    const answer = '{"status":"success"}';
    response.writeHead(isGenuine ? 200 : 401, { "content-length": answer.length }).end(answer);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  console.log(`http://127.0.0.1:${port}`);
});
