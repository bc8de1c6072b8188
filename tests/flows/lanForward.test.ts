import { hasNamespaces, openLan, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { startServer } from '#support/process/serverProcess'
import { workerPath } from '#support/process/workerPath'
import { assert, suite } from '#support/runner/suite'

// A guest's forward works on the guest's machine only, so a neighbour must not take it for a world of the LAN.
const test = suite('Announcements between the machines of a house', { timeoutMs: 40_000 })

const inNamespaces = test.skipUnless(hasNamespaces, WHY_NO_NAMESPACES)

for (const [as, reaches] of [
  ['game', true],
  ['forward', false],
] as const)
  inNamespaces(`a ${as} is heard on its machine${reaches ? ' and by a neighbour' : ' alone'}`, async () => {
    const lan = await openLan('here', 'there')
    try {
      const run = async ({ inside, address }: typeof lan.here, ...words: string[]): Promise<unknown> => {
        const [program = '', ...before] = inside
        const args = [
          ...before,
          process.execPath,
          workerPath('support/namespaces/forwardWorker'),
          address,
          ...words,
        ]
        const worker = startServer(args, {}, program)
        assert.is(await worker.ended, 0, worker.stderr())
        return JSON.parse(worker.stdout())
      }
      const [own, neighbour] = await Promise.all([run(lan.here, as), run(lan.there)])
      const datagram = `[MOTD]a ${as}[/MOTD][AD]25565[/AD]`
      assert.equal(own, [datagram])
      assert.equal(neighbour, reaches ? [datagram] : [])
    } finally {
      await lan.remove()
    }
  })

test.run()
