import { untilAborted } from '#core/async/onAbort'
import type { DatagramFlow } from '#core/byteStream'
import { findLocalServices } from '#core/room/game/localServices'
import type { LocalNet } from '#core/room/ports'
import { createFakeClock } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'

const test = suite('services of this machine that could be shared')

type Machine = {
  readonly pong?: string
  readonly takenUdp?: readonly number[]
  readonly voicePorts?: readonly number[]
  readonly tcp?: readonly number[]
}

function look({ pong, takenUdp = [], tcp = [], voicePorts = [] }: Machine) {
  const clock = createFakeClock()
  let open = 0
  const localNet: Pick<LocalNet, 'connect' | 'listenDatagrams' | 'openDatagrams'> = {
    async connect(port) {
      if (!tcp.includes(port)) throw new Error('refused')
      return streamPair()[0]
    },
    async listenDatagrams(port, _onFlow, signal) {
      if (takenUdp.includes(port)) return false
      open += 1
      void untilAborted(signal).then(() => {
        open -= 1
      })
      return true
    },
    openDatagrams(): DatagramFlow {
      open += 1
      let hear = (_bytes: Uint8Array) => {}
      return {
        send: () => pong && queueMicrotask(() => hear(new Uint8Array(Buffer.from(pong, 'hex')))),
        onDatagram: (listener) => {
          hear = listener
        },
        close: () => {
          open -= 1
        },
        closed: new Promise(() => {}),
      }
    },
  }
  const found = findLocalServices(
    { localNet, clock, voicePorts: async () => voicePorts },
    new AbortController().signal,
  )
  return { clock, found, open: () => open }
}

const PONG = `1c${'00'.repeat(16)}00ffff00fefefefefdfdfdfd12345678000d${Buffer.from('MCPE;Hi;1;1.21').toString('hex')}`

test('a Bedrock world answers RakNet’s ping; voice is known by its taken port, maps by a connection', async () => {
  const { found } = look({ pong: PONG, takenUdp: [24_454], tcp: [8123, 8100] })
  assert.equal(
    (await found).map(({ name, tcp, udp }) => [name, tcp, udp]),
    [
      ['bedrock', null, 19_132],
      ['voice', null, 24_454],
      ['map', 8123, null],
      ['map2', 8100, null],
    ],
  )
})

test.run()
