// Rules of the house that no linter knows; see STYLE.md and ARCHITECTURE.md.

import { findCaughtCodes } from "./caught-codes.ts";
import { findHiddenCitations, findThinPromises, findUnknownPromises } from "./citations.ts";
import { findBrokenDocPaths } from "./doc-paths.ts";
import { findDoubledWords } from "./doubled-words.ts";
import { findEnvironmentReads } from "./environment-reads.ts";
import { findChangedMigrations } from "./frozen-migrations.ts";
import { findRetiredWords } from "./glossary.ts";
import { findImportCycles } from "./imports/import-cycles.ts";
import { findWrongPackageDirections } from "./imports/package-directions.ts";
import { findEnteredSlices } from "./imports/slice-doors.ts";
import { findWrongSliceDirections } from "./imports/slice-layers.ts";
import { findLockfileProblems } from "./lockfile.ts";
import { findLongFiles } from "./long-files.ts";
import { findStrayModeNames } from "./mode-names.ts";
import { findModuleState } from "./module-state.ts";
import { findOwnCpuTimes } from "./of-tests/cpu-bars.ts";
import { findHandMadePolling, findPollsOfHooks } from "./of-tests/hand-made-polling.ts";
import { findInheritedOutputs } from "./of-tests/inherited-outputs.ts";
import { findSecondsOfOne } from "./one-of-each.ts";
import { findSlowPatterns } from "./patterns/slow-patterns.ts";
import { readTree } from "./tree.ts";
import { findWideFolders } from "./wide-folders.ts";

const tree = await readTree();
const problems = [
  ...findBrokenDocPaths(tree),
  ...findCaughtCodes(tree),
  ...findHiddenCitations(tree),
  ...findUnknownPromises(tree),
  ...findThinPromises(tree),
  ...findOwnCpuTimes(tree),
  ...findDoubledWords(tree),
  ...findEnvironmentReads(tree),
  ...findChangedMigrations(tree),
  ...findHandMadePolling(tree),
  ...findPollsOfHooks(tree),
  ...findInheritedOutputs(tree),
  ...findLockfileProblems(tree),
  ...findLongFiles(tree),
  ...findRetiredWords(tree),
  ...findEnteredSlices(tree),
  ...findImportCycles(tree),
  ...findStrayModeNames(tree),
  ...findModuleState(tree),
  ...findSecondsOfOne(tree),
  ...findWrongPackageDirections(tree),
  ...findWrongSliceDirections(tree),
  ...findWideFolders(tree),
  ...(await findSlowPatterns(tree)),
];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
