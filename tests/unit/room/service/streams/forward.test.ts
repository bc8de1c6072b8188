import { untilAborted } from '#core/async/onAbort'
import type { ByteStream, DatagramFlow } from '#core/byteStream'
import { ServiceError } from '#core/errors'
import type { GameStatus, LocalNet } from '#core/room/ports'
import { openForward } from '#core/room/service/streams/forward'
import { createFakeClock, settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { failureCode } from '../../../../support/room/failureOf'
import { guestConnection } from '../../../../support/room/guestConnection'
import { assert, suite } from '../../../../support/runner/suite'
import { each } from '../../../../support/values/each'
import { hasResolved } from '../../../../support/values/hasResolved'
import { createTestLog } from '../../../../support/values/testLog'

const test = suite('forward to the world of the host')

const STATUS = { motd: '我的世界', version: undefined, onlinePlayers: undefined, maxPlayers: undefined }

type Options = {
  readonly answer?: GameStatus['by'] | undefined
  readonly hasUdp?: boolean
  readonly listenError?: unknown
}

/** A forward of port 4000 between a fake machine and a fake host, both of which only hold streams. */
function createSetting({ answer, hasUdp = true, listenError }: Options = {}) {
  const clock = createFakeClock()
  const stop = new AbortController()
  const dialled: { readonly port: number; readonly stream: ByteStream }[] = []
  const flows: number[] = []
  const log = createTestLog()
  let dialError: Error | undefined
  let onStream = (_stream: ByteStream) => {}
  let onFlow = (_flow: DatagramFlow) => {}
  let tried: readonly number[] = []
  const notUsed = () => {
    throw new Error('not used')
  }
  const flow = (): DatagramFlow => {
    const controller = new AbortController()
    const closed = untilAborted(controller.signal)
    return { send() {}, onDatagram() {}, close: () => controller.abort(), closed }
  }
  const localNet: LocalNet = {
    connect: notUsed,
    openDatagrams: notUsed,
    async listen(ports, listener, signal) {
      tried = ports
      if (listenError !== undefined) throw listenError
      onStream = listener
      const closed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      return { port: 4000, closed }
    },
    async listenDatagrams(_port, listener) {
      onFlow = listener
      return hasUdp
    },
  }
  const connection = guestConnection({
    async dial(port) {
      if (dialError) throw dialError
      const [near, far] = streamPair()
      dialled.push({ port, stream: far })
      return near
    },
    datagrams(port) {
      flows.push(port)
      return flow()
    },
  })
  const open = () =>
    openForward(
      {
        connection,
        localNet,
        clock,
        probe: async () => (answer === undefined ? undefined : { ...STATUS, by: answer }),
        log,
      },
      3000,
      stop.signal,
    )
  function connect(): ByteStream {
    const [client, accepted] = streamPair()
    onStream(accepted)
    return client
  }
  return {
    clock,
    stop,
    dialled,
    flows,
    warnings: log.warnings,
    open,
    connect,
    /** @returns the flow of a new client */
    receiveDatagram() {
      const client = flow()
      onFlow(client)
      return client
    },
    tried: () => tried,
    refuse(error: Error) {
      dialError = error
    },
  }
}

test('it listens on the number of the host’s port, or on any free one', async () => {
  const setting = createSetting()
  const forward = await setting.open()
  assert.equal([setting.tried(), forward.port, setting.warnings], [[3000, 0], 4000, []])
})

test('a port that cannot be used is a failure of its own; other errors stay as they are', async () => {
  const busy = createSetting({ listenError: new ServiceError('unavailable', 'Every port is in use.') })
  assert.is(await failureCode(busy.open()), 'port-in-use')
  const broken = createSetting({ listenError: new TypeError('broken') })
  assert.is(await failureCode(broken.open()), 'TypeError: broken')
})

test('without UDP it works for TCP, with a warning', async () => {
  const setting = createSetting({ hasUdp: false })
  await setting.open()
  assert.equal(setting.warnings, ['no UDP on the local port: voice mods will not work'])
})

test('connections and datagrams go to the target; after a change new ones go to the new target', async () => {
  const setting = createSetting()
  const forward = await setting.open()
  const first = setting.connect()
  const voice = setting.receiveDatagram()
  await settle()
  forward.retarget(3001)
  // The client’s next datagram comes by a new flow.
  await voice.closed
  const second = setting.connect()
  setting.receiveDatagram()
  await settle()
  assert.equal(each(setting.dialled, 'port'), [3000, 3001])
  assert.equal(setting.flows, [3000, 3001])
  await first.write(Uint8Array.of(1))
  await second.write(Uint8Array.of(2))
  assert.equal(await setting.dialled[0]?.stream.read(), Uint8Array.of(1))
  assert.equal(await setting.dialled[1]?.stream.read(), Uint8Array.of(2))
})

test('a connection that the host refuses is closed', async () => {
  const setting = createSetting()
  await setting.open()
  setting.refuse(new Error('refused'))
  await setting.connect().closed
  assert.equal(setting.warnings, ['the host refused a connection of the game'])
})

test('at most 256 connections are open at once', async () => {
  const setting = createSetting()
  await setting.open()
  const clients = Array.from({ length: 257 }, () => setting.connect())
  await clients[256]?.closed
  await settle()
  assert.is(setting.dialled.length, 256)
})

test('an abort closes the connections, and then the forward', async () => {
  const setting = createSetting()
  const forward = await setting.open()
  const client = setting.connect()
  await settle()
  setting.stop.abort()
  await Promise.all([forward.closed, client.closed, setting.dialled[0]?.stream.closed])
})

for (const answer of ['modern', 'legacy'] as const) {
  test(`a check succeeds with an answer to the ${answer} ping, without another stream`, async () => {
    const setting = createSetting({ answer })
    const forward = await setting.open()
    const world = await forward.check(setting.stop.signal)
    assert.equal([world, setting.dialled.length], [{ edition: 'java', motd: '我的世界' }, 0])
  })
}

for (const answer of ['connect', undefined] as const) {
  test(`a check after ${answer ?? 'no answer'} needs a stream that the host keeps open for 500 ms`, async () => {
    const setting = createSetting({ answer })
    const forward = await setting.open()
    const kept = forward.check(setting.stop.signal)
    const isDone = hasResolved(kept)
    await setting.clock.advance(499)
    assert.not.ok(isDone())
    await setting.clock.advance(1)
    await kept
    const refused = failureCode(forward.check(setting.stop.signal))
    await settle()
    setting.dialled[1]?.stream.destroy()
    assert.is(await refused, 'host-unreachable')
    assert.is(setting.clock.timers, 0)
  })
}

test.run()
