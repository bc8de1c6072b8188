import { type NatInfo, NatObserver } from '#internal/easytier/nat/natObserver'
import { natTypes } from '#internal/easytier/nat/natType'
import { createUdpTransport } from '#internal/easytier/transport/udpTransport'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { createTestNet } from '#support/virtualNet/testNet'
import type { HouseOptions } from '#support/virtualNet/virtualNet'

const test = suite('easytier: detection of NAT types', { setUp, tearDown: ({ close }) => close(0) })

test('UDP and TCP are reported as soon as each is known: after one round trip, and after two', async ({
  clock,
  observe,
}) => {
  const { infos } = await observe({ nat: 'cone' }, [1, 2])
  await clock.advance(50)
  const told = infos.map(({ at, udp, tcp, mapped }) => [at, udp, tcp, mapped?.address])
  const { portRestricted, unknown, noPat } = natTypes
  assert.equal(told, [
    [20, portRestricted, unknown, '20.0.0.1'],
    [40, portRestricted, noPat, '20.0.0.1'],
  ])
})

test('where UDP is blocked, TCP does not wait for it', async ({ clock, observe }) => {
  const { infos } = await observe({ nat: 'cone', blocksUdp: true }, [1, 2])
  await clock.advance(5000)
  assert.equal([infos[0]?.at, infos[0]?.tcp], [40, natTypes.noPat])
  assert.ok(infos.every(({ udp, mapped }) => udp === natTypes.unknown && mapped === undefined))
})

test('an unknown type is detected again after 10 s, a known one after 600 s, and both at once on another network', async ({
  clock,
  observe,
}) => {
  const { home, observer, infos } = await observe({ nat: 'cone', blocksUdp: true }, [1, 2])
  await clock.advance(5000)
  home.setUdpBlocked(false)
  await clock.advance(7000)
  assert.is(infos.at(-1)?.udp, natTypes.portRestricted)
  const before = infos.length
  await clock.advance(570_000)
  assert.is(infos.length, before)
  await clock.advance(60_000)
  assert.ok(infos.length > before)
  const later = infos.length
  observer.restart()
  await clock.advance(100)
  assert.is(infos.length, later + 2)
})

test('without STUN servers nothing is reported', async ({ clock, observe }) => {
  const { infos } = await observe({ nat: 'cone' }, [])
  await clock.advance(60_000)
  assert.equal(infos, [])
})

test('a machine with IPv6 asks by that, too, and says as whom servers see it', async ({ clock, observe }) => {
  const { infos } = await observe({ nat: 'symmetric' }, [1, 2], '2a0e:b107::2')
  await clock.advance(50)
  assert.equal(infos.at(-1)?.mappedIpv6, { address: '2a0e:b107::2', port: 20_001 })
  assert.is(infos.at(-1)?.udp, natTypes.symmetric)
})

function setUp() {
  const { clock, random, net, atEnd, close } = createTestNet()
  const { bytes: randomBytes } = random
  return { clock, observe, close }

  /** Observes from a house with a round trip of 20 ms to each server. Servers 1 and 2 answer. */
  async function observe(
    house: Omit<HouseOptions, 'publicAddress'>,
    servers: readonly number[],
    ipv6?: string,
  ) {
    for (const last of [1, 2]) net.machine(`8.8.8.${last}`).serveStun()
    const home = net.house({ publicAddress: '20.0.0.1', ...house })
    home.line.delayMs = 10
    const machine = home.machine()
    if (ipv6 !== undefined) {
      const server = net.machine('8.8.8.6')
      server.addIpv6('2001:4860::6')
      server.serveStun()
      machine.addIpv6(ipv6)
    }
    const infos: (NatInfo & { readonly at: number })[] = []
    const controller = new AbortController()
    const tools = { transports: machine.transports, clock, randomBytes }
    const udp = createUdpTransport({ ...tools, socket: await machine.transports.openUdp(0) })
    const observer = NatObserver.open(
      {
        ...tools,
        udp,
        log: silentLog(),
        nodes: ['tcp://9.9.9.9:11010'],
        stunServers: [
          ...servers.map((last) => `8.8.8.${last}:3478`),
          ...(ipv6 ? ['[2001:4860::6]:3478'] : []),
        ],
        onChange: (info) => infos.push({ ...info, at: clock.now() }),
      },
      controller.signal,
    )
    atEnd(async () => {
      controller.abort(new Error('stopped'))
      await observer.closed
      udp.close()
    })
    return { home, observer, infos }
  }
}

test.run()
