import { createFakeClock } from '#support/network/fakeClock'
import { ipv4 as four, ipv6 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'
import { loopback, type NetworkInterfaces } from './setting'

const test = suite('transports: interfaces')

const six = (address: string, internal = false) => ipv6(address, internal, 64, 2)
const lo = [four('127.0.0.1', true), six('::1', true)]
const eth0 = [six('fe80::1'), six('2001:db8::1'), four('192.168.1.2')]
const wlan0 = [four('10.0.0.2'), four('10.0.0.3')]

test('addresses that others may reach, of the interfaces that are chosen', () => {
  const addresses = (interfaces?: readonly string[]) =>
    loopback({ scan: () => ({ lo, eth0, wlan0 }), interfaces }).interfaceAddresses()
  assert.equal(addresses(), ['192.168.1.2', '10.0.0.2', '10.0.0.3', '2001:db8::1'])
  assert.equal(addresses(['10.0.0.3', 'eth0']), ['192.168.1.2', '10.0.0.3', '2001:db8::1'])
})

function watching(start: NetworkInterfaces) {
  const time = createFakeClock()
  let all = start
  let scans = 0
  let asleep = 0
  const transports = loopback({
    clock: { ...time, unixTime: () => time.unixTime() + asleep },
    interfaces: undefined,
    scan: () => {
      scans += 1
      return all
    },
  })
  return {
    time,
    transports,
    scans: () => scans,
    set(next: NetworkInterfaces) {
      all = next
    },
    sleep(ms: number) {
      asleep += ms
    },
  }
}

test('a change of the interfaces reaches every listener once, within 2 s', async () => {
  const { time, transports, set } = watching({ lo, eth0 })
  const told = [0, 0]
  const takeOff = told.map((_, i) =>
    transports.onNetworkChange(() => {
      told[i] = (told[i] ?? 0) + 1
    }),
  )
  await time.advance(60_000)
  assert.equal(told, [0, 0])
  const changes: readonly NetworkInterfaces[] = [
    { lo, eth0, wlan0 },
    { lo, wlan0 },
    { lo, wlan0: wlan0.slice(1) },
    { lo },
    { lo, eth0 },
  ]
  for (const [i, change] of changes.entries()) {
    set(change)
    await time.advance(2000)
    assert.equal(told, [i + 1, i + 1])
    await time.advance(20_000)
    assert.equal(told, [i + 1, i + 1])
  }
  takeOff[0]?.()
  set({ lo, wlan0 })
  await time.advance(2000)
  assert.equal(told, [changes.length, changes.length + 1])
  takeOff[1]?.()
})

test('the same interfaces in another order, and addresses of loopback, are no change', async () => {
  const { time, transports, set } = watching({ lo, eth0, wlan0 })
  let told = 0
  const takeOff = transports.onNetworkChange(() => {
    told += 1
  })
  set({ wlan0: wlan0.toReversed(), eth0: eth0.toReversed(), lo: lo.slice(1) })
  await time.advance(10_000)
  assert.is(told, 0)
  takeOff()
})

test('a sleep of the machine is reported once; a clock that is set by a little, or back, is not', async () => {
  const { time, transports, sleep } = watching({ lo, eth0 })
  let told = 0
  const takeOff = transports.onNetworkChange(() => {
    told += 1
  })
  for (const [ms, expected] of [
    [9000, 0],
    [-3_600_000, 0],
    [10_500, 1],
    [3_600_000, 2],
  ] as const) {
    sleep(ms)
    await time.advance(2000)
    assert.is(told, expected)
    await time.advance(10_000)
    assert.is(told, expected)
  }
  takeOff()
})

test('nothing is scanned without listeners', async () => {
  const { time, transports, scans } = watching({ lo, eth0 })
  const first = scans()
  await time.advance(10_000)
  assert.is(scans(), first)
  assert.is(time.timers, 0)
  const listener = () => {}
  const [one, other] = [transports.onNetworkChange(listener), transports.onNetworkChange(listener)]
  one()
  one()
  assert.is(time.timers, 1)
  await time.advance(2000)
  assert.is(scans(), first + 3)
  other()
  assert.is(time.timers, 0)
})

test.run()
