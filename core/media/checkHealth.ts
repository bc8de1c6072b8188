import { ServiceError } from '../errors'
import type { Ffmpeg, ObjectStore } from './ports'

export type CheckHealth = () => Promise<void>

/** Resolves when an upload could be prepared now. @throws ServiceError `unavailable` or `timeout` */
export async function checkHealth({
  store,
  ffmpeg,
}: {
  readonly store: Pick<ObjectStore, 'check'>
  readonly ffmpeg: Pick<Ffmpeg, 'version'>
}): Promise<void> {
  await Promise.all([store.check().catch(hideStorageError), ffmpeg.version()])
}

/** A store's own message may hold the name of a bucket or a path: it is logged as the cause and not sent to clients. */
function hideStorageError(cause: unknown): never {
  const code = cause instanceof ServiceError && cause.code === 'timeout' ? 'timeout' : 'unavailable'
  throw new ServiceError(code, 'The storage does not work right now. Try again later.', { cause })
}
