import { generatePrivateRoomCode } from '@lantern-room/protocol'
import type { GuestConnection } from '@lantern-room/room/network'
import { type FakeClock, settled } from '#support/network/fakeClock'
import { failureCode } from '#support/room/failureOf'
import { assert, suite } from '#support/runner/suite'
import { createVirtualRoom, HOST, ROOM_PORT, VOICE_PORT, WORLD_PORT } from './virtualRoom'

// A private room on simulated machines: three guests, one of whom must not follow.
const test = suite('room: the secret of a private room is changed', { timeoutMs: 180_000 })

const HOST_NAME = `scaffolding-mc-server-${ROOM_PORT}`

const setUp = () => createVirtualRoom(generatePrivateRoomCode(() => 0))

test('a stream and a flow of a guest that follows go on, and its id stays', async () => {
  const { clock, openHost, join, close, networksAt } = setUp()
  const { host, streams } = await openHost()
  const steve = await join('steve')
  const kim = await join('kim')
  await until(clock, () => host.members().length === 2)
  const ids = host.members().map(({ id }) => id)
  const talk = await startTalk(clock, steve.guest)
  await clock.advance(1000)
  const { length: streamsBefore } = streams

  host.secret?.change()
  const secret = host.secret?.current() ?? new Uint8Array(0)
  assert.is(secret.length, 32)
  steve.guest.follow?.(secret)
  steve.guest.follow?.(secret)
  await clock.advance(20_000)
  assert.is(networksAt(steve.address), 1, 'it has left the network of the code')
  assert.is(networksAt(HOST), 2)
  assert.equal(
    host
      .members()
      .map(({ id }) => id)
      .sort(),
    ids.sort(),
    'nobody twice, nobody new',
  )
  assert.is(streams.length, streamsBefore, 'no stream was opened anew')
  assert.equal(
    steve.events.filter((kind) => kind !== 'members' && kind !== 'status' && kind !== 'links'),
    [],
  )

  await talk.stop()
  assert.is(talk.lost(), 0)
  assert.ok(talk.longestGapMs() < 1000, `${talk.longestGapMs()} ms`)
  assert.ok(talk.echoed() > 100)
  assert.equal(await echoOnce(clock, steve.guest, WORLD_PORT), 'hello')
  assert.equal(await echoOnce(clock, kim.guest, WORLD_PORT), 'hello')
  await close()
})

test('at the second change only the last network and that of the code stay open', async () => {
  const { clock, openHost, join, close, networksAt } = setUp()
  const { host } = await openHost()
  const steve = await join('steve')
  const talk = await startTalk(clock, steve.guest)
  const secrets: Uint8Array[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    host.secret?.change()
    const secret = host.secret?.current() ?? new Uint8Array(0)
    secrets.push(secret)
    steve.guest.follow?.(secret)
    // The second one comes before the first move is over.
    await clock.advance(turn === 0 ? 700 : 8000)
  }
  assert.is(networksAt(steve.address), 1)
  assert.is(networksAt(HOST), 2)
  await talk.stop()
  assert.is(talk.lost(), 0)
  assert.is(new Set(secrets.map(String)).size, 3)
  await close()
})

test('who has the code and an earlier secret is in no network with the others', async () => {
  const { clock, openHost, join, close, networksAt } = setUp()
  const { host } = await openHost()
  const steve = await join('steve')
  host.secret?.change()
  const earlier = host.secret?.current() ?? new Uint8Array(0)
  steve.guest.follow?.(earlier)
  await clock.advance(20_000)
  const removed = await join('removed', { secret: earlier })
  assert.equal(
    removed.guest
      .members()
      .map(({ hostname }) => hostname)
      .sort(),
    [HOST_NAME, 'guest'].sort(),
  )
  host.secret?.change()
  steve.guest.follow?.(host.secret?.current() ?? new Uint8Array(0))
  await clock.advance(70_000)
  assert.is(networksAt(HOST), 2, 'the earlier one has closed, although somebody was in it')
  assert.equal(removed.guest.members(), [])
  const again = await join('again')
  assert.equal(
    again.guest.members().map(({ hostname }) => hostname),
    [HOST_NAME],
    'by the code it meets the host alone',
  )
  assert.equal(await failureCode(join('late', { secret: earlier })), 'host-not-found')
  await close()
})

test('a guest that was away for the change is found by the code again', async () => {
  const { clock, openHost, join, close, networksAt } = setUp()
  const { host } = await openHost()
  const steve = await join('steve')
  host.secret?.change()
  steve.guest.follow?.(host.secret?.current() ?? new Uint8Array(0))
  await clock.advance(20_000)
  // It is not told of the next one, and the network that it knows closes.
  host.secret?.change()
  await clock.advance(70_000)
  assert.ok(steve.events.includes('lost'))
  await until(clock, () => steve.events.includes('back, restarted'))
  assert.equal(await echoOnce(clock, steve.guest, WORLD_PORT), 'hello')
  await clock.advance(5000)
  assert.is(networksAt(steve.address), 1)
  await close()
})

