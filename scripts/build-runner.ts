// Run in packages/runner by `prepack`: writes the programs of a function's and a script's process, as they are published.
import { writeFileSync } from "node:fs";
import { buildRunner, buildScriptRunner } from "../packages/runner/src/build-runner.ts";

const [file, scriptFile] = process.argv.slice(2);
if (file === undefined || scriptFile === undefined) throw new Error("name the files to write");
writeFileSync(file, buildRunner(process.cwd(), ["jackfield-source"]).code);
writeFileSync(scriptFile, buildScriptRunner(process.cwd(), ["jackfield-source"]).code);
