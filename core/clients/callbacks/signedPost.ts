import { createHmac, type KeyObject } from 'node:crypto'
import { tooSlow } from '@lantern-room/base'
import { type Clock, withDeadline } from '@lantern-room/base/async'
import type { Message } from './delivery'

/**
 * Sends a text by POST to a URL that a client has given. A name that resolves to a private address is refused, and no redirect is
 * followed.
 * @returns the status of the response. @throws Error when there is none, or the signal's reason
 */
export type PostText = (
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<number>

/** How long one try may take, in milliseconds. */
export const TRY_MS = 5000

/**
 * Sends a message, signed by each of the secrets.
 * @returns the status of the response
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function postSigned(
  { clock, post }: { readonly clock: Clock; readonly post: PostText },
  url: string,
  { id, body }: Message,
  secrets: readonly KeyObject[],
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const timestamp = Math.floor(clock.unixTime() / 1000)
  const sign = (secret: KeyObject) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  }
  return withDeadline(clock, ms, signal, tooSlow, (limit) => post(url, { headers, body }, limit))
}