test('a host that is restarted is found by the code, also by those who had followed', async () => {
  const { clock, openHost, join, close } = setUp()
  const first = await openHost()
  const steve = await join('steve')
  first.host.secret?.change()
  steve.guest.follow?.(first.host.secret?.current() ?? new Uint8Array(0))
  await clock.advance(20_000)
  await first.stop()
  await clock.advance(5000)
  await openHost()
  await until(clock, () => steve.events.includes('back, restarted'))
  assert.equal(await echoOnce(clock, steve.guest, WORLD_PORT), 'hello')
  await close()
})

test('nobody takes the place of a member that has moved, with its peer id in the network of the code', async () => {
  const { clock, openHost, join, close } = setUp()
  const { host, streams } = await openHost()
  const steve = await join('steve')
  await until(clock, () => host.members().length === 1)
  const [id = ''] = host.members().map((member) => member.id)
  host.secret?.change()
  steve.guest.follow?.(host.secret?.current() ?? new Uint8Array(0))
  await clock.advance(20_000)
  const { length: streamsBefore } = streams
  const drawn = [new Uint8Array(new Uint32Array([Number(id)]).buffer).reverse()]
  const liar = await join('liar', { draw: (size) => (size === 4 ? drawn.pop() : undefined) })
  assert.is(liar.guest.host.roomPort, ROOM_PORT)
  const failing = failureCode(liar.guest.dial(WORLD_PORT))
  await clock.advance(15_000)
  assert.is(await settled(clock, failing), 'host-unreachable')
  assert.is(streams.length, streamsBefore)
  assert.equal(
    host.members().map((member) => member.id),
    [id],
  )
  assert.equal(await echoOnce(clock, steve.guest, WORLD_PORT), 'hello')
  await close()
})

test('a guest whose program is killed amid its move is gone in both networks', async () => {
  for (const ms of [100, 1500, 4000]) {
    const { clock, openHost, join, close } = setUp()
    const { host } = await openHost()
    const steve = await join('steve')
    await join('kim')
    await until(clock, () => host.members().length === 2)
    host.secret?.change()
    steve.guest.follow?.(host.secret?.current() ?? new Uint8Array(0))
    await clock.advance(ms)
    steve.kill()
    await until(clock, () => host.members().length === 1)
    await close()
  }
})

test('a guest that ends amid its move leaves nothing, and the host goes on', async () => {
  for (const ms of [0, 100, 400, 1500, 4000]) {
    const { clock, openHost, join, close, networksAt } = setUp()
    const { host } = await openHost()
    const steve = await join('steve')
    const kim = await join('kim')
    host.secret?.change()
    for (const { guest } of [steve, kim]) guest.follow?.(host.secret?.current() ?? new Uint8Array(0))
    await clock.advance(ms)
    await steve.stop()
    assert.is(networksAt(steve.address), 0, `${ms} ms`)
    await clock.advance(30_000)
    assert.is(host.members().length, 1)
    assert.equal(await echoOnce(clock, kim.guest, WORLD_PORT), 'hello')
    await close()
  }
})

/** Sends a byte each 20 ms by a stream and by a flow, and reads what comes back. */
async function startTalk(clock: FakeClock, guest: GuestConnection) {
  // Its keys seal the datagrams.
  const room = await settled(clock, guest.dial(ROOM_PORT))
  const stream = await settled(clock, guest.dial(WORLD_PORT))
  const flow = guest.datagrams(VOICE_PORT)
  const echoed: number[] = []
  const heard: number[] = []
  let sent = 0
  let lastAt = clock.now()
  let longest = 0
  let cancel = () => {}
  const noteArrival = () => {
    longest = Math.max(longest, clock.now() - lastAt)
    lastAt = clock.now()
  }
  const reading = (async () => {
    for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
      noteArrival()
      echoed.push(...bytes)
    }
  })().catch(() => undefined)
  flow.onDatagram((bytes) => heard.push(...bytes))
  const beat = () => {
    const byte = sent % 251
    sent += 1
    void stream.write(Uint8Array.of(byte)).catch(() => undefined)
    flow.send(Uint8Array.of(byte))
    cancel = clock.after(20, beat)
  }
  beat()
  return {
    echoed: () => echoed.length,
    longestGapMs: () => longest,
    /** Bytes of the stream that did not come back in order, and datagrams that did not come back. */
    lost: () => sent - echoed.filter((byte, at) => byte === at % 251).length + (sent - heard.length),
    async stop() {
      cancel()
      await clock.advance(2000)
      stream.destroy()
      room.destroy()
      flow.close()
      await settled(clock, reading)
    },
  }
}

async function echoOnce(clock: FakeClock, guest: GuestConnection, port: number): Promise<string> {
  const work = async () => {
    const stream = await guest.dial(port)
    await stream.write(new TextEncoder().encode('hello'))
    const answer = await stream.read()
    stream.destroy()
    return new TextDecoder().decode(answer)
  }
  return settled(clock, work())
}

async function until(clock: FakeClock, isSo: () => boolean): Promise<void> {
  for (let waited = 0; waited < 60_000 && !isSo(); waited += 50) await clock.advance(50)
  assert.ok(isSo(), 'not within a minute')
}

test.run()
