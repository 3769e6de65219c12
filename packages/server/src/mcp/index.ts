// Owns the transport for language models: an integration's actions as tools of the Model Context Protocol.
// Tables: tool_results, for an hour; nothing else outlives a request.
export { type OnAway, withOwnWords } from "./own-words.ts";
export { readClient } from "./read-client.ts";
export { reportProgress } from "./report-progress.ts";
export { takeFitting } from "./results/cut-result.ts";
export { PIECE_BYTES, presentResult } from "./results/present-result.ts";
export { readResult } from "./results/read-result.ts";
export { admitMessage, readAgent, refuseMethod, serveMessage } from "./serve-message.ts";
export { mcp } from "./slice.ts";
export { explainFailure, type ToolFailure, toolFailure } from "./tool-failure.ts";
export { describeReader, describeTool, holdsOutputs } from "./tools.ts";
