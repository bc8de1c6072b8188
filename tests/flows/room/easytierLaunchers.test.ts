import { startOurGuest } from '#support/easytier/guests'
import { canRun, printGuest, WHY_NOT } from '#support/easytier/report'
import { PAIRS, type Testbed, withTestbed } from '#support/easytier/testbed'
import { observedRoute } from '#support/easytier/waitForRoute'
import { runRelay } from '#support/network/relayProcess'
import { startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

// The real program as other launchers start it, and shared nodes as some of their operators do.
const test = suite('Rooms with the real program: launchers and nodes', { timeoutMs: 150_000 })
const withReal = test.skipUnless(canRun, WHY_NOT)
const onTestbed = (name: string, act: (testbed: Testbed) => Promise<void>) =>
  withReal(name, () => withTestbed(act))

/** PCL.Core/Link/Scaffolding/EasyTier/EasyTierEntity.cs in PCL-Community/PCL-CE, 2026-07, with the defaults of its settings. */
const PCL_CE = [
  ...['--multi-thread', '--enable-kcp-proxy', '--enable-quic-proxy', '--private-mode', 'true', '--p2p-only'],
  ...['--encryption-algorithm', 'aes-gcm', '--compression', 'zstd', '--default-protocol', 'tcp'],
]
const PCL_CE_HOST = '10.114.51.41'

for (const pair of PAIRS)
  onTestbed(`${pair.title}, as PCL CE starts it: the room port, the world, directly`, async (testbed) => {
    const { workers } = testbed
    await testbed.startNode('a real shared node')
    const flags = pair.guest === 'real' ? [...PCL_CE, '--dhcp'] : PCL_CE
    const host = await testbed.host(pair.host, { flags, address: PCL_CE_HOST })
    const guest = await testbed.guest(pair.guest, host, { flags })
    if (pair.guest === 'real')
      assert.is(await workers.guest.run({ do: 'greet', port: host.roomPort }), host.gamePort)
    await workers.guest.run({ do: 'echo', port: guest.port, size: 1 << 20, isText: false })
    assert.is((await observedRoute(host, guest))?.cost, 'p2p')
    printGuest(`${pair.title}, as PCL CE starts it`, guest)
  })

const NO_RELAY = ['--relay-network-whitelist', '', '--relay-all-peer-rpc', 'true']

onTestbed(
  'a node that forwards no data: the guest is told so, and not that the host is to blame',
  async (testbed) => {
    const { net, nodeUrl } = testbed
    await testbed.startNode('a real shared node', NO_RELAY)
    await net.part('host', 'guest')
    const host = await testbed.host('ours')
    const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: nodeUrl() }
    const guest = testbed.keep(await startRoomProcess({ inside: net.guest.inside, settings }))
    await guest.join(host.room.text, 'Steve')
    await guest.until('Error', 120_000)
    const { error, hintCode } = await guest.status()
    assert.match(String(error), /forwards no data/)
    assert.is(hintCode, 'no-relayed-data')
  },
)

onTestbed(
  'a node that forwards no data beside one that does: the other one is used at once',
  async (testbed) => {
    const { net, workers, nodeUrl } = testbed
    await testbed.startNode('a real shared node', NO_RELAY)
    const relay = await runRelay(net.other, [])
    testbed.add(() => relay.end('SIGKILL'))
    await net.part('host', 'guest')
    const nodes = [nodeUrl(), `tcp://${net.other.address}:11010`]
    const host = await testbed.host('ours', { nodes })
    const guest = testbed.keep(
      await startOurGuest({ inside: net.guest.inside, worker: workers.guest, nodes }, host),
    )
    printGuest('a node that forwards no data beside one that does', guest)
    assert.ok(guest.firstEchoMs < 10_000, `${guest.firstEchoMs} ms`)
  },
)

test.run()
