import { note } from "./error-note.ts";

/** Errors of credentials that cannot be used. */
export const connectionErrorNotes = {
  invalid_credentials: note(
    "The provider refuses to renew the token: the user withdrew the consent, or it ran out.",
    "Let the user connect again in a reconnect session (`POST /connect/sessions/reconnect`).",
  ),
  account_changed: note(
    "A connection was to be authorized again, and the provider says that the new credentials are of another account.",
    "Authorize the same account, or make another connection. Where the change is meant, send `allow_account_change`.",
  ),
  connection_frozen: note(
    "A revocation has frozen the connection: nobody calls its provider, reads its credentials or refreshes them.",
    "Let the end user connect again, or release the connection. See [revocations](./revocations.md).",
  ),
  connection_refresh_backoff: note(
    "The last refreshes failed because the provider does not answer.",
    "Try again after `Retry-After`.",
  ),
  refresh_in_progress: note(
    "Another call renews the token, and the provider is slow.",
    "Try again in a few seconds.",
  ),
  quarantined: note(
    "This is a copy of an installation, such as a restored backup, and nobody has said that the original is off.",
    "Once no other copy is at work, run `jackfield resume`. See [backups](./backup.md).",
  ),
};
