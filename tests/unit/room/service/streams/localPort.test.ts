import { createDeferred } from '#core/async/deferred'
import type { DatagramFlow } from '#core/byteStream'
import type { LocalNet } from '#core/room/ports'
import { openTcpPort, openUdpPort } from '#core/room/service/streams/localPort'
import { settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('a local port that leads to the host')

const log = silentLog()

function createSetting(taken: readonly number[] = []) {
  const stop = new AbortController()
  const dialled: number[] = []
  const sent: string[] = []
  let onFlow = (_flow: DatagramFlow) => {}
  let accept = (_stream: ReturnType<typeof streamPair>[0]) => {}
  const localNet: LocalNet = {
    connect: () => Promise.reject(new Error('not used')),
    openDatagrams: () => flowTo('unused'),
    async listen(ports, onStream) {
      accept = onStream
      return { port: ports.find((port) => !taken.includes(port)) ?? 0, closed: Promise.resolve() }
    },
    async listenDatagrams(port, listener) {
      onFlow = listener
      return !taken.includes(port)
    },
  }
  function flowTo(name: string): DatagramFlow {
    const { promise: closed, resolve: close } = createDeferred()
    return { send: (bytes) => void sent.push(`${name} ${bytes[0]}`), onDatagram() {}, close, closed }
  }
  const connection = {
    async dial(port: number) {
      dialled.push(port)
      return streamPair()[0]
    },
    datagrams: (port: number) => flowTo(`${port}`),
  }
  return {
    dependencies: { connection, localNet, log },
    signal: stop.signal,
    dialled,
    sent,
    connect: () => accept(streamPair()[1]),
    /** @returns sends a datagram as a new client, and whether the client’s flow is still open */
    client() {
      let say = (_bytes: Uint8Array) => {}
      let isOpen = true
      const flow = flowTo('client')
      void flow.closed.then(() => {
        isOpen = false
      })
      onFlow({ ...flow, onDatagram: (listener) => (say = listener) })
      return { say: (byte: number) => say(Uint8Array.of(byte)), isOpen: () => isOpen }
    },
  }
}

test('TCP connections go to the target of the moment', async () => {
  const { dependencies, signal, connect, dialled } = createSetting([8123])
  let target = 8123
  const { port } = await openTcpPort(dependencies, [8123, 9000], () => target, signal)
  assert.is(port, 9000)
  connect()
  target = 8124
  connect()
  await settle()
  assert.equal(dialled, [8123, 8124])
})

test('UDP takes the first port that is free, and none is no failure', async () => {
  const { dependencies, signal } = createSetting([24_454])
  const opened = await openUdpPort(dependencies, [24_454, 24_455], () => 24_454, signal)
  assert.is(opened?.port, 24_455)
  assert.is(await openUdpPort(dependencies, [24_454], () => 24_454, signal), undefined)
})

test('a client’s flow keeps its target until the flows are renewed', async () => {
  const { dependencies, signal, client, sent } = createSetting()
  let target = 1
  const opened = await openUdpPort(dependencies, [5], () => target, signal)
  const first = client()
  first.say(7)
  target = 2
  first.say(8)
  opened?.renewFlows()
  await settle()
  assert.not.ok(first.isOpen())
  client().say(9)
  assert.equal(sent, ['1 7', '1 8', '2 9'])
})

test.run()
