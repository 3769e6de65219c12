import { note } from "./error-note.ts";

/** Errors of credentials that cannot be used. */
export const connectionErrorNotes = {
  invalid_credentials: note(
    "The provider refuses to refresh the token: the end user withdrew the consent, or it expired.",
    "Let the end user connect again in a reconnect session (`POST /connect/sessions/reconnect`).",
  ),
  account_changed: note(
    "A connection was authorized again, and the provider reports that the new credentials belong to another account.",
    "Authorize the same account, or create another connection. If you intend the change, send `allow_account_change`.",
  ),
  connection_frozen: note(
    "A revocation has frozen the connection: nobody can call its provider, read its credentials or refresh them.",
    "Let the end user connect again, or release the connection. See [revocations](./revocations.md).",
  ),
  connection_refresh_backoff: note(
    "The last refreshes failed because the provider did not answer.",
    "Try again after `Retry-After`.",
  ),
  refresh_in_progress: note(
    "Another call is refreshing the token, and the provider is slow.",
    "Try again in a few seconds.",
  ),
  quarantined: note(
    "This is a copy of an installation, such as a restored backup, and nobody has confirmed that the original has stopped.",
    "After every other copy has stopped, run `jackfield resume`. See [backups](./backup.md).",
  ),
};
