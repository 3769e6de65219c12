import type { simulatorFaults } from "@jackfield/contract";

export type SimulatorFault = (typeof simulatorFaults)[number];

/** A provider that is played on this machine. */
export interface Simulator extends AsyncDisposable {
  readonly provider: string;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The body of `POST /integrations`. */
  readonly integration: object;
  readonly functions: readonly {
    readonly type: "sync" | "action";
    readonly name: string;
    readonly code: string;
  }[];
  readonly fault: SimulatorFault;
  setFault(fault: SimulatorFault): void;
  /** How many calls and refreshes went well. */
  readonly counts: { readonly calls: number; readonly refreshes: number };
  /** What its next start takes, so that connections of today are known tomorrow. */
  remember(): string;
}

/** Starts it on a port of loopback: this one, or a free one. */
export type StartSimulator = (given: {
  readonly port?: number | undefined;
  readonly memory?: string | undefined;
}) => Promise<Simulator>;
