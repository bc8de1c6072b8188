import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { storedBelow, takenByS3 } from '#support/hosts/hostOnS3'
import type { Host } from '#support/hosts/hosts'
import { EXECUTE_API } from '#support/hosts/lambdaEvents'
import { callSqs, createdQueue, type SqsMessage } from '#support/hosts/sqs'
import type { Settings } from '#support/process/serverProcess'
import { openS3, type S3 } from '#support/store/s3'
import { mediaSuite } from '../contract/http/mediaSuite'
import { openGateway } from './functions/gateway'
import { type PackagedFunctions, startPackagedFunctions } from './functions/packagedFunctions'

// `packagedFunctions.ts` runs it, with the packages, the runtime client and an S3 in its environment.

const { PACKAGES = '', RUNTIME_CLIENT = '', QUEUE_ENDPOINT } = process.env
/** Addresses that the functions tell begin with it. */
const url = `https://${EXECUTE_API}/dev`
let s3: Promise<S3> | undefined

mediaSuite(`the packaged functions of ${PACKAGES.split('/').at(-1)}`, start, {
  ...takenByS3,
  ...(QUEUE_ENDPOINT !== undefined && { queued: 'received' }),
})

async function start(settings: Settings): Promise<Host> {
  s3 ??= openS3()
  const store = await s3
  const prefix = `packaged-${randomUUID()}`
  const queue = QUEUE_ENDPOINT === undefined ? undefined : { settings: { AWS_ENDPOINT_URL: QUEUE_ENDPOINT } }
  const PREPARE_QUEUE_URL = queue && (await createdQueue(queue, 'packaged'))
  const functions = await startPackagedFunctions(PACKAGES, RUNTIME_CLIENT, {
    ...store.settings(prefix),
    ...(PREPARE_QUEUE_URL !== undefined && { PREPARE_QUEUE_URL }),
    ...settings,
  })
  const gateway = await openGateway(functions)
  const over = new AbortController()
  const giving =
    queue && PREPARE_QUEUE_URL !== undefined
      ? giveMessages(functions, queue, PREPARE_QUEUE_URL, over.signal)
      : undefined
  return {
    url,
    dataDir: '',
    stored: (key) => storedBelow(store, prefix, key),
    send: (path, init) => fetch(`http://127.0.0.1:${gateway.port}${path.replace(/^\/dev(?=\/)/, '')}`, init),
    async stop() {
      over.abort()
      gateway.close()
      await functions.stop()
      await giving?.catch(() => undefined)
    },
  }
}

/** As Lambda's event source does: what the function has taken is deleted, everything else comes again. */
async function giveMessages(
  functions: PackagedFunctions,
  queue: Parameters<typeof callSqs>[0],
  QueueUrl: string,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const asked = { QueueUrl, AttributeNames: ['All'], VisibilityTimeout: 330 }
    const { Messages } = await callSqs(queue, 'ReceiveMessage', asked)
    const [message] = (Messages as readonly SqsMessage[] | undefined) ?? []
    if (!message) {
      await sleep(200)
      continue
    }
    const { Body: body, ReceiptHandle, Attributes: attributes } = message
    const event = { Records: [{ body, receiptHandle: ReceiptHandle, attributes, eventSource: 'aws:sqs' }] }
    const isTaken = await functions
      .invoke('PrepareQueuedLambdaFunction', JSON.stringify(event), async (answer) => void answer.resume())
      .then(
        () => true,
        () => false,
      )
    if (isTaken) await callSqs(queue, 'DeleteMessage', { QueueUrl, ReceiptHandle })
  }
}
