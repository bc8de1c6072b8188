import { postText } from '@lantern-room/adapters/network'
import { sqsQueue } from '@lantern-room/adapters/objectStore/queue'
import { prepareFunction } from '@lantern-room/media/functions'
import type { SQSEvent } from 'aws-lambda'
import { eventHandler, type FunctionDependencies, mediaHandler, queueUrl } from './compose'
import { encodingTools } from './encoding/compose'

const queue = queueUrl === undefined ? undefined : sqsQueue(queueUrl)

/** POST /prepare */
export const handler = mediaHandler((shared) => compose(shared).routes)

let taking: ReturnType<typeof compose> | undefined

/** By the queue: prepares what POST /prepare has left there */
export const queued = eventHandler('taken from the queue', async (shared, { Records }: SQSEvent, signal) => {
  taking ??= compose(shared)
  // One, as the stack says.
  const [record] = Records
  if (!queue || !record || !taking.take) throw new Error('There is no queue, or no message.')
  const { body, receiptHandle, attributes } = record
  const message = queue.given({ body, receiptHandle, attributes: { ...attributes } })
  return { ended: await taking.take(message, signal) }
})

function compose(shared: FunctionDependencies) {
  return prepareFunction(shared, encodingTools(shared), { post: postText, send: queue?.send })
}
