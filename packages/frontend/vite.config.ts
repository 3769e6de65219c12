import { defineConfig } from "vite";

// One small module; the build prints its size and its gzipped size.
export default defineConfig({
  build: {
    target: "es2022",
    lib: { entry: "src/index.ts", formats: ["es"], fileName: "index" },
    minify: true,
    emptyOutDir: true,
    reportCompressedSize: true,
  },
});
