import { defineConfig } from "vitest/config";
import { stale } from "./stale.config.ts";

export default defineConfig({
  root: import.meta.dirname,
  test: { ...stale, include: ["sends-one.ts", "skips.ts"] },
});
