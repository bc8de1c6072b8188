import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startRelayProcess } from '#support/network/relayProcess'
import { type ServerProcess, startServer } from '#support/process/serverProcess'
import { workerPath } from '#support/process/workerPath'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { cpuSecondsOf, median, residentMegabytes } from './measure'

const PROCESSES = 2
const MEMBERS = 60
const SECONDS = Number(process.env.GREEDY_SECONDS ?? 60)
const JOINS = 5
const GOALS = { join: 2, cpuPercent: 30, megabytes: 150, messages: 10 }

/** Members who try every attack on a room at once: whether a friend still joins, and what the host and its listeners bear. */
export async function benchGreedyMembers(): Promise<void> {
  const relay = await startRelayProcess(undefined, ['--links-per-address', '300', '--max-members', '100'])
  const settings = { ROOM_NODES: relay.url, ROOM_HEARTBEAT_MS: '5000', LOG_LEVEL: 'error' }
  const [host, victim, friend] = await Promise.all([1, 2, 3].map(() => startRoomProcess({ settings })))
  const world = startServer(['-e', WORLD], {})
  const greedy: ServerProcess[] = []
  if (!host || !victim || !friend) return
  try {
    const port = (await world.said(/(\d+)/))[1] ?? ''
    const code = await host.host('Alex', { gamePort: port })
    await host.until('Host_Running')
    await victim.join(code, 'Victim')
    await victim.until('Guest_Running')
    const quiet = await joins(friend, code)
    const id = await idOf(host, 'Victim')
    for (let count = 0; count < PROCESSES; count += 1) {
      const args = [workerPath('bench/greedyWorker'), code, relay.url, String(MEMBERS / PROCESSES), port, id]
      // They are other people's machines: what they compute must not slow the host.
      greedy.push(startServer(['-n', '19', process.execPath, ...args], {}, 'nice'))
    }
    await Promise.all(greedy.map((one) => one.said(/^ready$/m, 180_000)))
    await sleep(5000)
    const heard = listen(host)
    const cpuOfMembers = () => greedy.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0)
    const [cpuBefore, membersBefore] = [cpuSecondsOf(host.process.pid), cpuOfMembers()]
    const startedAt = performance.now()
    for (const one of greedy) one.signal('SIGUSR2')
    await sleep(5000)
    const attacked = await joins(friend, code)
    await sleep(Math.max(0, startedAt + SECONDS * 1000 - performance.now()))
    const seconds = (performance.now() - startedAt) / 1000
    const cpu = ((cpuSecondsOf(host.process.pid) - cpuBefore) / seconds) * 100
    const cpuOfAttack = ((cpuOfMembers() - membersBefore) / seconds) * 100
    const { players } = await host.status()
    console.log(
      `\n${MEMBERS} members who try every attack for ${seconds.toFixed(0)} s, loopback   load ${loadavg()[0]?.toFixed(1)}, they had ${cpuOfAttack.toFixed(0)} % of a core` +
        `\n  a friend's join: quiet ${shown(quiet)}, attacked ${shown(attacked)}: ${(median(attacked) / median(quiet)).toFixed(2)}×  goal < ${GOALS.join}×` +
        `\n  host ${cpu.toFixed(0)} % of a core, goal < ${GOALS.cpuPercent} %   ${residentMegabytes(host.process.pid).toFixed(0)} MB, goal < ${GOALS.megabytes} MB` +
        `\n  feed ${busiestSecond(heard)} messages in its busiest second, goal ≤ ${GOALS.messages}` +
        `\n  ${players.length} players, ${fateOf(players)}; the victim sees ${(await victim.status()).state}`,
    )
  } finally {
    for (const one of [...greedy, world]) {
      one.signal('SIGKILL')
      await one.ended
    }
    await Promise.all([host.close(), victim.close(), friend.close()])
    await relay.close()
  }
}

function fateOf(players: readonly { readonly name: string }[]): string {
  if (players.some(({ name }) => name === 'Victim')) return 'the victim has its name'
  const isRenamed = players.some(({ name }) => name.startsWith('renamed'))
  return isRenamed ? 'the victim was RENAMED' : 'the victim is NOT in the list'
}

async function joins(friend: RoomProcess, code: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < JOINS; round += 1) {
    const startedAt = performance.now()
    await friend.join(code, 'Friend')
    await friend.until('Guest_Running', 60_000)
    times.push(performance.now() - startedAt)
    await friend.ask('/room/stop', {})
  }
  return times
}

async function idOf(host: RoomProcess, name: string): Promise<string> {
  const { body } = await host.ask('/room/status')
  const players = body.players as readonly { readonly name: string; readonly machineId: string }[]
  return players.find((player) => player.name === name)?.machineId ?? ''
}

/** @returns the times of the messages of the feed, which go on being filled */
function listen(host: RoomProcess): readonly number[] {
  const times: number[] = []
  const feed = new WebSocket(`${host.url.replace('http', 'ws')}/ws`)
  feed.on('message', () => times.push(performance.now()))
  return times
}

function busiestSecond(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length))
}

function shown(times: readonly number[]): string {
  return `${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)})`
}

/** Answers the server-list ping, and keeps connections open. */
const WORLD = `const json = Buffer.from('{"version":{"name":"1.21.4","protocol":769},"players":{"max":8,"online":0},"description":"x"}')
const text = Buffer.concat([Buffer.of(json.length), json])
const packet = Buffer.concat([Buffer.of(text.length + 1, 0), text])
require('node:net').createServer((s) => s.on('error', () => {}).once('data', () => s.write(packet)))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
