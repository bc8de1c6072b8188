import { postText } from '@lantern-room/adapters/network'
import { sendBySqs } from '@lantern-room/adapters/objectStore/queue'
import type { FormFields } from '@lantern-room/base'
import {
  Callbacks,
  type CreateSession,
  createSession,
  enqueuePrepare,
  prepareRoute,
  takeMessage,
} from '@lantern-room/media'
import type { SQSEvent } from 'aws-lambda'
import { eventHandler, type FunctionDependencies, mediaHandler, queueUrl } from './compose'
import { composePreparing } from './encoding/compose'

const send = queueUrl === undefined ? undefined : sendBySqs(queueUrl)

/** POST /prepare */
export const handler = mediaHandler((shared) => {
  const { callbacks, uploads, createSession } = partsOf(shared)
  const { clock, log, limits } = shared
  const enqueue =
    send && ((fields: FormFields) => enqueuePrepare({ callbacks, uploads, limits, send }, fields))
  return [prepareRoute(createSession, { clock, log, enqueue })]
})

let taking: ReturnType<typeof partsOf> | undefined

/** By the queue: prepares what POST /prepare has left there */
export const queued = eventHandler('taken from the queue', async (shared, { Records }: SQSEvent, signal) => {
  taking ??= partsOf(shared)
  // One, as the stack says.
  const [{ body = '', attributes } = {}] = Records
  const count = Number(attributes?.ApproximateReceiveCount)
  return { ended: await takeMessage(taking, body, count, signal) }
})

function partsOf(shared: FunctionDependencies) {
  const { store, clock, log, config } = shared
  const preparing = composePreparing(shared)
  const { uploads } = preparing
  const callbacks = new Callbacks({ store, uploads, clock, log, settings: config.callbacks, post: postText })
  const parts = {
    store,
    clock,
    uploads,
    callbacks,
    sessions: preparing.sessions,
    quota: preparing.quota,
    jobs: preparing.jobs,
    limits: preparing.limits,
    metrics: preparing.metrics,
    previewSize: preparing.previewSize,
    processors: preparing.processors,
    ffmpeg: preparing.ffmpeg,
    webp: preparing.webp,
    workFolders: preparing.workFolders,
    receiveForm: preparing.receiveForm,
    openFile: preparing.openFile,
    stopping: preparing.stopping,
  }
  const ofRequest: CreateSession = (...asked) => createSession(parts, ...asked)
  return { callbacks, uploads, createSession: ofRequest }
}
