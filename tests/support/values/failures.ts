import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { ConfigError } from '@lantern-room/base/settings'
import { FormatError, type FormatErrorCode } from '@lantern-room/formats'
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

/** The FormatError that a call throws, checked to be of this code if one is given; other errors are thrown on. */
export function thrownFormatError(act: () => unknown, code?: FormatErrorCode): FormatError {
  return formatError(thrownBy(act), code)
}

/** The FormatError that a promise rejects with, checked to be of this code if one is given; other errors are thrown on. */
export async function rejectedFormatError(
  work: Promise<unknown>,
  code?: FormatErrorCode,
): Promise<FormatError> {
  return formatError(await rejection(work), code)
}

/** Fails when a call throws anything but a FormatError; it may succeed. */
export function mayThrowFormatError(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    assert.instance(error, FormatError)
  }
}

/** For `assert.throws`: a FormatError of this code, with these words for people if some are given. */
export function isFormatError(code: FormatErrorCode, words = /(?:)/): (error: unknown) => boolean {
  return (error) => error instanceof FormatError && error.code === code && words.test(error.detail)
}

function formatError(error: unknown, code?: FormatErrorCode): FormatError {
  if (!(error instanceof FormatError)) throw error
  if (code !== undefined) assert.is(error.code, code, error.detail)
  return error
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
