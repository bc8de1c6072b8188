import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEchoWorld } from '#support/namespaces/line'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { openMeeting, openNatRoom } from '#support/namespaces/natRoom'
import { hasNat, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { cpuSecondsOf, residentMegabytes } from './measure'

const SECONDS = 60
/** Joining, looking for ways to each other and warming up are over. */
const SETTLED_MS = 20_000
const GOALS = { cpuPercent: 0.5, bytesPerSecond: 500 }

/** What a room with one guest takes while nobody plays: CPU and memory of each process, bytes on each house's line. */
export async function benchRoomIdle(): Promise<void> {
  if (!hasNat || !hasSlowLine)
    return console.log(`\nidle: skipped, ${hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT}`)
  console.log(`\na room of two that is idle for ${SECONDS} s`)
  await benchIdle('on a way of their own', 'cone')
  await benchIdle('through the shared node', 'symmetric')
}

async function benchIdle(title: string, router: 'cone' | 'symmetric'): Promise<void> {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const house = { router, line: { delayMs: 10 } } as const
    const world = await openNatWorld({ host: house, guest: house })
    closing.push(world.remove)
    const meeting = await openMeeting(world.public)
    closing.push(meeting.close)
    const game = await startEchoWorld(world.host.inside)
    closing.push(game.close)
    // As players have it: the tests' own heartbeat is faster.
    const settings = { ...meeting.settings, LOG_LEVEL: 'info', ROOM_HEARTBEAT_MS: '5000' }
    const room = await openNatRoom(world, game.port, settings)
    closing.push(room.close)
    await room.join(router === 'cone' ? 'direct' : 'relay', 1, 20_000)
    await sleep(SETTLED_MS)
    const { network } = await room.guest.status()
    console.log(`  ${title}: ${network?.path} by ${network?.carrier}`)
    const sides = ['host', 'guest'] as const
    const before = await Promise.all(sides.map(figures))
    await sleep(SECONDS * 1000)
    const after = await Promise.all(sides.map(figures))
    for (const [at, side] of sides.entries()) {
      const [one, other] = [before[at], after[at]]
      if (one && other) show(side, one, other)
    }

    async function figures(side: 'host' | 'guest') {
      const { received, sent, packets } = await world.traffic(side)
      const pid = nodeBelow(room[side].process.pid)
      return {
        at: performance.now(),
        cpu: cpuSecondsOf(pid),
        memory: residentMegabytes(pid),
        received,
        sent,
        packets,
      }
    }
  } finally {
    for (const end of closing.reverse()) await end()
  }
}

type Figures = {
  readonly at: number
  readonly cpu: number
  readonly memory: number
  readonly received: number
  readonly sent: number
  readonly packets: number
}

function show(side: string, one: Figures, other: Figures): void {
  const seconds = (other.at - one.at) / 1000
  const rate = (of: 'received' | 'sent' | 'packets') => ((other[of] - one[of]) / seconds).toFixed(1)
  const cpu = ((other.cpu - one.cpu) / seconds) * 100
  console.log(
    `    ${side.padEnd(6)} CPU ${cpu.toFixed(2)} % of a core, goal ≤ ${GOALS.cpuPercent} %` +
      `   received ${rate('received')} B/s, sent ${rate('sent')} B/s with Ethernet's headers, goal ≤ ${GOALS.bytesPerSecond} each` +
      `   ${rate('packets')} packets/s   memory ${other.memory.toFixed(0)} MB`,
  )
}

/** `ip netns exec` becomes what it starts; should that ever change, the service is its child. */
function nodeBelow(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return child && !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.mjs') ? Number(child) : pid
}
