import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Provider, readProviderFile, setAddedProviders } from "@jackfield/catalogue";
import { type Logger, messageOf } from "#foundation";

// Asked for by name and time: a mounted folder may be swapped as a whole, which watchers do not tell.
const LOOK_MS = 500;

/**
 * Keeps the providers of SVC_PROVIDERS_DIR in force for as long as it is not disposed. What is wrong with
 * a file is logged with name, path and reason; the other files and entries continue.
 */
export async function watchProvidersFolder(folder: string, log: Logger): Promise<AsyncDisposable> {
  let known = "";
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const files = await listFiles(folder);
    const now = files.map(({ name, mark }) => `${name} ${mark}`).join("\n");
    if (now === known) return;
    const providers = await readFiles(folder, { names: files.map(({ name }) => name), log });
    known = now;
    setAddedProviders(providers);
    log.info("providers.folder_read", { folder, files: files.length, providers: providers.length });
  };
  const lookSafely = async (): Promise<void> => {
    await look().catch((error: unknown) => {
      const failure = messageOf(error);
      if (known === failure) return;
      known = failure;
      log.error("providers.folder_unreadable", { folder, reason: failure });
    });
  };
  await lookSafely();
  const timer = setInterval(() => {
    looking = looking.then(lookSafely);
  }, LOOK_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
      setAddedProviders([]);
    },
  };
}

async function listFiles(folder: string): Promise<{ name: string; mark: string }[]> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const { mtimeMs, size, ino } = await stat(join(folder, name));
      return { name, mark: `${mtimeMs} ${size} ${ino}` };
    }),
  );
}

async function readFiles(
  folder: string,
  { names, log }: { names: readonly string[]; log: Logger },
): Promise<Provider[]> {
  const found = new Map<string, Provider>();
  for (const name of names) {
    const { providers, faults } = await readOne(join(folder, name));
    for (const reason of faults)
      log.warn("providers.entry_refused", { file: join(folder, name), reason });
    for (const provider of providers) {
      if (!found.has(provider.id)) found.set(provider.id, provider);
      else
        log.warn("providers.entry_refused", {
          file: join(folder, name),
          reason: `${provider.id} exists twice`,
        });
    }
  }
  return [...found.values()];
}

async function readOne(path: string): Promise<ReturnType<typeof readProviderFile>> {
  try {
    return readProviderFile(basename(path), await readFile(path, "utf8"));
  } catch (error) {
    return { providers: [], faults: [messageOf(error)] };
  }
}
