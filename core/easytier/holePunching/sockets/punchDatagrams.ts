import type { Clock } from '#core/clock'
import type { UdpTransport } from '#core/easytier/transport/udpTransport'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { createPacketBudget } from './packetBudget'
import { isPunchable } from './targets'

/**
 * Sends punching datagrams, and is the one place where they are bounded: addresses come from members, and nobody may
 * have us flood one.
 */
export type PunchDatagrams = {
  /** Silently nothing where it may not be sent to, or not now. @param asker the member on whose behalf it is sent */
  punch(from: UdpTransport, tid: number, to: Endpoint, asker: number): void
}

/**
 * To one machine: what two attempts with a symmetric router need (one tries its ports, the other keeps 84 open). A member
 * who gives the address of somebody else sends that one 60 kB/s at most.
 */
const TO_ONE_ADDRESS = { perSecond: 1200, burst: 1200 }
/** A whole first attempt with a symmetric router, then two runs a minute: nobody is sprayed for hours. */
const FOR_ONE_MEMBER = { perSecond: 50, burst: 12_000 }
/** All together, which a home line carries beside a game. */
const ALL = { perSecond: 2400, burst: 2400 }

export function createPunchDatagrams(clock: Clock): PunchDatagrams {
  const byAddress = createPacketBudget(clock, TO_ONE_ADDRESS)
  const byMember = createPacketBudget(clock, FOR_ONE_MEMBER)
  const all = createPacketBudget(clock, ALL)
  return {
    punch(from, tid, to, asker) {
      if (!isPunchable(to) || !byMember.take(String(asker))) return
      if (byAddress.take(to.address) && all.take('all')) from.punch(tid, to)
    },
  }
}
