import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";

export type Simulator = AnswerOf<"getSimulator">["data"];
export type SimulatorFault = NonNullable<Simulator["fault"]>;
export type SampleFunction = Simulator["functions"][number];

const SECOND = 1000;
const LOOKED_EVERY_MS = SECOND / 2;
/** A deployment waits in a queue, and compiles. */
const PATIENCE_MS = 2 * 60 * SECOND;

/** The provider that this server plays, if it does. */
export function simulatorQuery(environment: string) {
  return queryOptions({
    queryKey: ["simulator", environment],
    queryFn: async ({ signal }) => (await callApi("getSimulator", { environment, signal })).data,
  });
}

/** Starts the simulator, and makes the integration whose calls go to it. */
export async function makeSimulated(environment: string): Promise<void> {
  const { data } = await callApi("startSimulator", { environment });
  await callApi("createIntegration", { environment, body: Object(data.integration) });
  await queryClient.invalidateQueries({ queryKey: ["simulator", environment] });
  await queryClient.invalidateQueries({ queryKey: ["integrations", environment] });
}

/** Compiles and deploys the source of one function; throws with what the compiler says. */
export async function deploySource(
  environment: string,
  integration: string,
  { type, name, code }: SampleFunction,
): Promise<void> {
  const body = {
    type: "function",
    integration_id: integration,
    function_type: type,
    function_name: name,
    code,
  } as const;
  const { id } = await callApi("createDeployment", { environment, body });
  const endsAt = Date.now() + PATIENCE_MS;
  while (Date.now() < endsAt) {
    const job = await callApi("getDeployment", { environment, params: { id } });
    if (job.status === "failed") throw new Error(job.error?.message ?? job.status);
    if (job.status === "success") {
      await queryClient.invalidateQueries({ queryKey: ["function-list", environment] });
      await queryClient.invalidateQueries({ queryKey: ["syncs", environment] });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOKED_EVERY_MS));
  }
  throw new Error(`The deployment ${id} has not ended within two minutes.`);
}

/** Makes the simulator fail, or work, and has the syncs of a connection meet it. */
export async function setFault(
  environment: string,
  fault: SimulatorFault,
  sync: {
    readonly provider_config_key: string;
    readonly connection_id: string;
    readonly name: string;
  },
): Promise<void> {
  await callApi("setSimulatorFault", { environment, body: { fault } });
  const { provider_config_key, connection_id, name } = sync;
  const body = { provider_config_key, connection_id, syncs: [name] };
  await callApi("triggerSyncs", { environment, body });
  await queryClient.invalidateQueries({ queryKey: ["simulator", environment] });
}
