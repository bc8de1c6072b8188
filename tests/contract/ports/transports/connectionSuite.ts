import type { Connection } from '@lantern-room/easytier/transport'
import { packetTypes } from '@lantern-room/easytier/wire'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { closesItsSockets } from '../leaks'
import { turn, until } from './setting'

export type Pair = {
  readonly near: Connection
  readonly far: Connection
  /** Closes what the connections do not close. */
  close(): Promise<unknown>
}

const COUNT = 100_000
/** Packets in flight at once: less than any system's buffers hold, so that none is dropped. */
const WINDOW = 128

/** What connections of every transport do. @param isStream nothing is lost, and the other side learns of a close */
export function connectionSuite(
  name: string,
  open: (signal: AbortSignal) => Promise<Pair>,
  { isStream }: { readonly isStream: boolean },
): void {
  const test = suite(`connections over ${name}`, { timeoutMs: 60_000 })
  let pair: Pair

  const closePair = async () => {
    const { near, far } = pair
    near.close()
    far.close()
    await Promise.all([near.closed, far.closed, pair.close()])
  }
  closesItsSockets(test, closePair, 'soon')
  test.before.each(async () => {
    pair = await open(new AbortController().signal)
  })

  test('100,000 packets of every size from 16 to 2,000 bytes go both ways, byte for byte, once each and in order', async () => {
    for (const [from, to] of [
      [pair.near, pair.far],
      [pair.far, pair.near],
    ] as const) {
      let count = 0
      let wrong = 0
      to.onPacket((packet) => {
        if (Buffer.compare(packet, packetOf(count)) !== 0) wrong += 1
        count += 1
      })
      for (let next = 0; next < COUNT / 2; next++) {
        from.send(packetOf(next))
        while (next - count > WINDOW) await new Promise(setImmediate)
      }
      await until(() => count === COUNT / 2)
      assert.is(wrong, 0)
    }
  })

  test('packets that arrive before there is a listener are held for it, and their bytes do not change', async () => {
    const sent = [noise(16), noise(700), noise(2000)]
    for (const packet of sent) pair.near.send(packet)
    await turn(30)
    const received: Uint8Array[] = []
    pair.far.onPacket((packet) => void received.push(packet))
    for (let i = 0; i < 200; i++) pair.near.send(noise(1200))
    await until(() => received.length === sent.length + 200)
    for (const [i, packet] of sent.entries())
      equalBytes(received[i] ?? new Uint8Array(0), packet, `Packet ${i}`)
  })

  test('it names its transport, and both ends have each other’s address', () => {
    const { near, far } = pair
    assert.equal(near.remote, { address: '127.0.0.1', port: far.localPort })
    assert.equal(far.remote, { address: '127.0.0.1', port: near.localPort })
    assert.is(near.transport, far.transport)
  })

  test('a closed connection drops packets silently, and may be closed again', async () => {
    pair.near.close()
    await pair.near.closed
    pair.near.send(noise(100))
    pair.near.close()
    await pair.near.closed
  })

  if (isStream) {
    test('packets sent just before the close still arrive, then the other side closes', async () => {
      const received: Uint8Array[] = []
      pair.far.onPacket((packet) => void received.push(packet))
      for (let i = 0; i < 50; i++) pair.near.send(noise(1000 + i))
      pair.near.close()
      await Promise.all([pair.near.closed, pair.far.closed])
      assert.is(received.length, 50)
      for (const [i, packet] of received.entries()) equalBytes(packet, noise(1000 + i))
    })

    test('nothing is received after the close', async () => {
      let count = 0
      pair.far.onPacket(() => {
        count += 1
        pair.far.close()
      })
      for (let i = 0; i < 100; i++) pair.near.send(noise(100))
      await pair.near.closed
      assert.is(count, 1)
    })
  }
  test.run()
}

const known = new Map<number, Uint8Array>()

/** Of one type, since pings may go before other packets. */
function packetOf(number: number): Uint8Array {
  const size = 16 + ((number * 37) % 1985)
  const packet = known.get(size) ?? noise(size)
  known.set(size, packet)
  packet[8] = packetTypes.data
  new DataView(packet.buffer).setUint32(0, number)
  return packet
}
