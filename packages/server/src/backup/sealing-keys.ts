import { Decrypter, Encrypter } from "age-encryption";
import { messageOf, type Secret } from "#foundation";

/** Who can open a backup: those who know the passphrase, or have the identity of a recipient (`age1…`). */
export interface SealingKeys {
  readonly passphrase: Secret<string> | undefined;
  readonly recipients: readonly string[];
}

/** What a backup is opened with; each is tried. */
export interface OpeningKeys {
  readonly passphrase: Secret<string> | undefined;
  /** `AGE-SECRET-KEY-1…` */
  readonly identities: readonly Secret<string>[];
}

/** Throws unless a file can be closed with these: age knows either one passphrase or recipients. */
export function requireClosingKeys({ passphrase, recipients }: SealingKeys): void {
  if (passphrase === undefined && recipients.length === 0) {
    throw new Error(
      "a backup holds every secret, so it must be encrypted; give a passphrase (--passphrase-file, SVC_BACKUP_PASSPHRASE) or a --recipient",
    );
  }
  if (passphrase !== undefined && recipients.length > 0) {
    throw new Error("a backup is encrypted with a passphrase or for recipients, not with both");
  }
  toEncrypter({ passphrase, recipients });
}

export function toEncrypter({ passphrase, recipients }: SealingKeys): Encrypter {
  const encrypter = new Encrypter();
  if (passphrase !== undefined) encrypter.setPassphrase(passphrase.reveal());
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new Error(`${recipient} is no recipient of age: ${messageOf(cause)}`, { cause });
    }
  }
  return encrypter;
}

export function toDecrypter({ passphrase, identities }: OpeningKeys): Decrypter {
  if (passphrase === undefined && identities.length === 0) {
    throw new Error(
      "name what opens the backup: a passphrase (--passphrase-file, SVC_BACKUP_PASSPHRASE) or an --identity file",
    );
  }
  const decrypter = new Decrypter();
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase.reveal());
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity.reveal());
    } catch {
      // What the library says may name the key.
      throw new Error("a line of the identity file is no identity of age (AGE-SECRET-KEY-1…)");
    }
  }
  return decrypter;
}
