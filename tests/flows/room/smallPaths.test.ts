import { startOurGuest } from '#support/easytier/guests'
import { print } from '#support/easytier/report'
import { withTestbed } from '#support/easytier/testbed'
import { hasNamespaces, openInternet, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'

// Paths that carry no larger packets than every path of IPv6 does, and tell nobody that they drop others.
const test = suite('Rooms over paths of 1,280 bytes', { timeoutMs: 150_000 })
const onSmallPath = test.skipUnless(hasNamespaces && findProgram('nft'), `${WHY_NO_NAMESPACES}, and nft`)

/** The headers of IPv4 have 20 bytes less than those of IPv6. */
const LARGEST = 1280 - 20
const MIB = 1 << 20

const TITLE = 'a mebibyte comes back where UDP and TCP lose their large packets'

onSmallPath(TITLE, () =>
  withTestbed(
    async ({ net, workers, nodeUrl, startNode, host, keep }) => {
      await startNode('our relay')
      const opened = await host('ours')
      const at = { inside: net.guest.inside, worker: workers.guest, nodes: [nodeUrl()] }
      const { port } = keep(await startOurGuest(at, opened))
      const took = await workers.guest.run({ do: 'echo', port, size: MIB, isText: false })
      print(TITLE, { 'the way there and back': took })
      assert.ok(took < 30_000, `${took} ms`)
      await workers.guest.run({ do: 'datagrams', port, sizes: [1, 1200, 3000], limitMs: 10_000 })
    },
    (...names) => openInternet(...names).then((net) => net.dropInMiddle(`meta length gt ${LARGEST}`)),
  ),
)

test.run()
