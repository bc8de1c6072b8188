import { fileURLToPath } from 'node:url'

/**
 * The built file of a worker process.
 * @param name as `network/scaleWorker`
 * @param folder below `tests`
 */
export function workerPath(name: string, folder = 'support'): string {
  return fileURLToPath(import.meta.url.replace(/\/tests\/.*$/, `/tests/${folder}/${name}.mjs`))
}
