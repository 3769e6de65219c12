import { useQuery } from "@tanstack/react-query";
import { type Connection, connectionsQuery } from "../../data/connections.ts";
import { functionListQuery } from "../../data/functions/functions.ts";
import { integrationsQuery } from "../../data/integrations.ts";
import { modelsQuery, type RecordModel } from "../../data/records/records.ts";
import { type Simulator, simulatorQuery } from "../../data/start/simulator.ts";
import { type ListedSync, syncsQuery } from "../../data/syncs.ts";
import { usePagedRows } from "../../parts/list/rows.ts";
import { useEnvironment } from "../../shell/use-environment.ts";

/** The provider of the simulator, also before it runs. */
export const INTEGRATION = "hubspot";

/** How far somebody is, read from what there is: a page that is left and opened again continues where it was. */
export interface Progress {
  readonly isReading: boolean;
  /** Why it is not known; null when it is. */
  readonly error: unknown;
  readonly readAgain: () => void;
  readonly simulator: Simulator | undefined;
  readonly hasIntegration: boolean;
  /** An integration of that name which goes to the real provider. */
  readonly connection: Connection | undefined;
  readonly hasFunction: boolean;
  readonly sync: ListedSync | undefined;
  readonly model: RecordModel | undefined;
}

export function useProgress(): Progress {
  const { name: environment } = useEnvironment();
  const simulator = useQuery(simulatorQuery(environment));
  const integrations = useQuery(integrationsQuery(environment));
  const hasIntegration =
    integrations.data?.some(({ unique_key: key }) => key === INTEGRATION) === true;
  const of = { provider_config_key: INTEGRATION };
  const connections = usePagedRows(connectionsQuery(environment, { integrationId: INTEGRATION }));
  const functions = usePagedRows(functionListQuery(environment, of));
  const syncs = usePagedRows(syncsQuery(environment, { ...of, include: "runs" }));
  const connection = connections.rows[0];
  const ofOne = connection && { ...of, connection_id: connection.connection_id };
  const models = usePagedRows(modelsQuery(environment, ofOne ?? {}));
  const ofConnection = ({ connection_id: id }: { readonly connection_id: string }) =>
    id === connection?.connection_id;
  return {
    isReading: simulator.isLoading || integrations.isLoading,
    error: simulator.error ?? integrations.error,
    readAgain: () => {
      void simulator.refetch();
      void integrations.refetch();
    },
    simulator: simulator.data,
    hasIntegration,
    connection: hasIntegration ? connection : undefined,
    hasFunction: functions.rows.some(({ type }) => type === "sync"),
    sync: syncs.rows.find(ofConnection),
    model: models.rows.find(ofConnection),
  };
}
