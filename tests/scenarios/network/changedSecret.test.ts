import type { ByteStream } from '#core/byteStream'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import { drawnIdentity } from '#core/room/network/members/networkIdentity'
import { createRoomNetwork } from '#core/room/network/roomNetwork'
import type { NetworkEvent } from '#core/room/networkStatus'
import { generatePrivateRoomCode } from '#core/room/roomCode'
import type { GuestConnection, HostConnection } from '#core/room/roomNetwork'
import { createFakeClock, settled } from '#support/network/fakeClock'
import { failureCode } from '#support/room/failureOf'
import { plainStreams } from '#support/room/plainStreams'
import { testCredentials } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import { createVirtualNet, type VirtualMachine } from '#support/virtualNet/virtualNet'

// A private room on simulated machines: three guests, one of whom must not follow.
const test = suite('room: the secret of a private room is changed', { timeoutMs: 180_000 })

const ROOM_PORT = 13_448
const WORLD_PORT = 25_565
const VOICE_PORT = 24_454
const HOST = '192.168.1.2'
const HOST_NAME = `scaffolding-mc-server-${ROOM_PORT}`

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
  const removed = await join('removed', earlier)
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
  assert.equal(await failureCode(join('late', earlier)), 'host-not-found')
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
  const liar = await join('liar', undefined, Number(id))
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

type Clock = ReturnType<typeof createFakeClock>

function setUp() {
  const clock = createFakeClock()
  const random = createPrng(7)
  const net = createVirtualNet({ clock, random: random.fork('net').next, delayMs: 20 })
  const room = generatePrivateRoomCode(() => 0)
  const opened: { stop: () => Promise<void> }[] = []
  const machines = new Map<string, VirtualMachine>()
  let hosts = 0

  function machineAt(address: string): VirtualMachine {
    const machine = machines.get(address) ?? net.machine(address)
    machines.set(address, machine)
    return machine
  }

  const networkOf = (name: string, address: string, identity: NetworkIdentity, peerId?: number) => {
    const draw = random.fork(name).bytes
    let isFirst = true
    const randomBytes = (size: number) => {
      const isPeerId = isFirst && size === 4 && peerId !== undefined
      if (size === 4) isFirst = false
      return isPeerId ? new Uint8Array(new Uint32Array([peerId]).buffer).reverse() : draw(size)
    }
    return createRoomNetwork({
      transports: machineAt(address).transports,
      secureStreams: plainStreams,
      nodes: [],
      stunServers: [],
      isDirect: true,
      clock,
      randomBytes,
      log: silentLog(),
      version: '0',
      privateIdentity: async () => identity,
    })
  }

  return {
    clock,
    openHost,
    join,
    /** Each has a listener of its own. */
    networksAt: (address: string) =>
      Number(
        net
          .leaks()
          .find((leak) => leak.startsWith(`${address}: `) && leak.endsWith('listeners'))
          ?.split(' ')[1] ?? 0,
      ),
    async close() {
      await Promise.all(opened.map(({ stop }) => stop()))
      await clock.advance(1000)
      assert.equal([net.leaks(), clock.timers], [[], 0])
    },
  }

  async function openHost() {
    hosts += 1
    const stopping = new AbortController()
    const streams: ByteStream[] = []
    const roomNetwork = networkOf(`host ${hosts}`, HOST, DOOR)
    const host: HostConnection = await settled(
      clock,
      roomNetwork.host({
        room,
        roomPort: ROOM_PORT,
        exposed: { tcp: [ROOM_PORT, WORLD_PORT], udp: [VOICE_PORT] },
        credentials: testCredentials(),
        onStream(stream) {
          streams.push(stream)
          void echo(stream).catch(() => undefined)
        },
        onFlow: (flow) => flow.onDatagram((bytes) => flow.send(bytes)),
        signal: stopping.signal,
      }),
    )
    const stop = stopOf(stopping, host)
    opened.push({ stop })
    return { host, streams, stop }
  }

  /**
   * @param secret of the network to which it goes instead of that of the code
   * @param peerId that it gives itself
   */
  async function join(name: string, secret?: Uint8Array, peerId?: number) {
    const stopping = new AbortController()
    const address = `192.168.1.${10 + opened.length}`
    const roomNetwork = networkOf(name, address, secret ? drawnIdentity(secret) : DOOR, peerId)
    const guest = await settled(clock, roomNetwork.join({ room, onStep() {}, signal: stopping.signal }))
    const events: string[] = []
    guest.onEvent((event) => events.push(textOf(event)))
    const stop = stopOf(stopping, guest)
    opened.push({ stop })
    return { guest, events, address, stop, kill: () => machineAt(address).kill() }
  }

  function stopOf(stopping: AbortController, connection: { closed: Promise<void> }) {
    return async () => {
      stopping.abort(new Error('stopped'))
      await settled(clock, connection.closed)
    }
  }
}

const DOOR: NetworkIdentity = { name: 'private', secret: 'derived' }

/** Sends a byte each 20 ms by a stream and by a flow, and reads what comes back. */
async function startTalk(clock: Clock, guest: GuestConnection) {
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

async function echoOnce(clock: Clock, guest: GuestConnection, port: number): Promise<string> {
  const work = async () => {
    const stream = await guest.dial(port)
    await stream.write(new TextEncoder().encode('hello'))
    const answer = await stream.read()
    stream.destroy()
    return new TextDecoder().decode(answer)
  }
  return settled(clock, work())
}

async function echo(stream: ByteStream): Promise<void> {
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) await stream.write(bytes)
}

function textOf(event: NetworkEvent): string {
  return event.kind === 'back' && event.isRestarted ? 'back, restarted' : event.kind
}

async function until(clock: Clock, isSo: () => boolean): Promise<void> {
  for (let waited = 0; waited < 60_000 && !isSo(); waited += 50) await clock.advance(50)
  assert.ok(isSo(), 'not within a minute')
}

test.run()
