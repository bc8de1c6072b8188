import { join } from 'node:path'
import { projectRoot, type ServerProcess, type Settings, startServer } from './serverProcess'

/** `npm start` on free ports, away from the LAN and from shared nodes. It must have been built. */
export function startBothServices(dataFolder: string, settings: Settings = {}): ServerProcess {
  return startServer([join(projectRoot, 'dist/local-runner/main.mjs')], {
    DATA_DIR: dataFolder,
    MEDIA_PORT: '0',
    ROOM_PORT: '0',
    ROOM_LAN_INTERFACES: '127.0.0.1',
    ROOM_NODES: '',
    ...settings,
  })
}

/** Waits until a service listens. @returns its address, such as `http://127.0.0.1:8000` */
export async function addressOf(
  both: ServerProcess,
  name: 'motion photo API' | 'room service',
): Promise<string> {
  const [, url = ''] = await both.said(new RegExp(`^${name} listening on (\\S+)`, 'm'))
  return url
}
