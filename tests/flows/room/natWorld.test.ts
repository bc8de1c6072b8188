import { decodeStun } from '#core/easytier/wire/stun'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { hasNat, type NatPlace, type NatWorld, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { startStunServer } from '#support/namespaces/stunServerProcess'
import { startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('The houses and lines that tests stand on', { timeoutMs: 60_000 })
const withRouters = test.skipUnless(hasNat && hasSlowLine, hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT)

/** Sends a binding request from one socket to each server, and prints its own port and the answers. */
const ASK = `
const { createSocket } = require('node:dgram')
const { connect } = require('node:net')
const [kind, ...servers] = process.argv.slice(1)
const request = Buffer.from('000100002112a442' + '0102030405060708090a0b0c', 'hex')
const say = (answer) => console.log('answer ' + answer.toString('hex'))
if (kind === 'udp') {
  const socket = createSocket('udp4')
  let answers = 0
  socket.on('message', (bytes) => { say(bytes); if (++answers === servers.length) process.exit() })
  socket.bind(0, () => {
    console.log('port ' + socket.address().port)
    for (const server of servers) socket.send(request, 3478, server)
  })
  setTimeout(() => process.exit(), 10000)
} else {
  const at = performance.now()
  const socket = connect({ host: servers[0], port: 3478, localPort: 40123 }, () => {
    console.log('connected ' + (performance.now() - at))
    socket.write(request.subarray(0, 7))
    setTimeout(() => socket.write(request.subarray(7)), 20)
  })
  socket.on('data', (bytes) => { say(bytes); process.exit() })
  socket.on('error', (error) => { console.log(error.code); process.exit() })
  setTimeout(() => process.exit(), 30000)
}`

async function ask({ inside }: NatPlace, kind: 'udp' | 'tcp', ...servers: string[]): Promise<string> {
  const [program = '', ...args] = [...inside, process.execPath, '-e', ASK, kind, ...servers]
  const asking = startServer(args, {}, program)
  await asking.ended
  assert.is(asking.stderr(), '')
  return asking.stdout()
}

function mappedIn(output: string) {
  return [...output.matchAll(/^answer (\w+)$/gm)].map(([, hex = '']) => {
    const message = decodeStun(Uint8Array.from(Buffer.from(hex, 'hex')))
    return message?.kind === 'response' ? message.mapped : undefined
  })
}

async function withWorld(
  houses: Parameters<typeof openNatWorld>[0],
  work: (world: NatWorld, servers: readonly [string, string]) => Promise<void>,
) {
  const world = await openNatWorld(houses)
  const [, one, other] = world.public.addresses
  let carried: Awaited<ReturnType<NatWorld['remove']>> = []
  try {
    const stun = await startStunServer([one, other], world.public.inside)
    try {
      await work(world, [one, other])
    } finally {
      await stun.close()
    }
  } finally {
    carried = await world.remove()
  }
  return carried
}

withRouters('a cone keeps a port for all servers, a symmetric router gives each another', async () => {
  await withWorld({ host: { router: 'cone' }, guest: { router: 'symmetric' } }, async (world, servers) => {
    const cone = await ask(world.host, 'udp', ...servers)
    const [, port] = /^port (\d+)/.exec(cone) ?? []
    const mapped = { address: '198.51.100.2', port: Number(port) }
    assert.equal(mappedIn(cone), [mapped, mapped])
    const [one, other] = mappedIn(await ask(world.guest, 'udp', ...servers))
    assert.is(one?.address, '203.0.113.2')
    assert.is(other?.address, '203.0.113.2')
    assert.is.not(one?.port, other?.port)
    assert.equal(mappedIn(await ask(world.host, 'tcp', servers[0])), [
      { address: '198.51.100.2', port: 40_123 },
    ])
  })
})

withRouters('an open house has an address of the internet; blocked UDP does not pass, TCP does', async () => {
  await withWorld(
    { host: { router: 'open' }, guest: { router: 'cone', blocksUdp: true } },
    async (world, servers) => {
      const open = await ask(world.host, 'udp', ...servers)
      assert.equal(mappedIn(open)[0]?.address, world.host.address)
      assert.equal(mappedIn(await ask(world.guest, 'udp', ...servers)), [])
      assert.is(mappedIn(await ask(world.guest, 'tcp', servers[0])).length, 1)
    },
  )
})

withRouters(
  'what comes unasked into a house behind a cone goes nowhere, and its port stays free',
  async () => {
    await withWorld({ host: { router: 'cone' }, guest: { router: 'open' } }, async (world, servers) => {
      // To the port that the host takes next: a router that remembered this would have to give another one.
      const knock = `require('node:dgram').createSocket('udp4').send('x', 40123, '198.51.100.2', () => process.exit())`
      const [program = '', ...args] = [...world.guest.inside, process.execPath, '-e', knock]
      await startServer(args, {}, program).ended
      assert.equal(mappedIn(await ask(world.host, 'tcp', servers[0]))[0]?.port, 40_123)
    })
  },
)

withRouters('a line takes the time that was asked for, and loses its share', async () => {
  const line = { delayMs: 30, lossPercent: 20, megabitsPerSecond: 10, seed: 7 }
  const carried = await withWorld(
    { host: { router: 'open', line: { delayMs: 30 } }, guest: { router: 'open', line } },
    async (world, servers) => {
      const [, ms] = /^connected (\S+)/.exec(await ask(world.host, 'tcp', servers[0])) ?? []
      assert.ok(Number(ms) >= 60, `connected after ${ms} ms`)
      const flood = `const s = require('node:dgram').createSocket('udp4'); let n = 0
        const again = () => ++n > 1000 ? process.exit() : s.send(Buffer.alloc(100), 9, '${servers[0]}', () => n % 10 ? again() : setTimeout(again, 5))
        again()`
      const [program = '', ...args] = [...world.guest.inside, process.execPath, '-e', flood]
      await startServer(args, {}, program).ended
      await new Promise((resolve) => setTimeout(resolve, 300))
    },
  )
  const { lost: missing = 0, carried: arrived = 0 } = carried[1]?.there ?? {}
  const lost = missing / (missing + arrived)
  assert.ok(lost > 0.15 && lost < 0.25, `it lost ${lost}`)
})

test.run()
