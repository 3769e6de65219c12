// Run in packages/runner by `prepack`: writes the program of a function's process, as it is published.
import { writeFileSync } from "node:fs";
import { buildRunner } from "../packages/runner/src/build-runner.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("name the file to write");
writeFileSync(file, buildRunner(process.cwd(), ["jackfield-source"]).code);
