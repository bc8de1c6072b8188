import { ServiceError } from '#core/errors'
import { isPrintable } from '../cleanText'

/** What a launcher configures while the service runs. */
export type Settings = {
  launcherCustomString(): string | undefined
  /** null, undefined or empty clears it. @throws ServiceError `invalid-request` */
  setLauncherCustomString(value: string | null | undefined): void
  /** Shared nodes of every room, beside those that an order names. */
  nodes(): readonly string[]
  /** Of rooms from now on; undefined = the configured ones. */
  setNodes(nodes: readonly string[] | undefined): void
  /**
   * The vendor string `<product> <version>[ <launcherCustomString>]`, which other players see.
   * @param ownCustomString of one request; null, undefined or empty = the one that is set
   * @throws ServiceError `invalid-request`
   */
  vendor(ownCustomString?: string | null): string
}

const MAX_LAUNCHER_CUSTOM_STRING = 128

export function createSettings({
  product,
  version,
  nodes: configured,
}: {
  readonly product: string
  readonly version: string
  readonly nodes: readonly string[]
}): Settings {
  let customString: string | undefined
  let nodes = configured
  return {
    launcherCustomString: () => customString,
    setLauncherCustomString(value) {
      customString = checkCustomString(value)
    },
    nodes: () => nodes,
    setNodes(next) {
      nodes = next ?? configured
    },
    vendor(ownCustomString) {
      const custom = checkCustomString(ownCustomString) ?? customString
      return [product, version, custom].filter((part) => part !== undefined).join(' ')
    },
  }
}

/** @returns undefined when it is null, undefined or empty. @throws ServiceError `invalid-request` */
function checkCustomString(value: string | null | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if ([...value].length > MAX_LAUNCHER_CUSTOM_STRING || !isPrintable(value)) {
    throw new ServiceError(
      'invalid-request',
      `launcherCustomString must have at most ${MAX_LAUNCHER_CUSTOM_STRING} printable characters.`,
    )
  }
  return value
}
