import { loadavg } from 'node:os'
import { generateRoomCode } from '@lantern-room/protocol'
import { runIn } from '#support/namespaces/namespaces'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { openMeeting } from '#support/namespaces/natRoom'
import { hasNat, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { cpuSecondsOf } from './measure'
import { type Outcome, spread, transfer } from './transfer'

const MBIT = 100
const QUEUE_MS = 50
/** From player to player. */
const ROUND_TRIP_MS = 40
const LOSSES = [0, 0.1, 0.5, 1]
const SECONDS = 8
/** Of a full frame of 1514 bytes, what TCP with timestamps has for its user. */
const IDEAL = (MBIT / 8) * (1448 / 1514)

/**
 * What fits a home's line: plain TCP, then our streams directly and through a shared node, both by UDP. Goals, up to 0.5 % of
 * loss: 0.85 of BBR; a small question that is asked meanwhile comes back within two round trips.
 */
export async function benchRoomLine(): Promise<void> {
  if (!hasNat || !hasSlowLine)
    return console.log(`\nline: skipped, ${hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT}`)
  console.log(
    `\na line of ${MBIT} Mbit/s, ${ROUND_TRIP_MS} ms there and back, a queue of ${QUEUE_MS} ms; ${SECONDS} s each, ideal ${IDEAL.toFixed(1)} MB/s`,
  )
  const controls = await congestionControls()
  if (!controls.includes('bbr')) console.log('  the kernel has no BBR')
  for (const lossPercent of LOSSES) await benchLoss(lossPercent, controls)
}

async function benchLoss(lossPercent: number, controls: readonly string[]): Promise<void> {
  // Rate and loss are those of the host's line, so that a relayed stream passes each once, too.
  const world = await openNatWorld({
    host: {
      router: 'open',
      line: { delayMs: ROUND_TRIP_MS / 4, lossPercent, megabitsPerSecond: MBIT, queueMs: QUEUE_MS },
    },
    guest: { router: 'open', line: { delayMs: ROUND_TRIP_MS / 4 } },
  })
  try {
    const meeting = await openMeeting(world.public)
    try {
      console.log(`  loss ${lossPercent} %`)
      let best: Outcome | undefined
      for (const [at, control] of controls.entries()) {
        await runIn(world.host.namespace, `sysctl -qw net.ipv4.tcp_congestion_control=${control}`)
        const plain = await transfer(world, 'plain', `${world.host.address}:25565`, SECONDS)
        if (at === 0) best = plain
        show(`plain TCP, ${control}`, plain, best)
      }
      for (const way of ['udp', 'relay'] as const) {
        const { address } = world.public
        const node = way === 'relay' ? `udp://${address}:11010` : `tcp://${address}:11010`
        const title = way === 'relay' ? 'relayed by udp' : 'direct by udp'
        const before = cpuSecondsOf(meeting.pid)
        const outcome = await transfer(world, way, `${generateRoomCode().text},${node}`, SECONDS)
        show(title, outcome, best)
        const relayed = (outcome.megabytesPerSecond * SECONDS) / 1000
        if (way === 'relay')
          console.log(
            `      the relay itself: ${((cpuSecondsOf(meeting.pid) - before) / relayed).toFixed(1)} CPU s/GB`,
          )
      }
    } finally {
      await meeting.close()
    }
  } finally {
    await world.remove()
  }
}

/**
 * BBR first, where there is one: it is what ours is held against. A namespace may refuse the others: then there is only what
 * it has by itself.
 */
async function congestionControls(): Promise<readonly string[]> {
  const world = await openNatWorld({ host: { router: 'open' }, guest: { router: 'open' } })
  const setting = 'net.ipv4.tcp_congestion_control'
  const { namespace } = world.host
  try {
    const own = (await runIn(namespace, `sysctl -n ${setting}`)).trim()
    const usable: string[] = []
    for (const control of ['bbr', 'cubic'])
      await runIn(namespace, `sysctl -qw ${setting}=${control}`).then(
        () => usable.push(control),
        () => undefined,
      )
    return usable.length > 0 ? usable : [own]
  } finally {
    await world.remove()
  }
}

function show(title: string, outcome: Outcome, best = outcome): void {
  const { megabytesPerSecond: rate, steady, cpuPerGigabyte, memory, idle, busy } = outcome
  const share = (value: number) => value.toFixed(2).padStart(6)
  console.log(
    `    ${title.padEnd(18)}${rate.toFixed(2).padStart(6)} MB/s ${share(rate / best.megabytesPerSecond)} of plain ${share(rate / IDEAL)} of ideal` +
      `, after the first second ${steady.toFixed(2)} MB/s ${share(steady / best.steady)} of plain` +
      `${cpuPerGigabyte.toFixed(1).padStart(7)} CPU s/GB ${memory.toFixed(0).padStart(4)} MB` +
      `   small question: idle ${spread(idle)}, busy ${spread(busy)} ms   load ${loadavg()[0]?.toFixed(1)}`,
  )
  if (process.env.BENCH_DETAILS !== undefined)
    console.log(`      each second: ${outcome.perSecond.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')}`)
}
