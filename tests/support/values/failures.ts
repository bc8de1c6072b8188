import { ConfigError, type ErrorCode, ServiceError } from '@lantern-room/base'
import * as assert from 'uvu/assert'

// What calls throw and promises reject with, for tests that look closer than `assert.throws`.

/** What a promise rejects with; fails when it does not. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([work])
  if (outcome.status === 'rejected') return outcome.reason
  throw new Error('It was expected to be refused.')
}

/** The ServiceError that a call throws, checked to be of this code if one is given; other errors are thrown on. */
export function thrownRefusal(act: () => unknown, code?: ErrorCode): ServiceError {
  return serviceError(thrownBy(act), code)
}

/** The ServiceError that a promise rejects with, checked to be of this code if one is given; other errors are thrown on. */
export async function rejectedRefusal(work: Promise<unknown>, code?: ErrorCode): Promise<ServiceError> {
  return serviceError(await rejection(work), code)
}

/** Fails when a call throws anything but a ServiceError; it may succeed. */
export function mayRefuse(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    assert.instance(error, ServiceError)
  }
}

/** How a call is refused, as `code: detail`; undefined when it is not. Other errors are thrown on. */
export function refusalOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    const { code, detail } = serviceError(error)
    return `${code}: ${detail}`
  }
}

/** The problems of the ConfigError that a call throws; fails when it throws nothing or another error. */
export function problemsOf(act: () => unknown): readonly string[] {
  const error = thrownBy(act)
  if (!(error instanceof ConfigError)) throw error
  return error.problems
}

/** For `assert.throws`, which takes a class itself for a check that any error passes. */
export const isRangeError = (error: unknown) => error instanceof RangeError

/** For `assert.throws`: a ServiceError of this code, with these words for the client if some are given. */
export function isRefusal(code: ErrorCode, words = /(?:)/): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === code && words.test(error.detail)
}

function serviceError(error: unknown, code?: ErrorCode): ServiceError {
  if (!(error instanceof ServiceError)) throw error
  if (code !== undefined) assert.is(error.code, code, error.detail)
  return error
}

/** What a call throws; fails when it throws nothing. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('It was expected to throw.')
}
