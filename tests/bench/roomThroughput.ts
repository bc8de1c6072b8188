import { loadavg } from 'node:os'
import { generateRoomCode } from '@lantern-room/protocol'
import { canRun, WHY_NOT } from '#support/easytier/report'
import { hasNat, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { AS_FAST_AS_IT_CAN, startRelayProcess } from '#support/network/relayProcess'
import { withClosing } from '#support/process/closing'
import { median } from './measure'
import { realTransfer } from './realTransfer'
import { type Direction, type Outcome, quantile, transfer } from './transfer'

/** At first V8 compiles what it finds busy, about 0.2 s of CPU time in each process. */
const SECONDS = 4
const ROUNDS = 3
const DIRECTIONS = ['down', 'up'] as const

/**
 * One stream between two machines whose line takes no time, by each carrier, and a small packet there and back beside it, each end
 * a process of its own; the same through two of the real program, and plain TCP. In turns; medians.
 */
export async function benchRoomThroughput(): Promise<void> {
  if (!hasNat) return console.log(`\nthroughput: skipped, ${WHY_NO_NAT}`)
  console.log(`\none stream for ${SECONDS} s, no delay; medians of ${ROUNDS}, in turns`)
  if (!canRun) console.log(`  without the real program: ${WHY_NOT}`)
  await withClosing(async ({ keep, add }) => {
    const world = await openNatWorld({ host: { router: 'open' }, guest: { router: 'open' } })
    add(world.remove)
    // What one room may relay is a setting; here the machine is measured.
    const relay = keep(await startRelayProcess(world.public, AS_FAST_AS_IT_CAN))
    const ours = (way: string) => (direction: Direction) =>
      transfer(world, way, `${generateRoomCode().text},${relay.url}`, SECONDS, direction)
    const real = (carrier: 'tcp' | 'udp') => (direction: Direction) =>
      realTransfer(world, carrier, undefined, SECONDS, direction)
    const ways = {
      'plain TCP': (direction: Direction) =>
        transfer(world, 'plain', `${world.host.address}:25565`, SECONDS, direction),
      'ours, udp': ours('udp'),
      'ours, tcp': ours('tcp'),
      'ours, tcp by a node': ours('tcpRelay'),
      ...(canRun && { 'real, udp': real('udp'), 'real, tcp': real('tcp') }),
    }
    const outcomes = new Map<string, Outcome[]>()
    for (let round = 0; round < ROUNDS; round += 1)
      for (const direction of DIRECTIONS)
        for (const [title, run] of Object.entries(ways)) {
          const name = `${title}, ${direction}`
          outcomes.set(name, [...(outcomes.get(name) ?? []), await run(direction)])
        }
    console.log(`  ${'way'.padEnd(26)}  MB/s   ping beside it: p50    p99   idle   CPU s/GB   MB at most`)
    for (const [name, each] of outcomes) show(name, each)
    console.log(`  load ${loadavg()[0]?.toFixed(1)}`)
  })
}

function show(name: string, each: readonly Outcome[]): void {
  const columns: readonly (readonly [
    value: (outcome: Outcome) => number,
    width: number,
    decimals: number,
  ])[] = [
    [({ megabytesPerSecond }) => megabytesPerSecond, 6, 0],
    [({ busy }) => median(busy), 21, 1],
    [({ busy }) => quantile(busy, 0.99), 7, 1],
    [({ idle }) => median(idle), 7, 1],
    [({ cpuPerGigabyte }) => cpuPerGigabyte, 11, 1],
    [({ memory }) => memory, 13, 0],
  ]
  const cells = columns.map(([value, width, decimals]) =>
    median(each.map(value)).toFixed(decimals).padStart(width),
  )
  console.log(`  ${name.padEnd(26)}${cells.join('')}`)
}
