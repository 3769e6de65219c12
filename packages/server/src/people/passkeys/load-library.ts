/**
 * When it is loaded the library asks the runtime for experimental algorithms, of which Node warns: only who uses
 * passkeys loads it.
 */
export async function loadLibrary() {
  return await import("@simplewebauthn/server");
}
