import { getProvider, type Provider } from "@jackfield/catalogue";
import type { Integration } from "#integrations";
import { AppError } from "#platform";

/** The catalogue's entry of an integration; throws unknown_provider_template. */
export function providerOf({ provider: id }: Pick<Integration, "provider">): Provider {
  const provider = getProvider(id);
  if (provider !== undefined) return provider;
  throw new AppError("unknown_provider_template", `The catalogue has no provider ${id}.`);
}
