import type { SQSEvent } from 'aws-lambda'
import { postText } from '../core/adapters/network/postText'
import { sendBySqs } from '../core/adapters/objectStore/sqsQueue'
import type { FormFields } from '../core/formFields'
import { type CreateSession, prepareRoute } from '../core/media/api/prepare'
import { enqueuePrepare, takeMessage } from '../core/media/api/prepareQueue'
import { createSession } from '../core/media/prepare/createSession'
import { Callbacks } from '../core/media/uploads/callbacks'
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
