import { readFile } from 'node:fs/promises'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createMediaApp, logMetrics, readMediaConfig } from '@lantern-room/media'
import { UNKNOWN_CAPTURE } from '@lantern-room/media/browser'
import { Sessions, thumbnailRoutes } from '@lantern-room/media/functions'
import type { Ffmpeg } from '@lantern-room/media/ports'
import { createMemoryStore } from '../store/memoryStore'
import { silentLog } from '../values/testLog'
import type { Preview } from './prepared'

export type ServedFrames = (frame: number, width: number) => Promise<Uint8Array>

/**
 * The frames of a preview as GET /sessions/{id}/frames/{n}.jpg answers them: each is taken by ffmpeg, since the session has no filmstrip.
 * Those that are asked for at the same time are taken together. What was taken once is kept.
 */
export async function servedFrames(preview: Preview, ffmpeg: Ffmpeg): Promise<ServedFrames> {
  const config = readMediaConfig({})
  const log = silentLog()
  const clock = createSystemClock()
  const store = createMemoryStore(clock.unixTime)
  const stopping = new AbortController().signal
  const lifetime = { ttlSeconds: 86_400, now: clock.unixTime, mayRemove: () => false }
  const sessions = new Sessions({ store, ...lifetime })
  const dated = { ...preview, strip: undefined, capture: UNKNOWN_CAPTURE }
  const { id } = await sessions.create(dated, { path: preview.path }, stopping)
  // A file is put into this store by its path alone.
  await store.putBytes(`sessions/${id}/preview.mp4`, await readFile(preview.path), {
    contentType: 'video/mp4',
  })
  const shared = {
    store,
    sessions,
    clock,
    config,
    log,
    stopping,
    limits: config.limits,
    previewSize: config.previewSize,
    metrics: logMetrics(log),
    version: 'test',
    workFolders: createWorkFolders({ folder: `${preview.path}.frames` }),
  }
  const app = createMediaApp({ config, clock, log }, thumbnailRoutes(shared, ffmpeg))
  return async (frame, width) => {
    const response = await app(new Request(`http://x/sessions/${id}/frames/${frame}.jpg?width=${width}`))
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return new Uint8Array(await response.arrayBuffer())
  }
}
