import { randomUUID } from "node:crypto";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";

/** Whose telemetry it is: ours, and over it what `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say. */
export function toResource(version: string): Resource {
  const ours = {
    "service.name": "jackfield",
    "service.version": version,
    "service.instance.id": randomUUID(),
  };
  const configured = detectResources({ detectors: [envDetector] });
  return defaultResource().merge(resourceFromAttributes(ours)).merge(configured);
}
