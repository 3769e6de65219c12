import { randomBytes } from "node:crypto";
import { chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Secret } from "#foundation";
import { openMasterKeyRing } from "#vault";
import { keyFileOf, prependNewKey, readKeyFile } from "./key-file.ts";

const dataDir = await mkdtemp(join(tmpdir(), "jackfield-keys-"));
afterAll(async () => await rm(dataDir, { recursive: true }));
const path = keyFileOf(dataDir);
const fromFile = { configured: undefined, previous: [], dataDir };
const newText = () => randomBytes(32).toString("base64");

test("a file is made only when nothing is encrypted; a new key goes first, the old ones stay", async () => {
  const refused = await openMasterKeyRing({ ...fromFile, mayCreate: false }).catch((e) => e);
  const first = await openMasterKeyRing({ ...fromFile, mayCreate: true });
  const again = await openMasterKeyRing({ ...fromFile, mayCreate: true });
  await writeFile(`${path}.new`, "left by a process that was killed");
  await prependNewKey(path);
  const ring = await openMasterKeyRing({ ...fromFile, mayCreate: false });

  expect(refused.message).toMatch(/neither in .+ nor in SVC_ENCRYPTION_KEY/);
  expect(again).toEqual(first);
  expect(ring.map(({ id }) => id)).toEqual([
    expect.not.stringMatching(ring[1]?.id ?? ""),
    first[0]?.id,
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(stat(`${path}.new`)).rejects.toThrow(/ENOENT/);
});

test("a configured key wins over the file; previous keys follow, each once", async () => {
  const [current, old] = [newText(), newText()];
  const [before] = (await readFile(path, "utf8")).split("\n");

  const ring = await openMasterKeyRing({
    configured: new Secret(current),
    previous: [new Secret(old), new Secret(current), new Secret(before ?? "")],
    dataDir,
    mayCreate: false,
  });

  const texts = ring.map(({ key }) => key.reveal().toString("base64"));
  expect(texts).toEqual([current, old, before]);
});

test("a short key in the file is refused with one line that does not show it", async () => {
  await writeFile(path, "c2hvcnQ=\n");

  const refused = await openMasterKeyRing({ ...fromFile, mayCreate: false }).catch((e) => e);

  expect(refused.message).toMatch(/is not 32 bytes in base64/);
  expect(refused.message).not.toContain("c2hvcnQ");
});

test("a file that cannot be read is not taken for one that is not there", async () => {
  const folder = join(dataDir, "folder");
  await mkdir(folder);

  expect(await readKeyFile(join(dataDir, "none"))).toBeUndefined();
  await expect(readKeyFile(folder)).rejects.toThrow(/EISDIR/);
});

test.runIf(process.getuid?.() === 0)("a file that root rotates stays its owner's", async () => {
  await writeFile(path, `${newText()}\n`);
  await chown(path, 12_345, 12_346);

  await prependNewKey(path);

  expect(await stat(path)).toMatchObject({ uid: 12_345, gid: 12_346 });
});
