import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closingOfEachTest } from '#support/process/closing'
import { folderOfEachTest } from '#support/process/tempFolder'
import { startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('Ports that are proposed', { timeoutMs: 300_000 })
const { keep, add } = closingOfEachTest(test)
const home = folderOfEachTest(test, 'home')
const onLinux = test.skipUnless(process.platform === 'linux', 'the folder of the game is another one')

onLinux('voice chat is found at the port of its own settings, and not shared unasked', async () => {
  const voice = createSocket('udp4').bind(0, '127.0.0.1')
  add(async () => voice.close())
  await once(voice, 'listening')
  const { port } = voice.address()
  const settings = join(home(), '.minecraft', 'versions', '1.21 Fabric', 'config', 'voicechat')
  await mkdir(settings, { recursive: true })
  await writeFile(join(settings, 'voicechat-server.properties'), `#Port\nport=${port}\n`)
  const room = keep(await startRoomProcess({ settings: { HOME: home() } }))
  const { services } = (await room.ask('/game/services')).body as { services: readonly Service[] }
  const found = services.filter(({ name }) => name === 'voice')
  assert.equal(
    found.map(({ udp, tcp }) => [udp, tcp]),
    [[port, null]],
  )
  await room.ask('/room/host/start', { waitForGame: false })
  await room.until('Host_Running', 60_000)
  assert.equal((await room.ask('/room/status')).body.ports, [])
})

type Service = { readonly name: string; readonly udp: number | null; readonly tcp: number | null }

test.run()
