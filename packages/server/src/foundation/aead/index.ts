// Owns how bytes are encrypted and authenticated, one text or many; whose keys they are it does not know.
export {
  decrypt,
  decryptInSlices,
  encrypt,
  encryptInto,
  encryptPartsInto,
  SEAL_BYTES,
} from "./aead.ts";
export { decryptMany } from "./decrypt-many.ts";
