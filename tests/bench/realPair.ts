import { loadavg } from 'node:os'
import type { Guest } from '#support/easytier/guests'
import type { Host } from '#support/easytier/hosts'
import { canRun, WHY_NOT } from '#support/easytier/report'
import { withTestbed } from '#support/easytier/testbed'
import { isDirectBy, observedRoute } from '#support/easytier/waitForRoute'
import { AS_FAST_AS_IT_CAN } from '#support/network/relayProcess'
import { until } from '#support/values/until'
import { cpuSecondsOf } from './measure'

const MEGABYTES = 48
const ROUNDS = 2
const KINDS = ['ours', 'real'] as const
type Kind = (typeof KINDS)[number]
type Way = 'tcp' | 'udp' | 'relay'

/**
 * The same bytes to a world and back through the game's local port, by the real program and by ours, both ways at once:
 * the whole way that a game's packets take, in network namespaces behind one router.
 */
export async function benchRealPair(): Promise<void> {
  console.log(`\n${MEGABYTES} MB to a world and back through the local port, both directions at once`)
  if (!canRun) return console.log(`  skipped: ${WHY_NOT}`)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const way of ['tcp', 'udp', 'relay'] as const)
      for (const host of KINDS) for (const guest of KINDS) await measure(way, host, guest)
}

async function measure(way: Way, hostKind: Kind, guestKind: Kind): Promise<void> {
  await withTestbed(async (testbed) => {
    const isRelayed = way === 'relay'
    await testbed.startNode(
      hostKind === 'real' && guestKind === 'real' ? 'a real shared node' : 'our relay',
      AS_FAST_AS_IT_CAN,
    )
    if (isRelayed) await testbed.net.part('host', 'guest')
    else await testbed.net.part('host', 'guest', way === 'tcp' ? 'udp' : 'tcp')
    const host = await testbed.host(hostKind)
    const guest = await testbed.guest(guestKind, host)
    await until(`they come together by ${way}`, () => isOn(way, host, guest), { ms: 40_000, everyMs: 100 })
    const echo = (size: number) =>
      testbed.workers.guest.run({ do: 'echo', port: guest.port, size, isText: false })
    await echo(1e6)
    const before = cpuOf(host, guest)
    const seconds = (await echo(MEGABYTES * 1e6)) / 1000
    const after = cpuOf(host, guest)
    // Each end seals all bytes once and opens all bytes once.
    const perGigabyte = (index: 0 | 1) =>
      (((after[index] - before[index]) * 1000) / (2 * MEGABYTES)).toFixed(1)
    console.log(
      `  ${(isRelayed ? 'relayed' : `direct by ${way}`).padEnd(14)} host ${hostKind}, guest ${guestKind}` +
        `${(MEGABYTES / seconds).toFixed(1).padStart(8)} MB/s each way` +
        `  CPU s/GB: host ${perGigabyte(0).padStart(5)}, guest ${perGigabyte(1).padStart(5)}  load ${loadavg()[0]?.toFixed(1)}`,
    )
  })
}

async function isOn(way: Way, host: Host, guest: Guest): Promise<boolean> {
  if (guest.service && host.service) {
    const { network } = await guest.service.status()
    return way === 'relay' ? network?.path === 'relay' : network?.path === 'direct' && network.carrier === way
  }
  const seen = await observedRoute(host, guest)
  if (!seen) return false
  return way === 'relay' ? seen.cost.startsWith('relay') : isDirectBy(way)(seen)
}

/** Seconds of CPU so far of the host's program and the guest's, in ticks of 10 ms. */
function cpuOf(host: Host, guest: Guest): readonly [number, number] {
  const pidOf = (end: Pick<Host, 'core' | 'service'>) =>
    end.core?.().process.pid ?? end.service?.().process.pid ?? 0
  const service = guest.service
  const pids = [
    pidOf(host),
    pidOf({ ...(guest.core && { core: guest.core }), ...(service && { service: () => service }) }),
  ]
  const [ofHost = 0, ofGuest = 0] = pids.map(cpuSecondsOf)
  return [ofHost, ofGuest]
}
