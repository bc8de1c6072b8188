import { type NatInfo, observeNat } from '#core/easytier/nat/natObserver'
import { natTypes } from '#core/easytier/nat/natType'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import { createVirtualNet, type HouseOptions } from '#support/virtualNet/virtualNet'

const test = suite('easytier: detection of NAT types')

type TimedInfo = NatInfo & { readonly at: number }

/** Observes from a house with a round trip of 20 ms to each server. Servers 1 and 2 answer, 3 is dead. */
async function observe(
  house: Omit<HouseOptions, 'publicAddress'>,
  servers: readonly number[],
  ipv6?: string,
) {
  const clock = createFakeClock()
  const chance = createPrng(1)
  const net = createVirtualNet({ clock, random: chance.next })
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
  const infos: TimedInfo[] = []
  const controller = new AbortController()
  const tools = { transports: machine.transports, clock, randomBytes: chance.bytes }
  const udp = createUdpTransport({ ...tools, socket: await machine.transports.openUdp(0) })
  const observer = observeNat({
    ...tools,
    udp,
    log: silentLog(),
    signal: controller.signal,
    nodes: ['tcp://9.9.9.9:11010'],
    tcpPort: () => 30_000,
    stun: [...servers.map((last) => `8.8.8.${last}:3478`), ...(ipv6 ? ['[2001:4860::6]:3478'] : [])],
    onChange: (info) => infos.push({ ...info, at: clock.now() }),
  })
  const close = async () => {
    controller.abort(new Error('stopped'))
    await observer.closed
    udp.close()
    await clock.advance(0)
    assert.equal([net.leaks(), clock.timers], [[], 0])
  }
  return { clock, home, observer, infos, close }
}

test('UDP and TCP are reported as soon as each is known: after one round trip, and after two', async () => {
  const { clock, infos, close } = await observe({ nat: 'cone' }, [1, 2])
  await clock.advance(50)
  const told = infos.map(({ at, udp, tcp, mapped }) => [at, udp, tcp, mapped?.address])
  const { portRestricted, unknown, noPat } = natTypes
  assert.equal(told, [
    [20, portRestricted, unknown, '20.0.0.1'],
    [40, portRestricted, noPat, '20.0.0.1'],
  ])
  await close()
})

test('two answers are enough: a third server delays the result by 100 ms only', async () => {
  const { clock, infos, close } = await observe({ nat: 'symmetric' }, [3, 1, 2])
  await clock.advance(130)
  assert.equal([infos[0]?.at, infos[0]?.udp], [120, natTypes.symmetric])
  await close()
})

test('where UDP is blocked, TCP does not wait for it', async () => {
  const { clock, infos, close } = await observe({ nat: 'cone', blocksUdp: true }, [1, 2])
  await clock.advance(5000)
  assert.equal([infos[0]?.at, infos[0]?.tcp], [40, natTypes.noPat])
  assert.ok(infos.every(({ udp, mapped }) => udp === natTypes.unknown && mapped === undefined))
  await close()
})

test('an unknown type is detected again after 10 s, a known one after 600 s, and both at once on another network', async () => {
  const { clock, home, observer, infos, close } = await observe({ nat: 'cone', blocksUdp: true }, [1, 2])
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
  await close()
})

test('without STUN servers nothing is reported', async () => {
  const { clock, infos, close } = await observe({ nat: 'cone' }, [])
  await clock.advance(60_000)
  assert.equal(infos, [])
  await close()
})

test('a machine with IPv6 asks by that, too, and says as whom servers see it', async () => {
  const { clock, infos, close } = await observe({ nat: 'symmetric' }, [1, 2], '2a0e:b107::2')
  await clock.advance(50)
  assert.equal(infos.at(-1)?.mappedIpv6, { address: '2a0e:b107::2', port: 20_001 })
  assert.is(infos.at(-1)?.udp, natTypes.symmetric)
  await close()
})
