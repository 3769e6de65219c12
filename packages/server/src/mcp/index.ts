// Owns the transport for language models: an integration's actions as tools of the Model Context Protocol.
// Tables: tool_results, for an hour, and tool_questions, while a call waits for its answer; nothing else outlives a
// request.
export { capabilitiesOf } from "./capabilities.ts";
export { digestOf } from "./digest.ts";
export type { ShownLists } from "./listening/watch-lists.ts";
export { withOwnWords } from "./own-words.ts";
export {
  askRound,
  askUser,
  type Round,
  type RoundEnd,
  readAnswers,
  requireForms,
  roundOf,
  toInputRequired,
} from "./questions/ask-user.ts";
export { hasKept, keepForCall, takeKept } from "./questions/kept.ts";
export {
  digestCall,
  openStates,
  requireOwnState,
  type ToolCall,
} from "./questions/request-state.ts";
export { readClient } from "./read-client.ts";
export { reportProgress } from "./report-progress.ts";
export { requireBounds } from "./require-bounds.ts";
export {
  describeResources,
  describeTemplates,
  isResource,
  type ResourceAction,
} from "./resources/resource-actions.ts";
export { serveResources } from "./resources/serve-resources.ts";
export { takeFitting } from "./results/cut-result.ts";
export { fitsResult, PIECE_BYTES, presentResult, shortenResult } from "./results/present-result.ts";
export { readResult } from "./results/read-result.ts";
export { findStoredResult } from "./results/tool-results.ts";
export {
  admitMessage,
  readAgent,
  refuseMethod,
  type ServerParts,
  serveMessage,
} from "./serve-message.ts";
export { cleanShownText } from "./shown/clean-text.ts";
export { ModelServer } from "./shown/model-server.ts";
export { mcp } from "./slice.ts";
export { explainFailure, type ToolFailure, toolFailure } from "./tool-failure.ts";
export { describeReader, describeTool, holdsOutputs } from "./tools.ts";
