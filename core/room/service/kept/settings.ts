import { isPrintable, ServiceError } from '@lantern-room/base'
import type { RoomConfig } from '../../config'
import type { NodesFrom } from '../../nodes/nodes'
import type { KeptNodes } from './keptNodes'

export type Settings = ReturnType<typeof createSettings>

const MAX_LAUNCHER_CUSTOM_STRING = 128

type SettingsDependencies = {
  readonly product: string
  readonly version: string
  readonly config: Pick<RoomConfig, 'nodes' | 'nodesFrom'>
  readonly keptNodes?:
    | ({ readonly initial: readonly string[] | undefined } & Pick<KeptNodes, 'keep'>)
    | undefined
}

/** The settings that a launcher changes while the service runs. */
export function createSettings({ product, version, config, keptNodes }: SettingsDependencies) {
  let customString: string | undefined
  let chosenNodes = keptNodes?.initial
  return {
    launcherCustomString: (): string | undefined => customString,
    /** null, undefined or empty clears it. @throws ServiceError `invalid-request` */
    setLauncherCustomString(value: string | null | undefined): void {
      customString = checkCustomString(value)
    },
    /** Shared nodes of every room, beside those that a request names. */
    nodes: (): readonly string[] => chosenNodes ?? config.nodes,
    /** `client`: `setNodes` has set them, in this run or an earlier one. */
    nodesFrom: (): NodesFrom => (chosenNodes ? 'client' : config.nodesFrom),
    /** Sets the shared nodes of later rooms; undefined = the configured ones. Resolves, and never rejects, once they are kept for the next start. */
    async setNodes(nodes: readonly string[] | undefined): Promise<void> {
      chosenNodes = nodes
      await keptNodes?.keep(nodes)
    },
    /**
     * The vendor string `<product> <version>[ <launcherCustomString>]`, which other players see.
     * @param ownCustomString of one request; null, undefined or empty = the one that is set
     * @throws ServiceError `invalid-request`
     */
    vendor(ownCustomString?: string | null): string {
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
