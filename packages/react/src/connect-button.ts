"use client";

import { type ButtonHTMLAttributes, createElement, type ReactElement } from "react";
import { type ConnectOptions, useConnect } from "./use-connect.ts";

export interface ConnectButtonProps
  extends ConnectOptions,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, keyof ConnectOptions | "onClick" | "type"> {}

/** A button that opens the hosted page; it takes the attributes of a button, and is disabled while the page is open. */
export function ConnectButton({
  host,
  getSessionToken,
  onConnect,
  onError,
  onClose,
  baseURL,
  detectClosedAuthWindow,
  lang,
  themeOverride,
  loadTimeout,
  children = "Connect",
  disabled = false,
  ...button
}: ConnectButtonProps): ReactElement {
  const { open, isOpen } = useConnect({
    host,
    getSessionToken,
    ...(onConnect && { onConnect }),
    ...(onError && { onError }),
    ...(onClose && { onClose }),
    ...(baseURL !== undefined && { baseURL }),
    ...(detectClosedAuthWindow !== undefined && { detectClosedAuthWindow }),
    ...(lang !== undefined && { lang }),
    ...(themeOverride !== undefined && { themeOverride }),
    ...(loadTimeout !== undefined && { loadTimeout }),
  });
  return createElement(
    "button",
    { ...button, type: "button", onClick: open, disabled: disabled || isOpen },
    children,
  );
}
