import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../packages/server/src/webhooks-in");
// What holds a proof, or what a proof is compared with.
const PROOF = /signature|hmac|digest|\bhash\b|\btoken\b|secret|\bmac\b|given|clientState/i;
const COMPARISON =
  /([\w.[\]"'?()-]+)\s*[!=]==?\s*([\w.[\]"'`?()-]+)|(\w+)\.(?:startsWith|endsWith|includes|indexOf|localeCompare)\(/g;
const HARMLESS = /^(undefined|null|true|false|0|["'`].*)$/;
const bare = (text: string) => text.replace(/^[(.]+|\)+$/g, "");

/** Comparisons of these lines end at a kind or a spelling, never at the bytes of a proof. */
const reviewed = [
  // Whether the text is the one spelling of its bytes, which are then verified.
  'if (signature.toString("base64") !== given) return false;',
  'Buffer.from(part, "base64url").toString("base64url") === part',
  // A kind of secret, by how it begins.
  'key.startsWith("whsec_")',
  "a.length === b.length && timingSafeEqual(a, b)",
];

async function readSources(): Promise<{ name: string; lines: string[] }[]> {
  const sources = [];
  for await (const name of glob("{routers/*,router-kit,*-token,google-channel}.ts", {
    cwd: folder,
  })) {
    sources.push({ name, lines: (await readFile(join(folder, name), "utf8")).split("\n") });
  }
  return sources;
}

test("no proof is compared but in constant time", async () => {
  const sources = await readSources();
  const found = sources.flatMap(({ name, lines }) =>
    lines
      .filter((line) => !reviewed.some((known) => line.includes(known)))
      .flatMap((line) =>
        [...line.matchAll(COMPARISON)]
          .filter(([whole, left = "", right = ""]) => {
            return PROOF.test(whole) && !HARMLESS.test(bare(left)) && !HARMLESS.test(bare(right));
          })
          .map(([whole]) => `${name}: ${whole}`),
      ),
  );

  expect(sources.length).toBeGreaterThan(40);
  expect(found).toEqual([]);
});

test("each router that proves its sender does so by a comparison of the kit, or by a library", async () => {
  const sources = await readSources();
  const proving = sources.filter(
    ({ name, lines }) =>
      name.startsWith("routers") && lines.some((line) => /^\s+proof(:|,)/.test(line)),
  );
  const without = proving.filter(
    ({ lines }) =>
      !/isSame\(|hmacProof\(|timedPairsProof\(|standardProof\(|tokenProof\(|verify\(|isGoogleToken|isAtlassianToken|channelToken/.test(
        lines.join("\n"),
      ),
  );

  expect(proving.length).toBeGreaterThan(30);
  expect(without.map(({ name }) => name)).toEqual([]);
});
