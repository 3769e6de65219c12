import { ANY_HOST, coversHost, INTEGRATION_HOSTS, toEgressHost } from "@jackfield/contract";
import type { FunctionDescription } from "@jackfield/functions/compile";
import { type Forward, HostFailure } from "@jackfield/functions/test-kit";
import * as z from "zod";

/** What a function says that it may send where, and whether it sees credentials. */
export interface Reach extends Pick<FunctionDescription, "egress" | "credentials"> {
  readonly functionName: string;
}

const fetched = z.looseObject({ url: z.string() });
const proxied = z.looseObject({ baseUrlOverride: z.string().optional() });
const asked = z.looseObject({
  refreshToken: z.boolean().optional(),
  include: z.array(z.string()).optional(),
});

/** Has calls done as the server does them for a deployed function of this reach. */
export function guardReach(forward: Forward, reach: Reach): Forward {
  return async (call) => {
    if (call.method === "fetch") requireHost(reach, fetched.parse(call.params).url);
    if (call.method === "proxy") {
      const { baseUrlOverride: base } = proxied.parse(call.params);
      // Whose the other addresses are, and what is an integration's, the server knows.
      const isKnown = base === undefined || reach.egress?.includes(INTEGRATION_HOSTS) === true;
      if (!isKnown) requireHost(reach, base);
    }
    if (reach.credentials === undefined) return await forward(call);
    requireWithheld(call);
    const answer = await forward(call);
    if (call.method !== "getConnection") return answer;
    const { credentials: _, ...value } = z.looseObject({}).parse(answer.value);
    return { ...answer, value };
  };
}

/** Throws a HostFailure `egress_refused` for an address that the function does not name. */
export function requireHost({ egress, functionName }: Reach, text: string): void {
  if (egress === undefined || egress.includes(ANY_HOST)) return;
  const url = URL.parse(text);
  if (url !== null && egress.some((entry) => coversHost(entry, url))) return;
  const host = url === null ? "an address that is none" : toEgressHost(url);
  const line = `egress: [${[...egress, host].map((entry) => `"${entry}"`).join(", ")}]`;
  throw new HostFailure({
    type: "egress_refused",
    message: `${functionName} may not send to ${host}: its egress does not name the host. If it should, write ${line}. Outside of the server, ${INTEGRATION_HOSTS} covers only what svc calls.`,
    status: 403,
  });
}

function requireWithheld({ method, params }: Parameters<Forward>[0]): void {
  const { refreshToken = false, include = [] } = asked.safeParse(params).data ?? {};
  const isSecret =
    method === "getEnvironmentVariables" ||
    (method === "getConnection" && refreshToken) ||
    (method === "getIntegration" && include.includes("credentials"));
  if (!isSecret) return;
  throw new HostFailure({
    type: "credentials_withheld",
    message: 'The function has credentials: "proxy-only", so that it sees no secret.',
    status: 403,
  });
}
