import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Stage } from '@lantern-room/room/client'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { composeRoom, type LocalRoom } from '../../../local-runner/room/compose'
import { NOBODYS_CODE } from '../../contract/room/asking'

const test = suite('rooms that come and go on the real network', { timeoutMs: 240_000 })

/** Until `warmUp` rounds are over, the log and the feed still fill their rings. */
const ROOMS = { what: 'rooms', warmUp: 150, rounds: 200 }
/** Each computes the key of a private room, which takes its time by design. */
const GUESTS = { what: 'guests', warmUp: 40, rounds: 60 }

let folder: string
let room: LocalRoom
const stopping = new AbortController()

test.before(async () => {
  folder = await makeTempFolder('lantern-cycles')
  const env = {
    DATA_DIR: folder,
    ROOM_LAN_INTERFACES: '127.0.0.1',
    ROOM_NODES: '',
    ROOM_STUN: '',
    SCAFFOLDING_PORT: '26448',
    LOG_LEVEL: 'error',
  }
  room = await composeRoom(env, { stopping: stopping.signal, shutDown: () => {} })
})
test.after(async () => {
  await room.api.service.stop()
  stopping.abort()
  await room.closed
  await removeFolders(folder)
})

test('two hundred rooms grow neither heap nor handles', () =>
  // Every third one is stopped before it stands.
  grows(ROOMS, (round) =>
    order('/room/host/start', { waitForGame: false, gamePort: 1 }, [
      round % 3 === 0 ? 'Host_NetworkStarting' : 'Host_Running',
    ]),
  ))

test('guests who give up while they look for the host grow neither heap nor handles', () =>
  grows(GUESTS, async (round) => {
    await order('/room/guest/start', { roomCode: NOBODYS_CODE }, ['Guest_Prepare', 'Guest_NetworkStarting'])
    await sleep(round % 10)
  }))

const handles = () => process.getActiveResourcesInfo().length

/** Begins and stops so often, and compares what is left with what was there before. */
async function grows(
  { what, warmUp, rounds }: typeof ROOMS,
  begin: (round: number) => Promise<void>,
): Promise<void> {
  const collect = garbageCollector()
  const measure = async () => {
    // What has been closed leaves in the next turns.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    collect()
    return { heap: process.memoryUsage().heapUsed, handles: handles() }
  }
  let slowest = 0
  const cycle = async (times: number) => {
    for (let round = 0; round < times; round++) {
      await begin(round)
      const startedAt = performance.now()
      await room.api.service.stop()
      slowest = Math.max(slowest, performance.now() - startedAt)
    }
  }
  await cycle(warmUp)
  const before = await measure()
  await cycle(rounds)
  const after = await measure()
  const grown = after.heap - before.heap
  console.log(
    `${rounds} ${what}: heap ${Math.round(grown / 1024)} KiB, slowest stop ${Math.round(slowest)} ms`,
  )
  assert.ok(grown < 1024 * 1024, `the heap grew by ${grown} bytes`)
  // A lookup or a file of the last stop may take a moment longer on a busy machine.
  for (const limit = performance.now() + 10_000; handles() > before.handles && performance.now() < limit; )
    await sleep(20)
  assert.ok(handles() <= before.handles, `${handles()} handles, ${before.handles} before`)
  assert.ok(slowest < 10_000, `a stop took ${slowest} ms`)
}

/** Orders a role, and resolves at one of these stages. */
async function order(path: string, fields: object, stages: readonly Stage[]): Promise<void> {
  const { app, roomState, feed } = room.api
  const isThere = new Promise<void>((resolve) => {
    const takeOff = feed.subscribe(() => {
      if (!stages.includes(roomState.view().stage)) return
      takeOff()
      resolve()
    })
  })
  const body = JSON.stringify(fields)
  const headers = {
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    'Content-Length': `${body.length}`,
  }
  const answer = await app(new Request(`http://127.0.0.1${path}`, { method: 'POST', body, headers }))
  assert.is(answer.status, 200)
  await isThere
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

test.run()
