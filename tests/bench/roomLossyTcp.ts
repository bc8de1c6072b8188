import { loadavg } from 'node:os'
import { generateRoomCode } from '@lantern-room/protocol'
import { memberArgs } from '#support/easytier/hosts'
import { routeSeenBy, startCore } from '#support/easytier/program'
import { canRun } from '#support/easytier/report'
import { runIn } from '#support/namespaces/namespaces'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { hasNat, type NatPlace, type NatWorld, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { AS_FAST_AS_IT_CAN, startRelayProcess } from '#support/network/relayProcess'
import { withClosing } from '#support/process/closing'
import { until } from '#support/values/until'
import { median } from './measure'
import { type Outcome, spread, transfer } from './transfer'

const ROUND_TRIP_MS = 40
const LOSS_PERCENT = 1
const ROUNDS = 3
const SECONDS = 8
const PORTS = [25_565, 25_566]

/**
 * One stream over connections by TCP alone, on a line that loses packets: two of ours and two of the real program in turns,
 * directly and through the same `room relay`. Goal: ahead of the real program.
 */
export async function benchRoomLossyTcp(): Promise<void> {
  if (!hasNat || !hasSlowLine)
    return console.log(`\nlossy TCP: skipped, ${hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT}`)
  console.log(
    `\na line without a limit, ${ROUND_TRIP_MS} ms there and back, ${LOSS_PERCENT} % lost each way, by tcp`,
  )
  await withClosing(async ({ keep, add }) => {
    const line = { delayMs: ROUND_TRIP_MS / 2, lossPercent: LOSS_PERCENT }
    const world = await openNatWorld({ host: { router: 'open', line }, guest: { router: 'open' } })
    add(world.remove)
    const relay = keep(await startRelayProcess(world.public, AS_FAST_AS_IT_CAN))
    const rates = new Map<string, number[]>()
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [title, run] of Object.entries(waysOf(world, relay.url))) {
        const outcome = await run()
        show(title, outcome)
        rates.set(title, [...(rates.get(title) ?? []), outcome.megabytesPerSecond])
      }
    for (const [title, each] of rates)
      console.log(`  median ${title.padEnd(16)}${median(each).toFixed(1).padStart(6)} MB/s`)
  })
}

function waysOf(world: NatWorld, node: string): Record<string, () => Promise<Outcome>> {
  const ours = (way: string) => () => transfer(world, way, `${generateRoomCode().text},${node}`, SECONDS)
  const own = {
    'plain TCP': () => transfer(world, 'plain', `${world.host.address}:25565`, SECONDS),
    'ours, direct': ours('tcp'),
    'ours, relayed': ours('tcpRelay'),
  }
  if (!canRun) return own
  return {
    ...own,
    'real, direct': () => realTransfer(world, undefined),
    'real, relayed': () => apart(world, () => realTransfer(world, node)),
  }
}

/** The two reach each other by the shared node alone. */
async function apart<Result>(world: NatWorld, act: () => Promise<Result>): Promise<Result> {
  await runIn(world.host.namespace, `ip route add blackhole ${world.guest.address}`)
  try {
    return await act()
  } finally {
    await runIn(world.host.namespace, `ip route del blackhole ${world.guest.address}`)
  }
}

/**
 * Plain TCP to a forward of the real program, whose other end hands it to the host's port.
 * @param node undefined where the guest connects to the host
 */
function realTransfer(world: NatWorld, node: string | undefined): Promise<Outcome> {
  const room = generateRoomCode()
  const start = ({ inside }: NatPlace, peer: string | undefined, own: readonly string[]) => {
    const nodes = peer === undefined ? [] : [peer]
    return startCore(inside, [...memberArgs(room, { nodes, flags: BY_TCP }), ...own])
  }
  return withClosing(async ({ add }) => {
    const host = await start(world.host, node, ['--hostname', 'host', '--ipv4', '10.144.144.1'])
    add(host.kill)
    const forwards = PORTS.flatMap((port) => [
      '--port-forward',
      `tcp://127.0.0.1:${port}/10.144.144.1:${port}`,
    ])
    const own = ['--hostname', 'guest', '--ipv4', '10.144.144.2', ...forwards]
    const guest = await start(world.guest, node ?? `tcp://${world.host.address}:11010`, own)
    add(guest.kill)
    const isThere = async () => (await routeSeenBy(guest, 'host')) !== undefined
    await until('the two have met', isThere, { ms: 30_000, everyMs: 100 })
    return transfer(world, 'plain', '127.0.0.1:25565', SECONDS)
  })
}

const BY_TCP = [
  ...['--enable-kcp-proxy', '--disable-udp-hole-punching', '--disable-tcp-hole-punching'],
  ...['--listeners', 'tcp://0.0.0.0:11010'],
]

function show(title: string, { megabytesPerSecond, steady, idle, busy }: Outcome): void {
  console.log(
    `  ${title.padEnd(16)}${megabytesPerSecond.toFixed(1).padStart(6)} MB/s, after the first second ${steady.toFixed(1).padStart(5)}` +
      `   small question: idle ${spread(idle)}, busy ${spread(busy)} ms   load ${loadavg()[0]?.toFixed(1)}`,
  )
}
