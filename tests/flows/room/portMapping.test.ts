import { startEchoWorld } from '#support/namespaces/line'
import { hasNat, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { hasPortMapping, openPorts, WHY_NO_PORT_MAPPING } from '#support/namespaces/portMapping'
import { closingOfEachTest } from '#support/process/closing'
import { folderOfEachTest } from '#support/process/tempFolder'
import { startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually, until } from '#support/values/until'

const test = suite('A router that opens ports', { timeoutMs: 240_000 })
const { keep, add } = closingOfEachTest(test)
const dataDir = folderOfEachTest(test, 'room')
const withRouter = test.skipUnless(hasNat && hasPortMapping, hasNat ? WHY_NO_PORT_MAPPING : WHY_NO_NAT)

const PATIENCE = { ms: 90_000, everyMs: 50 }

type Mapping = { readonly method: string; readonly transport: string; readonly external: string }

for (const protocol of ['nat-pmp', 'upnp'] as const) {
  withRouter(
    `${protocol}: ports are opened for a room, closed with it, and after a crash at the next start`,
    async () => {
      const world = await openNatWorld({
        host: { router: 'symmetric', opensPorts: protocol },
        guest: { router: 'cone' },
      })
      const { host } = world
      add(world.remove)
      const game = keep(await startEchoWorld(host.inside))
      const start = () =>
        startRoomProcess({
          inside: host.inside,
          dataDir: dataDir(),
          settings: { ROOM_LAN_INTERFACES: '', LOG_LEVEL: 'debug' },
        })
      const first = await start()
      const room = await hostedWithPorts(first)
      assert.equal(
        room.map(({ method, transport, external }) => [method, transport, external.split(':')[0]]),
        [
          [protocol, 'udp', '45.11.100.2'],
          [protocol, 'tcp', '45.11.100.2'],
        ],
      )
      assert.is((await openPorts(host.router)).length, 2)
      await first.ask('/room/stop', {})
      assert.equal(await openPorts(host.router), [])

      await hostedWithPorts(first)
      await first.kill()
      assert.is((await openPorts(host.router)).length, 2)
      keep(await start())
      await until('the ports are closed', async () => (await openPorts(host.router)).length === 0, PATIENCE)

      async function hostedWithPorts(
        process: Awaited<ReturnType<typeof start>>,
      ): Promise<readonly Mapping[]> {
        await process.host('Alex', { gamePort: String(game.port) })
        await process.until('Host_Running')
        const look = async () => {
          const { network } = (await process.status()) as unknown as {
            network: { mappings: readonly Mapping[] }
          }
          return network.mappings
        }
        const patience = { ...PATIENCE, story: process.process.stderr }
        return eventually(look, ({ length }) => length === 2, patience)
      }
    },
  )
}

test.run()
