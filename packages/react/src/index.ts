"use client";

export { ConnectButton, type ConnectButtonProps } from "./connect-button.ts";
export { type Connecting, type ConnectOptions, useConnect } from "./use-connect.ts";
