// Ends with 0 while the process of this container answers; whether its database does is what /ready tells.
// biome-ignore lint/style/noProcessEnv: runs next to the server, with its settings
const port = process.env.SVC_PORT ?? "3003";
const answer = await fetch(`http://127.0.0.1:${port}/health`, {
  signal: AbortSignal.timeout(4000),
}).catch((error) => ({ ok: false, status: error.message }));
if (!answer.ok) {
  process.stderr.write(`/health: ${answer.status}\n`);
  process.exitCode = 1;
}
