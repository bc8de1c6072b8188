import { fileURLToPath } from 'node:url'

/** The built file of a worker process. @param name below `tests`, as `bench/scaleWorker` */
export function workerPath(name: string): string {
  return fileURLToPath(import.meta.url.replace(/\/tests\/.*$/, `/tests/${name}.mjs`))
}
