import { S3Client } from '@aws-sdk/client-s3'
import { ServiceError } from '@lantern-room/base'
import type { SendMessage } from '@lantern-room/media/ports'

/**
 * Sends messages to an SQS queue. They are signed by the signer of the S3 client: one call does not justify another SDK client. A message
 * that is sent twice, after a lost answer, does no harm.
 * @param url the queue's URL
 * @returns a function that throws ServiceError `unavailable` when the queue does not take the message in 5 s
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 * @example await sendBySqs('https://sqs.eu-central-1.amazonaws.com/123456789012/prepare')(JSON.stringify({ id: session.id }))
 */
export function sendBySqs(url: string): SendMessage {
  const { config } = new S3Client({})
  const { protocol, hostname, port, host, origin } = new URL(url)
  const headers = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'AmazonSQS.SendMessage',
  }
  return async (text) => {
    try {
      const scheme = {
        name: 'sigv4',
        signingName: 'sqs',
        signingRegion: await config.region(),
        properties: {},
      }
      const body = JSON.stringify({ QueueUrl: url, MessageBody: text })
      const target = { protocol, hostname, ...(port !== '' && { port: Number(port) }), path: '/', query: {} }
      const signer = await config.signer(scheme)
      const signed = await signer.sign({ method: 'POST', ...target, headers, body })
      const signal = AbortSignal.timeout(5000)
      const response = await fetch(origin, { method: 'POST', headers: signed.headers, body, signal })
      if (!response.ok) throw new Error(`SQS answers ${response.status}: ${await response.text()}`)
    } catch (cause) {
      throw new ServiceError('unavailable', 'The queue cannot be reached. Try again in a moment.', { cause })
    }
  }
}
