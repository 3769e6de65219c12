import { getHeapStatistics } from "node:v8";

/**
 * `process.memoryUsage` for functions. Node reads the resident size from /proc, which a function's process need not
 * have; the most it ever had is used then.
 */
export function createMemoryUsage(real: NodeJS.Process): NodeJS.MemoryUsageFn {
  const { memoryUsage, resourceUsage } = real;
  const readPeak = () => resourceUsage().maxRSS * 1024;
  const read = () => {
    try {
      return memoryUsage();
    } catch {
      const { total_heap_size, used_heap_size, external_memory } = getHeapStatistics();
      return {
        rss: readPeak(),
        heapTotal: total_heap_size,
        heapUsed: used_heap_size,
        external: external_memory,
        arrayBuffers: 0,
      };
    }
  };
  return Object.assign(read, { rss: () => read().rss });
}
