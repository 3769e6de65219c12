import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { exitCodes, UserError } from "./user-error.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What the commands of a function project read from the environment and the project's `.env`. */
export interface ProjectSettings {
  /** Address of the server, without a slash at the end. */
  readonly host: string;
  /** Whether someone is there to answer a question. */
  readonly isInteractive: boolean;
  /** The API key for an environment; throws a UserError that names the variable. */
  requireSecretKey(environment: string): string;
  /** The API key of the account; throws a UserError that names the variable. */
  requireAccountKey(): string;
}

/** Reads `SVC_*` from the environment, then from `<projectDir>/.env`; the environment wins. */
export function readProjectSettings(
  projectDir: string,
  variables: Variables = process.env,
): ProjectSettings {
  const file = readEnvFile(join(projectDir, ".env"));
  const find = (name: string): string | undefined => {
    const value = variables[name] || file[name];
    return value === undefined || value === "" ? undefined : value.trim();
  };
  const requireKey = (owner: string, environment?: string): string => {
    const name = secretKeyVariable(environment ?? "account");
    const key = find(name) ?? find("SVC_SECRET_KEY");
    if (key !== undefined) return key;
    const option = environment === undefined ? "--account" : `--environment ${environment}`;
    throw new UserError(
      `There is no API key for ${owner}: set ${name} in the shell or in ${join(projectDir, ".env")}.\n` +
        `The server prints its keys at the first start; \`jackfield keys create ${option}\` makes another.`,
      { exitCode: exitCodes.platform },
    );
  };
  const ci = find("CI");
  return {
    host: readHost(find("SVC_HOSTPORT") ?? "http://127.0.0.1:3003"),
    isInteractive:
      process.stdin.isTTY === true &&
      process.stdout.isTTY === true &&
      (ci === undefined || ci === "false" || ci === "0"),
    requireSecretKey(environment) {
      return requireKey(`the environment ${environment}`, environment);
    },
    requireAccountKey() {
      return requireKey("the account");
    },
  };
}

/** The value of a variable whose name the caller was given; undefined where it is empty. */
export function readVariable(name: string, variables: Variables = process.env): string | undefined {
  return variables[name] || undefined;
}

/** `dev` -> `SVC_SECRET_KEY_DEV`; what a variable's name cannot hold becomes `_`. */
function secretKeyVariable(environment: string): string {
  return `SVC_SECRET_KEY_${environment.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_")}`;
}

function readEnvFile(path: string): Variables {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}

function readHost(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UserError(
      `SVC_HOSTPORT is not an http or https address: ${text}. For example: http://127.0.0.1:3003`,
      { exitCode: exitCodes.usage },
    );
  }
  return text.replace(/(?<!\/)\/+$/, "");
}
