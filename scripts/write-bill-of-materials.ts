import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const described = z.looseObject({
  component: z.looseObject({ "bom-ref": z.string(), name: z.string() }),
});

/**
 * Writes `sbom.cdx.json` (CycloneDX) into a folder with installed packages; npm describes them. The same packages give
 * the same bytes: no random number, and no time but the one that is given.
 */
export function writeBillOfMaterials(folder: string, builtAt: Date): void {
  const text = execFileSync(
    "npm",
    ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--omit", "dev"],
    { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  const { serialNumber: _, ...bill }: Record<string, unknown> = JSON.parse(text);
  const { component, ...metadata } = described.parse(bill["metadata"]);
  // npm names it after the folder.
  const named = { ...component, name: component["bom-ref"].replace(/@[^@]*$/, "") };
  bill["metadata"] = { ...metadata, timestamp: builtAt.toISOString(), component: named };
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill, undefined, 2)}\n`);
}
