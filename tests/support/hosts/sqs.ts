import { randomUUID } from 'node:crypto'
import type { Moto } from './moto'

export type SqsMessage = {
  readonly Body: string
  readonly ReceiptHandle: string
  readonly Attributes: Readonly<Record<string, string>>
}

/** Calls SQS as the emulator takes them, which checks no signature. */
export async function callSqs(
  { settings }: Pick<Moto, 'settings'>,
  action: string,
  fields: object,
): Promise<Readonly<Record<string, unknown>>> {
  const Authorization = 'AWS4-HMAC-SHA256 Credential=a/20260101/eu-central-1/sqs/aws4_request'
  const type = 'application/x-amz-json-1.0'
  const headers = { Authorization, 'Content-Type': type, 'X-Amz-Target': `AmazonSQS.${action}` }
  const url = String(settings.AWS_ENDPOINT_URL)
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) })
  const said = await response.text()
  if (!response.ok) throw new Error(said)
  return said === '' ? {} : JSON.parse(said)
}

/** A queue of its own. @returns its URL */
export async function createdQueue(
  moto: Pick<Moto, 'settings'>,
  name: string,
  Attributes = {},
): Promise<string> {
  const QueueName = `${name}-${randomUUID()}`
  return String((await callSqs(moto, 'CreateQueue', { QueueName, Attributes })).QueueUrl)
}
