import { counted } from "../counted.ts";

/** One connection: its credentials, what can be changed of it, how it begins and ends; and the filter by tags. */
const english = {
  values: "Credential fields",
  valuesText:
    "Values are hidden. You reveal one at a time, or copy it without seeing it; the audit log records each time who did it. A revealed value is hidden again after 30 seconds, or when you leave the window.",
  noValues: "These credentials have no fields.",
  frozen: "The connection is frozen: nobody can reveal its credentials until it is released.",
  valueOf: (field: string) => `Value of ${field}`,
  readByKey: "With an API key",
  readByKeyText:
    "An API key with the scope environment:connections:read_credentials reads all of them. They are refreshed first if they are about to expire:",
  type: "Type",
  version: "Version",
  versionOf: (version: string) => `${version}, one more with each renewal`,
  issued: "Issued by the provider",
  imported: "not known: they were imported",
  scopes: "Scopes",
  scope: "Scope",
  wantedBy: "Needed by",
  integration: "the integration",
  granted: "Granted",
  isGranted: "granted",
  isMissing: "missing",
  isUnknown: "not known",
  alsoGranted: "Also granted",
  noScopes: "Neither the integration nor its functions name a scope.",
  grantUnknown: "The provider does not say which scopes it granted.",
  missingTitle: (count: string) => `${counted(count, "scope is", "scopes are")} missing`,
  missingText:
    "Calls that need them may fail. Ask the end user to connect again and to allow everything. If only a function needs a scope, add it to the integration first.",
  edit: "Edit",
  review: "Review the changes",
  reviewText: "This is what changes. Metadata is replaced as a whole.",
  changes: "Changes of the metadata",
  backToText: "Back to the text",
  saveMetadata: "Save metadata",
  notJson: (fault: string) => `This is not JSON: ${fault}`,
  noObject: "This is not a JSON object.",
  configText:
    "Values that the provider's addresses and headers need. Secret ones are kept with the credentials: to change them, the end user connects again.",
  otherValues: "Other values",
  otherValuesHelp: "One per line, as name=value. A line that you remove removes the value.",
  setByServer: "Set by the server:",
  example: (text: string) => `Example: ${text}`,
  deletes: (who: string, provider: string, id: string) =>
    `This permanently deletes the connection “${id}” of ${who} to ${provider}.`,
  deletesNobody: (id: string, provider: string) =>
    `This permanently deletes the connection “${id}” to ${provider}.`,
  goesWithIt: "What is deleted with it",
  goesNothing: "It has no syncs and no records.",
  goesSyncs: (count: string) => counted(count, "sync"),
  goesRecords: (records: string, models: string) =>
    `${counted(records, "record")} of ${counted(models, "model")}`,
  withdraws: "Where the integration says so, the access is withdrawn at the provider.",
  counting: "Counting …",
  waiting:
    "Waiting for the end user. As soon as somebody connects with the link, here or on another device, the new connection opens.",
  attemptFailed: (message: string) => `The last attempt failed: ${message}`,
  tag: "Tag",
  tagName: "Name of the tag",
  tagValue: "Value",
  showTagged: "Show",
  import: "Import …",
  importTitle: "Import a connection",
  importText:
    "For credentials that you hold already, for example from another system. The server tries them with a call to the provider where its entry has one.",
  noIntegration: "There is no integration yet. Add one from the catalogue first.",
  connectOnly:
    "Credentials of this provider cannot be imported: its tokens are bound to the connect page. Create a connect link instead.",
  credentialsOf: (mode: string) => `Credentials: ${mode}`,
  noCredentials: "This provider takes no credentials.",
  tokenExpires: "The token expires (if known)",
  whose: "Whose connection it is",
  importId:
    "Leave empty for a random one. If the integration has a connection of this id, its credentials are replaced.",
  importTags: "One per line, as key=value, for example end_user_id=u1.",
  importIn: (environment: string) => `Import in ${environment}`,
};

/** Loaded with the page of a connection. */
export const connectionTexts = { english };
