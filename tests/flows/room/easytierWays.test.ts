import type { Guest } from '#support/easytier/guests'
import type { Host } from '#support/easytier/hosts'
import { programVersion } from '#support/easytier/program'
import { canRun, printGuest, WHY_NOT } from '#support/easytier/report'
import { PAIRS, type Pair, type Testbed, withTestbed } from '#support/easytier/testbed'
import { isDirectBy, observedRoute, waitForRoute } from '#support/easytier/waitForRoute'
import { assert, suite } from '#support/runner/suite'

const test = suite('Rooms with the real program: ways', { timeoutMs: 150_000 })
const withReal = test.skipUnless(canRun, WHY_NOT)
/** A test with machines of its own. */
const onTestbed = (name: string, act: (testbed: Testbed) => Promise<void>) =>
  withReal(name, () => withTestbed(act))

const MIB = 1 << 20
/** As launchers start it. */
const LAUNCHER = ['--enable-kcp-proxy', '--latency-first', '--multi-thread', '--compression', 'zstd']

test.before(async () => console.log(await programVersion()))

/** The room port, a mebibyte each way, and datagrams. */
async function useAll({ workers }: Testbed, pair: Pair, host: Host, guest: Guest): Promise<number> {
  if (pair.guest === 'real')
    assert.is(await workers.guest.run({ do: 'greet', port: host.roomPort }), host.gamePort)
  const took = await workers.guest.run({ do: 'echo', port: guest.port, size: MIB, isText: false })
  await workers.guest.run({ do: 'datagrams', port: guest.port, sizes: [1, 1200], limitMs: 10_000 })
  return took
}

for (const pair of PAIRS) {
  for (const carrier of ['tcp', 'udp'] as const)
    onTestbed(
      `${pair.title}: they meet on a real shared node and go on directly by ${carrier}`,
      async (testbed) => {
        await testbed.startNode('a real shared node')
        await testbed.net.part('host', 'guest', carrier === 'tcp' ? 'udp' : 'tcp')
        const host = await testbed.host(pair.host)
        const guest = await testbed.guest(pair.guest, host)
        const direct = await waitForRoute(host, guest, isDirectBy(carrier))
        const mebibyte = await useAll(testbed, pair, host, guest)
        printGuest(`${pair.title}, ${carrier}`, guest, {
          'then direct after': direct,
          'a mebibyte': mebibyte,
        })
      },
    )

  onTestbed(`${pair.title}: directly by ws, without a shared node`, async (testbed) => {
    const flags = ['--enable-kcp-proxy', '--disable-p2p', '--listeners', 'ws://0.0.0.0:11011']
    const real = { nodes: [], flags }
    const ours = (name: 'host' | 'guest') => ({ nodes: [`ws://${testbed.net[name].address}:11011`] })
    const host = await testbed.host(pair.host, pair.host === 'ours' ? ours('guest') : real)
    const guest = await testbed.guest(pair.guest, host, pair.guest === 'ours' ? ours('host') : real)
    await waitForRoute(host, guest, isDirectBy('ws'))
    const mebibyte = await useAll(testbed, pair, host, guest)
    printGuest(`${pair.title}, ws`, guest, { 'a mebibyte': mebibyte })
  })

  for (const node of ['a real shared node', 'our relay'] as const)
    for (const carrier of ['tcp', 'udp', 'ws'] as const)
      onTestbed(`${pair.title}: through ${node} by ${carrier}, where no other way leads`, async (testbed) => {
        await testbed.startNode(node)
        await testbed.net.part('host', 'guest')
        const nodes = [testbed.nodeUrl(carrier)]
        const host = await testbed.host(pair.host, { nodes })
        const guest = await testbed.guest(pair.guest, host, { nodes })
        const mebibyte = await useAll(testbed, pair, host, guest)
        assert.match((await observedRoute(host, guest))?.cost ?? '', /^relay/)
        printGuest(`${pair.title}, ${node}, ${carrier}`, guest, { 'a mebibyte': mebibyte })
      })

  onTestbed(`${pair.title}: the real one sends nothing through others (--p2p-only)`, async (testbed) => {
    await testbed.startNode('a real shared node')
    const flags = [...LAUNCHER, '--p2p-only']
    const host = await testbed.host(pair.host, { flags })
    const guest = await testbed.guest(pair.guest, host, { flags })
    assert.is((await observedRoute(host, guest))?.cost, 'p2p')
    await useAll(testbed, pair, host, guest)
    printGuest(`${pair.title}, --p2p-only`, guest)
  })

  onTestbed(`${pair.title}: as launchers start it, compressed by zstd`, async (testbed) => {
    await testbed.startNode('a real shared node')
    const flags = pair.guest === 'real' ? [...LAUNCHER, '--dhcp'] : LAUNCHER
    const host = await testbed.host(pair.host, { flags })
    const guest = await testbed.guest(pair.guest, host, { flags })
    const { guest: worker } = testbed.workers
    const text = await worker.run({ do: 'echo', port: guest.port, size: MIB, isText: true })
    const mebibyte = await useAll(testbed, pair, host, guest)
    printGuest(`${pair.title}, zstd`, guest, { 'a mebibyte of text': text, 'of noise': mebibyte })
  })

  onTestbed(`${pair.title}: datagrams of voice mods pass both ways, in fragments too`, async (testbed) => {
    await testbed.startNode('a real shared node')
    const host = await testbed.host(pair.host)
    const guest = await testbed.guest(pair.guest, host)
    const sizes = [1, 1200, 1300, 3000, 8000]
    const { guest: worker } = testbed.workers
    const took = await worker.run({ do: 'datagrams', port: guest.port, sizes, limitMs: 10_000 })
    printGuest(`${pair.title}, datagrams`, guest, { 'five datagrams': took })
  })
}

onTestbed('our host, a real guest: forwards are told by easytier-cli while it runs', async (testbed) => {
  await testbed.startNode('a real shared node')
  const host = await testbed.host('ours')
  const guest = await testbed.guest('real', host, { by: 'by cli' })
  await useAll(testbed, PAIRS[0], host, guest)
  printGuest('our host, a real guest, port-forward add', guest)
})

for (const kind of ['ours', 'real'] as const)
  onTestbed(
    `two guests at once, a real one and ours, with ${kind === 'ours' ? 'our' : 'a real'} host`,
    async (testbed) => {
      await testbed.startNode('a real shared node')
      const host = await testbed.host(kind)
      const [real, own] = await Promise.all([
        testbed.guest('real', host),
        testbed.guest('ours', host, { at: 'other' }),
      ])
      const echo = { do: 'echo', size: MIB, isText: false } as const
      await Promise.all([
        testbed.workers.guest.run({ ...echo, port: real.port }),
        testbed.workers.other.run({ ...echo, port: own.port }),
      ])
      printGuest(`two guests with ${kind} host, the real one`, real)
      printGuest(`two guests with ${kind} host, ours`, own)
    },
  )

test.run()
