import { createEmitter, type Emitter } from '#core/async/emitter'
import type { NetworkEvent } from '../networkStatus'
import type { MemberLinks } from './memberLinks'
import type { MemberNetwork } from './memberNetwork'

/** What a connection to a room reports, as host and as guest. */
export function createNetworkEvents({
  member: { network },
  changes,
  links,
}: {
  readonly member: Pick<MemberNetwork, 'network'>
  /** Members, paths or shared nodes have changed. */
  readonly changes: Emitter<void>
  readonly links: MemberLinks
}): Emitter<NetworkEvent> {
  const events = createEmitter<NetworkEvent>()
  changes.subscribe(() => {
    events.emit({ kind: 'members' })
    events.emit({ kind: 'status' })
  })
  links.onMeasured(() => {
    events.emit({ kind: 'links' })
    // The status has the bytes that we carry for others, which grow meanwhile.
    if (network.memberRelay()) events.emit({ kind: 'status' })
  })
  return events
}
