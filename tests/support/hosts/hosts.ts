import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import {
  freePort,
  projectRoot,
  type ServerProcess,
  type Settings,
  startServer,
} from '../process/serverProcess'

/** A place where the media API is served. */
export type Host = {
  /** `http://…`, without a final slash. */
  readonly url: string
  /** Where its object store and its work folders are. */
  readonly dataDir: string
  /** An object of its store; only where the store is not in `dataDir`. */
  readonly stored?: (key: string) => Promise<Uint8Array>
  /** Sends a request and resolves with whatever comes back. @param path begins with a slash */
  send(path: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
}

/** A host that is a process of its own. */
export type ProcessHost = Host & { readonly server: ServerProcess }

/** Starts the Node host on a free port. @param settings may name a `DATA_DIR`, which is then left alone */
export async function startNodeHost(settings: Settings = {}): Promise<ProcessHost> {
  return inDataFolder(settings, async (dataDir) => {
    const main = join(projectRoot, 'dist/local-runner/main.mjs')
    const server = startServer([main, 'media'], {
      MEDIA_PORT: '0',
      ...settings,
      DATA_DIR: dataDir,
    })
    const [, url = ''] = await isUp(server, /listening on (http:\S+)/)
    return { url, server }
  })
}

/** Starts serverless-offline on a free port. */
export async function startOfflineHost(settings: Settings = {}): Promise<ProcessHost> {
  return inDataFolder(settings, async (dataDir) => {
    const port = await freePort()
    const command = [join(projectRoot, 'node_modules/.bin/serverless'), 'offline']
    const server = startServer(command, { MEDIA_PORT: String(port), ...settings, DATA_DIR: dataDir })
    await isUp(server, /Server ready/)
    return { url: `http://127.0.0.1:${port}`, server }
  })
}

/** What a host has stored under a key. */
export async function storedBytes(host: Host, key: string): Promise<Uint8Array> {
  return host.stored ? host.stored(key) : readFile(join(host.dataDir, 'store', key))
}

/** Waits until a new process says so. One that does not is killed. @returns the match */
export async function isUp(server: ServerProcess, pattern: RegExp): Promise<RegExpExecArray> {
  try {
    return await server.said(pattern)
  } catch (error) {
    server.signal('SIGKILL')
    throw error
  }
}

/** @param start a process, which is given a folder of its own unless the settings name one */
export async function inDataFolder(
  settings: Settings,
  start: (dataDir: string) => Promise<{ url: string; server: ServerProcess }>,
): Promise<ProcessHost> {
  const dataDir = settings.DATA_DIR ?? (await makeTempFolder('lantern-host'))
  const removeOwn = async () => {
    if (settings.DATA_DIR === undefined) await removeFolders(dataDir)
  }
  try {
    const { url, server } = await start(dataDir)
    return {
      url,
      server,
      dataDir,
      send: (path, init) => fetch(`${url}${path}`, init),
      async stop() {
        await server.end()
        await removeOwn()
      },
    }
  } catch (error) {
    await removeOwn()
    throw error
  }
}
