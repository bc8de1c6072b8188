import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, openLine, startEchoWorld } from '#support/namespaces/line'
import {
  hasNamespaces,
  openInternet,
  openLan,
  type Place,
  WHY_NO_NAMESPACES,
} from '#support/namespaces/namespaces'
import { startRelayProcess } from '#support/network/relayProcess'
import { closingOfEachTest } from '#support/process/closing'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('Rooms whose line is cut', { timeoutMs: 180_000 })
const inNamespaces = test.skipUnless(hasNamespaces, WHY_NO_NAMESPACES)

const { keep, add } = closingOfEachTest(test)

type Game = { readonly guest: RoomProcess; readonly line: Line; readonly gamePort: number }

async function startGame(host: Place, visitor: Place, nodes: string): Promise<Game> {
  const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: nodes }
  const world = keep(await startEchoWorld(host.inside))
  const hosting = keep(await startRoomProcess({ inside: host.inside, settings }))
  const guest = keep(await startRoomProcess({ inside: visitor.inside, settings }))
  const code = await hosting.host('Alex', { gamePort: String(world.port) })
  await hosting.until('Host_Running')
  await guest.join(code, 'Steve')
  await guest.until('Guest_Running')
  const { gamePort } = await guest.status()
  const line = keep(await openLine(gamePort, visitor.inside))
  await line.goesOn()
  return { guest, line, gamePort }
}

async function survivesCuts(
  { guest, line, gamePort }: Game,
  visitor: Place,
  cut: () => Promise<void>,
): Promise<void> {
  await cut()
  await sleep(5000)
  await visitor.heal()
  await line.goesOn()
  await guest.until('Guest_Running')

  await cut()
  const cutAt = performance.now()
  const noticed = await guest.until('Guest_Reconnecting', 19_000)
  await sleep(Math.max(0, 20_000 - (performance.now() - cutAt)))
  await visitor.heal()
  const back = await guest.until('Guest_Running')
  assert.is((await guest.status()).gamePort, gamePort)
  const another = await openLine(gamePort, visitor.inside)
  await another.goesOn()
  await another.close()
  // The connection of the game has lived through it as well.
  await line.goesOn()
  console.log(`noticed after ${Math.round(noticed)} ms, back ${Math.round(back)} ms after the line`)
}

inNamespaces('a cable on the LAN that is pulled for 5 s and for 20 s', async () => {
  const { host, guest, remove } = await openLan('host', 'guest')
  add(remove)
  await survivesCuts(await startGame(host, guest, ''), guest, guest.cut)
})

inNamespaces('a silent line to the internet, for 5 s and for 20 s, through a relay alone', async () => {
  const { host, guest, relay, part, remove } = await openInternet('host', 'guest', 'relay')
  add(remove)
  await part('host', 'guest')
  const node = keep(await startRelayProcess(relay))
  await survivesCuts(await startGame(host, guest, node.url), guest, guest.silence)
})

test.run()
