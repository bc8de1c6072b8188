import { type DatagramType, decodeDatagram, encodeDatagram } from '#internal/easytier/wire/udpFrame'
import { hexOf, readVectors, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: datagrams')

type Transports = {
  readonly udp: {
    readonly datagrams: readonly {
      readonly name: string
      readonly bytes: string
      readonly conn_id: number
      readonly padding: number
      readonly $type: string
      readonly body: string
    }[]
  }
}
const { datagrams } = readVectors<Transports>('transports').udp
const types: Readonly<Record<string, DatagramType>> = {
  Syn: 'syn',
  Sack: 'sack',
  Data: 'data',
  HolePunch: 'holePunch',
}

test('every recorded datagram is read, and written again the same', () => {
  assert.is(datagrams.length, 13)
  for (const { name, bytes, conn_id, padding, $type, body } of datagrams) {
    const datagram = decodeDatagram(unhex(bytes))
    assert.ok(datagram, name)
    assert.is(datagram.type, types[$type])
    assert.is(datagram.connectionId, conn_id)
    assert.is(hexOf(datagram.body), body)
    const again = encodeDatagram(datagram.type, conn_id, datagram.body)
    // Real nodes leave anything in this byte.
    again[5] = padding
    assert.is(hexOf(again), bytes, name)
  }
})

test('a datagram that was cut or lengthened anywhere is none', () => {
  for (const { bytes } of datagrams) {
    const whole = unhex(bytes)
    for (let length = 0; length < whole.length; length++)
      assert.is(decodeDatagram(whole.subarray(0, length)), undefined, `${length} of ${bytes}`)
    assert.is(decodeDatagram(unhex(`${bytes}00`)), undefined)
  }
})

test('the types that have no meaning here are none', () => {
  const [known, unknown]: [number[], number[]] = [[], []]
  for (let type = 0; type < 256; type++) {
    const datagram = encodeDatagram('syn', 1, new Uint8Array(8))
    datagram[4] = type
    ;(decodeDatagram(datagram) ? known : unknown).push(type)
  }
  assert.equal(known, [1, 2, 3, 5])
  assert.is(unknown.length, 252)
})

test.run()
