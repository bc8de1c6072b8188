import type { Clock } from '@lantern-room/base/async'
import { createTokenBuckets } from '@lantern-room/base/limits'
import { isReachableAddress, LOWEST_PORT } from '@lantern-room/base/network'
import { RpcRefusal } from '#easytier/rpc/rpcMessage'
import type { UdpTransport } from '#easytier/transport/udpTransport'
import type { Endpoint } from '#easytier/wire/socketAddress'

/**
 * To one address: what two attempts with a symmetric router need (one tries its ports, the other keeps 84 open). A member that
 * names a third party's address directs 60 kB/s at it at most.
 */
const PER_ADDRESS = { perSecond: 1200, burst: 1200 }
/** A whole first attempt with a symmetric router, then two runs a minute. */
const PER_MEMBER = { perSecond: 50, burst: 12_000 }
/** All together: what a home connection carries beside a game. */
const TOTAL = { perSecond: 2400, burst: 2400 }

/**
 * Sends punching datagrams, and is the only place that limits them: the addresses come from other members, who must not be able to
 * direct a flood at anyone.
 */
export function createPunchDatagrams(clock: Clock) {
  const byAddress = createTokenBuckets(clock, PER_ADDRESS)
  const byMember = createTokenBuckets(clock, PER_MEMBER)
  const total = createTokenBuckets(clock, TOTAL)
  return {
    /**
     * Drops the datagram silently where the address is not punchable or a limit is reached.
     * @param member on whose behalf it is sent
     */
    punch(from: UdpTransport, transactionId: number, to: Endpoint, member: number): void {
      if (!isPunchable(to) || !byMember.take(String(member))) return
      if (byAddress.take(to.address) && total.take('all')) from.punch(transactionId, to)
    },
  }
}

/** @returns an endpoint that a member has named, when datagrams may be sent to it. @throws RpcRefusal */
export function punchable(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint || !isPunchable(endpoint)) throw new RpcRefusal('no address that can be punched')
  return endpoint
}

/** Whether datagrams may be sent to an endpoint that a member has named: a single machine, no service's port. */
export function isPunchable({ address, port }: Endpoint): boolean {
  return isReachableAddress(address) && port >= LOWEST_PORT && port <= 65_535
}
