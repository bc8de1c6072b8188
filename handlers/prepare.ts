import { postText } from '@lantern-room/adapters/network'
import { sendBySqs } from '@lantern-room/adapters/objectStore/queue'
import { prepareFunction } from '@lantern-room/media/functions'
import type { SQSEvent } from 'aws-lambda'
import { eventHandler, type FunctionDependencies, mediaHandler, queueUrl } from './compose'
import { encodingTools } from './encoding/compose'

const send = queueUrl === undefined ? undefined : sendBySqs(queueUrl)

/** POST /prepare */
export const handler = mediaHandler((shared) => compose(shared).routes)

let taking: ReturnType<typeof compose> | undefined

/** By the queue: prepares what POST /prepare has left there */
export const queued = eventHandler('taken from the queue', async (shared, { Records }: SQSEvent, signal) => {
  taking ??= compose(shared)
  // One, as the stack says.
  const [{ body = '', attributes } = {}] = Records
  const count = Number(attributes?.ApproximateReceiveCount)
  return { ended: await taking.take(body, count, signal) }
})

function compose(shared: FunctionDependencies) {
  return prepareFunction(shared, encodingTools(shared), { post: postText, send })
}
