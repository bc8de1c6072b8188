import { createTlsStreams } from '@lantern-room/adapters/tls'
import type { SecureStreams } from '@lantern-room/room/ports'
import { failureCode } from '#support/room/failureOf'
import { testCredentials } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'
import { echo, inTime, type OpenGuest, openGuest, openHost, ROOM_PORT } from './networkFixture'
import { openRealNetworks } from './openRealNetworks'
import { fixtureOfEachTest } from './roomNetworkSuite'
import { streamCases } from './streamCases'

// The same streams as in open rooms, encrypted from end to end.
const test = suite<unknown>('Streams of private rooms', { timeoutMs: 120_000 })

const traits = { privacy: 'private', seesEveryHost: true, bulk: 2 * 1024 * 1024, searchMs: 55_000 } as const

const fixture = fixtureOfEachTest(test, () => openRealNetworks({ isDirect: true, nodes: ['tcp'] }))
streamCases({ test, fixture, traits })

test('a host that returns with its key is known again, and another one with the code is not', async () => {
  const first = await openHost(fixture().roomNetwork(), { privacy: 'private' })
  const { room } = first
  const guest = await openGuest(fixture().roomNetwork(), room)
  await dialAndEcho(guest)
  await first.stop()

  const same = await openHost(fixture().roomNetwork(), { room })
  await until('the host is back', () => guest.session.members().length > 0)
  await inTime(60_000, 'an answer', () => untilEchoed(guest))
  await same.stop()

  const other = await openHost(fixture().roomNetwork(), { room, credentials: testCredentials(2) })
  await until('another host is there', () => guest.session.members().length > 0)
  await until('it has shown another key', () => guest.session.isOtherHostThere())
  const invited = openGuest(fixture().roomNetwork(), room, { hostKey: guest.session.hostKey() })
  assert.is(await failureCode(invited), 'host-changed')
  assert.is(await failureCode(guest.session.dial(ROOM_PORT)), 'host-unreachable')
  assert.equal(other.streams, [], 'nothing was sent to it')
  const newcomer = await openGuest(fixture().roomNetwork(), room)
  await dialAndEcho(newcomer)
  await Promise.all([guest.stop(), newcomer.stop(), other.stop()])
})

test('a host keeps no stream that does not encrypt', async () => {
  const unencrypted: SecureStreams = {
    ...createTlsStreams(),
    async connect(stream) {
      const exportKey = (_label: string, size: number) => new Uint8Array(size)
      return { kind: 'secure', secure: { stream, peerKey: new Uint8Array(32), exportKey } }
    },
  }
  const host = await openHost(fixture().roomNetwork(), { privacy: 'private' })
  const guest = await openGuest(fixture().roomNetwork(unencrypted), host.room)
  const stream = await guest.session.dial(ROOM_PORT)
  await stream.write(new Uint8Array(100).fill(65))
  await inTime(20_000, 'the end', () => stream.closed)
  assert.equal(host.streams, [])
  await Promise.all([guest.stop(), host.stop()])
})

async function untilEchoed(guest: OpenGuest): Promise<void> {
  for (;;) {
    if ((await dialAndEcho(guest).catch(() => 'failed')) !== 'failed') return
  }
}

async function dialAndEcho({ session }: OpenGuest): Promise<void> {
  const stream = await session.dial(ROOM_PORT)
  await echo(stream, [1, 2, 3])
  stream.destroy()
}

test.run()
