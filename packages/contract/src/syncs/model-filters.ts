import { connectionId, integrationKey, modelName } from "../fields.ts";

/** In the query of a list of models: those of the environment, of one connection, or of one name. */
export const modelFilters = {
  provider_config_key: integrationKey
    .optional()
    .describe("Integration of the connection; together with `connection_id`."),
  connection_id: connectionId
    .optional()
    .describe("Only models of this connection; together with `provider_config_key`."),
  model: modelName
    .optional()
    .describe("Only this model, of each connection; `Model::variant` for a variant."),
};
