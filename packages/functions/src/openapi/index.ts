// OpenAPI documents: reading them, and what their operations take and answer. A document is a stranger's: its texts
// are cleaned, what it holds is counted, and nothing outside of it is looked up.

export { cleanText, isCleanName } from "./clean-text.ts";
export { copyTree } from "./document/copy-tree.ts";
export { DocumentError } from "./document/document-error.ts";
export { type OpenApiDocument, toDocument } from "./document/openapi-document.ts";
export { parseText } from "./document/parse-text.ts";
export { follow, getReferenced, Unsupported } from "./document/references.ts";
export {
  fieldOf,
  isJsonObject,
  type JsonObject,
  listField,
  objectField,
  textField,
  textsField,
} from "./json.ts";
export { listOperations } from "./operations/list-operations.ts";
export {
  type Effect,
  effectOf,
  effects,
  type Operation,
  presentOperation,
} from "./operations/operation.ts";
export { presentTexts } from "./operations/present-texts.ts";
export { type Answer, readAnswer } from "./operations/read-answer.ts";
export { type BodyKind, kindOf, type RequestBody, readBody } from "./operations/read-body.ts";
export { type Parameter, readParameters, type Style } from "./operations/read-parameters.ts";
export { type BaseAddress, basePathOf } from "./operations/server-address.ts";
export { splitPath } from "./operations/split-path.ts";
export { typesOf } from "./types-of.ts";
