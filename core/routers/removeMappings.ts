import type { Log } from '@lantern-room/base'
import { withDeadline } from '@lantern-room/base/async'
import { removeByNatPmp } from './natPmpRouter'
import type { PortMapping } from './ports'
import type { RouterOptions } from './routers'
import { removeByUpnp } from './upnpRouter'

/** The end of a network waits for it. Routers answer at once or not at all. */
const REMOVE_MS = 500

/** Has routers close these ports. What a router does not confirm in time stays recorded, for the next start. Never rejects. */
export async function removeMappings(
  options: RouterOptions & { readonly log: Log },
  mappings: readonly PortMapping[],
  limitMs = REMOVE_MS,
): Promise<void> {
  const { clock, log, routers } = options
  await Promise.all(
    mappings.map(async (mapping) => {
      const late = () => new Error('no answer')
      try {
        await withDeadline(clock, limitMs, undefined, late, (signal) => remove(options, mapping, signal))
        await routers.record.remove(mapping)
      } catch (error) {
        log.debug('a port of the router stays open', { method: mapping.method, cause: String(error) })
      }
    }),
  )
}

function remove(options: RouterOptions, mapping: PortMapping, signal: AbortSignal): Promise<void> {
  return mapping.method === 'upnp'
    ? removeByUpnp(options, mapping, signal)
    : removeByNatPmp(options, mapping, signal)
}
