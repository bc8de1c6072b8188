import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('Ports that are proposed', { timeoutMs: 300_000 })
const onLinux = test.skipUnless(process.platform === 'linux', 'the folder of the game is another one')

onLinux('voice chat is found at the port of its own settings, and not shared unasked', async () => {
  const home = await makeTempFolder('home')
  const voice = createSocket('udp4').bind(0, '127.0.0.1')
  await once(voice, 'listening')
  const { port } = voice.address()
  const settings = join(home, '.minecraft', 'versions', '1.21 Fabric', 'config', 'voicechat')
  await mkdir(settings, { recursive: true })
  await writeFile(join(settings, 'voicechat-server.properties'), `#Port\nport=${port}\n`)
  const room = await startRoomProcess({ settings: { HOME: home } })
  try {
    const { services } = (await room.ask('/game/services')).body as { services: readonly Service[] }
    const found = services.filter(({ name }) => name === 'voice')
    assert.equal(
      found.map(({ udp, tcp }) => [udp, tcp]),
      [[port, null]],
    )
    await room.ask('/room/host/start', { waitForGame: false })
    await room.until('Host_Running', 60_000)
    assert.equal((await room.ask('/room/status')).body.ports, [])
  } finally {
    await room.close()
    voice.close()
    await removeFolders(home)
  }
})

type Service = { readonly name: string; readonly udp: number | null; readonly tcp: number | null }
