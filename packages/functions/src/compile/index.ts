// Owns the way from an author's files to what is deployed: bundles, descriptions, checks. Node only.
export { type Bundle, type BundleOptions, bundleFunction } from "./bundle/bundle-function.ts";
export {
  type CompiledFunction,
  type CompiledProject,
  type CompileOptions,
  compileProject,
} from "./compile-project.ts";
export {
  type ActionDescription,
  type DescribeOptions,
  describeFunction,
  type FunctionDescription,
  type OnEventDescription,
  type SyncDescription,
} from "./describe/describe-function.ts";
export { CompileError, type Diagnostic, formatDiagnostic } from "./diagnostic.ts";
export { listProjectFiles, type ProjectFile } from "./project-files.ts";
export { explainZod, hostZodVersion } from "./zod-version.ts";
