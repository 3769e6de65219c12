import { randomUUID } from "node:crypto";

type Make = (method: string, path: string, body: unknown) => Promise<ReturnType<typeof JSON.parse>>;

interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly environment: "dev";
}

const verifier = () => ({ verifier_url: `https://app.example.com/${randomUUID()}` });

/** A successful call of each route that changes what agents may do, made new each time. */
export function agentCalls(make: Make) {
  const newSettings = async () => {
    const integration = `i-${randomUUID()}`;
    const body = { provider: "private-api-bearer", unique_key: integration };
    await make("POST", "/integrations", body);
    return { tools: [{ integration }] };
  };
  const newDocumentPath = async () => {
    const { tools } = await newSettings();
    return `/integrations/${tools[0]?.integration}/openapi`;
  };
  const newToolset = async () => {
    const name = `t-${randomUUID()}`;
    await make("PUT", `/agent/toolsets/${name}`, await newSettings());
    return name;
  };
  const newSession = async (): Promise<string> => {
    const body = { toolset: await newToolset(), end_user_id: "u1" };
    return (await make("POST", "/agent/sessions", body)).data.id;
  };
  const environment = "dev" as const;
  return {
    putToolset: async (): Promise<Call> => ({
      ...{ environment, path: `/agent/toolsets/t-${randomUUID()}` },
      body: await newSettings(),
    }),
    deleteToolset: async (): Promise<Call> => ({
      ...{ environment, path: `/agent/toolsets/${await newToolset()}` },
    }),
    deleteApiDocument: async (): Promise<Call> => {
      const path = await newDocumentPath();
      await make("PUT", path, { document: apiDocument });
      return { environment, path };
    },
    createAgentSession: async (): Promise<Call> => ({
      ...{ environment, path: "/agent/sessions" },
      body: { toolset: await newToolset(), end_user_id: "u1" },
    }),
    putAgentSignIn: async (): Promise<Call> => ({
      ...{ environment, path: "/agent/sign-in", body: verifier() },
    }),
    deleteAgentSignIn: async (): Promise<Call> => {
      await make("PUT", "/agent/sign-in", verifier());
      return { environment, path: "/agent/sign-in" };
    },
    updateAgentSession: async (): Promise<Call> => ({
      ...{ environment, path: `/agent/sessions/${await newSession()}` },
      body: { budget: { calls: 1 } },
    }),
    endAgentSession: async (): Promise<Call> => ({
      ...{ environment, path: `/agent/sessions/${await newSession()}` },
    }),
    stopAgents: async (): Promise<Call> => {
      await newSession();
      return { environment, path: "/agent/stop", body: { all: true } };
    },
  };
}

const apiDocument = JSON.stringify({
  ...{ openapi: "3.1.0", info: {}, paths: { "/a": { get: { responses: {} } } } },
});
