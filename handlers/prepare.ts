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
  const parts = partsOf(shared)
  const enqueue = send && ((fields: FormFields) => enqueuePrepare({ ...parts, send }, fields))
  return [prepareRoute(parts.createSession, { ...shared, enqueue })]
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
  const preparing = composePreparing(shared)
  const parts = {
    ...preparing,
    callbacks: new Callbacks({ ...preparing, settings: shared.callbacks, post: postText }),
  }
  return { ...parts, createSession: ((...asked) => createSession(parts, ...asked)) satisfies CreateSession }
}
