import type { ErrorCode, ServiceError } from '@lantern-room/base'
import * as assert from 'uvu/assert'
import { rejectedRefusal } from '#support/values/failures'

/**
 * The error that a promise rejects with, checked to be a ServiceError of this code whose text for the client is a
 * sentence without a path in it.
 */
export async function refusal(promise: Promise<unknown>, code: ErrorCode): Promise<ServiceError> {
  const error = await rejectedRefusal(promise, code)
  assert.match(error.detail, /^[A-Z].*\.$/)
  assert.not.match(error.detail, /\/(?:tmp|dev|home|usr|proc|var|root)\b|\\/)
  return error
}

/** All bytes of an object's body. */
export async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer())
}

/** The value; fails when there is none. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It was expected to be there.')
  return value
}
