import { ServiceError } from '../errors'
import { isPrintable } from './cleanText'

export const MAX_LAUNCHER_CUSTOM_STRING = 128

/** `<product> <version>[ <launcherCustomString>]`, by which other players see what somebody plays with. */
export function vendorString(
  product: string,
  version: string,
  launcherCustomString: string | undefined,
): string {
  return [product, version, launcherCustomString].filter((part) => part !== undefined).join(' ')
}

/**
 * The launcher's own part of the vendor string, as a request gives it.
 * @returns undefined when it is missing, null or empty, which clears it
 * @throws ServiceError `invalid-request` when it is no text, too long, or has control characters
 */
export function readLauncherCustomString(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') {
    throw new ServiceError('invalid-request', 'launcherCustomString must be a text or null.')
  }
  if ([...value].length > MAX_LAUNCHER_CUSTOM_STRING || !isPrintable(value)) {
    throw new ServiceError(
      'invalid-request',
      `launcherCustomString must have at most ${MAX_LAUNCHER_CUSTOM_STRING} printable characters.`,
    )
  }
  return value
}
