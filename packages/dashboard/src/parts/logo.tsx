import { ServiceLogo } from "@jackfield/ui/service-logo.tsx";
import { logoOf } from "../data/integrations.ts";

/** The logo of a provider, from this page's own origin. */
export function Logo({ name, logo }: { name: string; logo: string | undefined }) {
  const address = logoOf(logo);
  return (
    <ServiceLogo
      service={{ display_name: name, ...(address === undefined ? {} : { logo: address }) }}
      size="small"
    />
  );
}
