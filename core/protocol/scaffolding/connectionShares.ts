import type { Clock } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { type Denial, Shares, type Standing } from '@lantern-room/base/limits'
import type { OnOverShare } from '../members'

export const MAX_CONNECTIONS = 64
/** A guest has two, and after a bad line for a while those of before it. */
const MAX_CONNECTIONS_PER_MEMBER = 4

type Open = { readonly stream: ByteStream; usedAt: number }

/**
 * The connections of the room protocol, shared among the members.
 * @param onFull called when a connection is refused though no member has more than others
 * @param standing of the members
 */
export function createConnectionShares(
  clock: Clock,
  onOverShare: OnOverShare,
  onFull: () => void,
  standing?: () => Standing<string>,
) {
  const limits = { perOwner: MAX_CONNECTIONS_PER_MEMBER, total: MAX_CONNECTIONS }
  const shares = new Shares<string, Open>(limits, standing)

  return {
    /** @returns undefined when there is no place for it; another connection may be closed to make room */
    open(stream: ByteStream, memberId: string) {
      const connection: Open = { stream, usedAt: clock.now() }
      if (!takePlace(memberId, connection)) return undefined
      return {
        /** The connection has just been used: it is not the one that makes room for another. */
        use(): void {
          connection.usedAt = clock.now()
        },
        leave: (): void => shares.remove(memberId, connection),
      }
    },
  }

  function takePlace(memberId: string, connection: Open): boolean {
    const own = shares.of(memberId).toSorted((one, other) => one.usedAt - other.usedAt)
    // A guest that reconnects must not wait until its old connections are known to be broken: the quietest one is closed.
    if (own[0] && own.length >= MAX_CONNECTIONS_PER_MEMBER) {
      onOverShare(memberId, 'connections')
      own[0].stream.destroy()
      shares.remove(memberId, own[0])
    }
    const onDenied = (who: string, denial: Denial) => {
      if (denial === 'full') onFull()
      onOverShare(who, 'connections', denial)
    }
    return shares.place(memberId, connection, onDenied, ({ stream }) => stream.destroy())
  }
}
