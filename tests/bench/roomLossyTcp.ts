import { loadavg } from 'node:os'
import { generateRoomCode } from '@lantern-room/protocol'
import { canRun } from '#support/easytier/report'
import { runIn } from '#support/namespaces/namespaces'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { hasNat, type NatWorld, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { AS_FAST_AS_IT_CAN, startRelayProcess } from '#support/network/relayProcess'
import { withClosing } from '#support/process/closing'
import { median } from './measure'
import { realTransfer } from './realTransfer'
import { type Outcome, spread, transfer } from './transfer'

const ROUND_TRIP_MS = 40
const LOSS_PERCENT = 1
const ROUNDS = 3
const SECONDS = 8

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
    'real, direct': () => realTransfer(world, 'tcp', undefined, SECONDS),
    'real, relayed': () => apart(world, () => realTransfer(world, 'tcp', node, SECONDS)),
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

function show(title: string, { megabytesPerSecond, steady, idle, busy }: Outcome): void {
  console.log(
    `  ${title.padEnd(16)}${megabytesPerSecond.toFixed(1).padStart(6)} MB/s, after the first second ${steady.toFixed(1).padStart(5)}` +
      `   small question: idle ${spread(idle)}, busy ${spread(busy)} ms   load ${loadavg()[0]?.toFixed(1)}`,
  )
}
