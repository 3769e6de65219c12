import { defineConfig } from "vitest/config";
import { run } from "./vitest.config.ts";

export default defineConfig({
  root: import.meta.dirname,
  test: { ...run, include: ["nothing.ts"] },
});
