import { readRoomConfig } from '@lantern-room/room'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openRoom } from '#support/room/openRoom'
import { openServedTarget } from '#support/room/roomTargets'
import { assert, suite } from '#support/runner/suite'
import { listen as serve } from '../../../local-runner/listen'
import { createWebSocketFeed } from '../../../local-runner/room/webSocketFeed'
import { listen, openMute, SNAPSHOT, tellLine } from './listener'

const test = suite('listeners that come and go')

const { roomNetwork } = createMemoryNetwork()
/** More than the kernel keeps for a socket. */
const LINE = 'x'.repeat(500_000)

test('a listener who does not read is dropped, and the others miss nothing', async () => {
  const target = await openServedTarget(roomNetwork)
  try {
    const slow = await openMute(target.url)
    const quick = await listen(target.url)
    await quick.count(SNAPSHOT)
    for (let number = 1; number <= 60; number++) {
      tellLine(target.api.feed, `${number} ${LINE}`)
      await quick.count(SNAPSHOT + number)
    }
    let received = 0
    slow.on('data', (bytes: Uint8Array) => {
      received += bytes.length
    })
    await new Promise((resolve) => slow.once('close', resolve).resume())
    assert.ok(received < 40 * LINE.length, `${received} bytes were kept for it`)
    await quick.close()
  } finally {
    await target.stop()
  }
})

test('a stop says goodbye to every listener, and does not wait for one who is mute', async () => {
  const target = await openServedTarget(roomNetwork)
  const listeners = await Promise.all([1, 2, 3].map(() => listen(target.url)))
  const mute = await openMute(target.url)
  const startedAt = performance.now()
  await target.stop()
  assert.ok(performance.now() - startedAt < 20_000, `${performance.now() - startedAt} ms`)
  for (const { closed } of listeners) assert.equal(await closed, [1001, 'The service is stopping.'])
  mute.resume()
  await new Promise((resolve) => (mute.closed ? resolve(0) : mute.once('close', resolve)))
})

test('a listener who answers pings stays, one who does not is dropped', async () => {
  const room = openRoom(roomNetwork)
  const feed = createWebSocketFeed({ ...room, config: readRoomConfig({}), pingMs: 1500 })
  const listening = await serve(
    room.app,
    { host: '127.0.0.1', port: 0, name: 'ROOM_PORT' },
    { onUpgrade: feed.onUpgrade },
  )
  try {
    const lively = await listen(listening.url)
    let pings = 0
    lively.socket.on('ping', () => {
      pings += 1
    })
    const deaf = await listen(listening.url, { autoPong: false })
    assert.is((await deaf.closed)[0], 1006)
    assert.ok(pings >= 1)
    room.log.info('hello')
    await lively.count(SNAPSHOT + 1)
    await lively.close()
  } finally {
    feed.close()
    await listening.close()
    listening.cut()
    await room.close()
  }
})

test.run()
