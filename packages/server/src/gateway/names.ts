/** Every name on the wire that is built on `svc`, by its position. */
export const names = {
  /** Beginnings of request headers. */
  headers: ["svc-", "x-svc-"],
  /** Beginnings of tokens and keys. */
  tokens: ["svc_connect_session_", "svc_agent_", "svc_key_", "svc_sbx_v1_"],
  /** Beginning of the command line's user agent. */
  userAgents: ["svc-cli/"],
  query: ["svcConnectionId", "svc_debug"],
  /** Query parameters that hold a token. */
  queryTokens: ["connect_session_token", "session_token"],
  /** First level of a body. */
  body: ["svcConnectionId", "svcYamlBody", "svc"],
  /** Fields of a body that hold a token. */
  bodyTokens: ["token"],
  /** Values of query parameters; `llm` has a spelling of its own in clients of that kind. */
  queryValues: { format: { svc: undefined, llm: "openai" } },
} as const;
