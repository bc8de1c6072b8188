import { startOurGuest } from '#support/easytier/guests'
import { print } from '#support/easytier/report'
import { withTestbed } from '#support/easytier/testbed'
import { hasNamespaces, openInternet, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'

// Paths that tell nobody that they drop larger packets: of tunnels, hotels and mobile networks.
const test = suite('Rooms over paths of 1,280 bytes and less', { timeoutMs: 150_000 })
const onSmallPath = test.skipUnless(hasNamespaces && findProgram('nft'), `${WHY_NO_NAMESPACES}, and nft`)

const MIB = 1 << 20

/** IP packets by IPv4; the headers of IPv6 have 20 bytes more, so that 1,260 stand for a path of IPv6. */
for (const largest of [1260, 1200, 1124, 600])
  for (const way of ['directly', 'by node'] as const) {
    const title = `a mebibyte comes back ${way} where packets of more than ${largest} bytes are lost`
    onSmallPath(title, () =>
      withTestbed(
        async ({ net, workers, nodeUrl, startNode, host, keep }) => {
          await startNode('our relay')
          if (way === 'by node') await net.part('host', 'guest')
          // TCP is lost with its large packets, too: nothing but UDP can carry the room.
          const nodes = [nodeUrl('udp')]
          const opened = await host('ours', { nodes })
          const at = { inside: net.guest.inside, worker: workers.guest, nodes }
          const { port } = keep(await startOurGuest(at, opened))
          const took = await workers.guest.run({ do: 'echo', port, size: MIB, isText: false })
          print(title, { 'the way there and back': took })
          assert.ok(took < 30_000, `${took} ms`)
          await workers.guest.run({ do: 'datagrams', port, sizes: [1, 1200, 3000], limitMs: 10_000 })
        },
        (...names) => openInternet(...names).then((net) => net.dropInMiddle(`meta length gt ${largest}`)),
      ),
    )
  }

test.run()
