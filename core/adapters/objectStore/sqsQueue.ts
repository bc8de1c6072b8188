import { S3Client } from '@aws-sdk/client-s3'
import { ServiceError } from '@lantern-room/base'
import type { MessageQueue, QueueMessage } from '@lantern-room/media/ports'
import { z } from 'zod'

/** A message as SQS gives it: by the API with capitals, to a function without. */
export type ReceivedMessage = {
  readonly body: string
  readonly receiptHandle: string
  readonly attributes: Readonly<Record<string, string | undefined>>
}

/** A queue of SQS, or of a server that speaks like it. */
export type SqsQueue = MessageQueue & {
  /** A message that the platform has received for this function. */
  given(message: ReceivedMessage): QueueMessage
}

const answer = z.object({
  Messages: z
    .array(
      z.object({
        Body: z.string(),
        ReceiptHandle: z.string(),
        Attributes: z.record(z.string(), z.string()).optional(),
      }),
    )
    .optional(),
})

const CALL_MS = 5000
/** What the group of a message is made of, at most 128 of these. */
const NOT_IN_GROUPS = /[^A-Za-z0-9!-/:-@[-`{-~]/g

/**
 * A queue of SQS. Its calls are signed by the signer of the S3 client: four calls do not justify another SDK client. A message that is
 * sent twice, after a lost answer, does no harm.
 * @param url of a standard queue
 * @returns a queue whose calls throw ServiceError `unavailable` when SQS refuses them, or does not answer in 5 s beyond `waitSeconds`
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
 * @example await sqsQueue('https://sqs.eu-central-1.amazonaws.com/123456789012/prepare').send(JSON.stringify({ id: session.id }))
 */
export function sqsQueue(url: string): SqsQueue {
  const call = signedCalls(url)
  let hasGroups = true

  const given = ({ body, receiptHandle, attributes }: ReceivedMessage): QueueMessage => {
    const handle = { QueueUrl: url, ReceiptHandle: receiptHandle }
    return {
      text: body,
      count: Number(attributes.ApproximateReceiveCount ?? 1),
      sentMs: Number(attributes.SentTimestamp ?? 0),
      async hold(seconds) {
        await call('ChangeMessageVisibility', { ...handle, VisibilityTimeout: seconds })
      },
      async remove() {
        await call('DeleteMessage', handle)
      },
    }
  }

  return {
    given,
    async send(text, { group, delaySeconds = 0 } = {}) {
      const message = {
        QueueUrl: url,
        MessageBody: text,
        ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
      }
      if (group === undefined || !hasGroups) return void (await call('SendMessage', message))
      const MessageGroupId = group.replaceAll(NOT_IN_GROUPS, '_').slice(0, 128)
      await call('SendMessage', { ...message, MessageGroupId }).catch(async (error: unknown) => {
        // A server that is no fair queue, as SQS itself was none before July 2025.
        const { cause } = error as ServiceError
        if (!/MessageGroupId|InvalidParameterValue/.test(String(cause))) throw error
        hasGroups = false
        await call('SendMessage', message)
      })
    },
    async receive({ waitSeconds, holdSeconds, signal }) {
      const asked = {
        QueueUrl: url,
        MaxNumberOfMessages: 1,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: holdSeconds,
        AttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
      }
      const said = await call('ReceiveMessage', asked, { waitMs: waitSeconds * 1000, signal })
      const [message] = answer.safeParse(said).data?.Messages ?? []
      if (!message) return undefined
      const { Body: body, ReceiptHandle: receiptHandle, Attributes: attributes = {} } = message
      return given({ body, receiptHandle, attributes })
    },
  }
}

/** @returns a call of the queue's API by its name. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-json.html */
function signedCalls(url: string) {
  const { config } = new S3Client({})
  const { protocol, hostname, port, host, origin } = new URL(url)
  const target = { protocol, hostname, ...(port !== '' && { port: Number(port) }), path: '/', query: {} }

  return async (
    action: string,
    fields: object,
    { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    try {
      const scheme = {
        name: 'sigv4',
        signingName: 'sqs',
        signingRegion: await config.region(),
        properties: {},
      }
      const body = JSON.stringify(fields)
      const headers = {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
      }
      const signer = await config.signer(scheme)
      const signed = await signer.sign({ method: 'POST', ...target, headers, body })
      const limit = AbortSignal.timeout(CALL_MS + waitMs)
      const until = signal ? AbortSignal.any([signal, limit]) : limit
      const response = await fetch(origin, { method: 'POST', headers: signed.headers, body, signal: until })
      const said = await response.text()
      if (!response.ok) throw new Error(`SQS answers ${action} with ${response.status}: ${said}`)
      return said === '' ? {} : JSON.parse(said)
    } catch (cause) {
      signal?.throwIfAborted()
      throw new ServiceError('unavailable', 'The queue cannot be reached. Try again in a moment.', { cause })
    }
  }
}
