import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createVoiceSettings, defaultGameFolder } from '#internal/adapters/game/voiceSettings'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('settings of voice mods')

const folder = folderOfEachTest(test, 'game')

async function write(game: string, text: string, changedAt = 1): Promise<void> {
  const path = join(folder(), game, 'config', 'voicechat')
  await mkdir(path, { recursive: true })
  const file = join(path, 'voicechat-server.properties')
  await writeFile(file, text)
  await utimes(file, changedAt, changedAt)
}

const ports = () => createVoiceSettings(folder())()

test('without a game, or without settings, there is none', async () => {
  assert.equal(await createVoiceSettings(join(folder(), 'none'))(), [])
  await mkdir(join(folder(), 'versions', '1.21'), { recursive: true })
  await writeFile(join(folder(), 'versions', 'a file'), '')
  assert.equal(await ports(), [])
})

test('those of the game and of its versions are read, what was changed last first, each port once', async () => {
  await write('.', '# Simple Voice Chat server config v1.20.4\n#Port\nport=24454\nbind_address=\n', 1)
  await write(join('versions', '1.21 Fabric'), 'codec=VOIP\r\nport=30000\r\n', 3)
  await write(join('versions', '1.20'), 'port = 24454\n', 2)
  assert.equal(await ports(), [30_000, 24_454])
  await write('.', 'port=24455\n', 4)
  assert.equal(await ports(), [24_455, 30_000, 24_454])
})

test('the world’s own port, and what is no port, are left out', async () => {
  for (const text of [
    'port=-1\n',
    'port=0\n',
    'port=70000\n',
    'port=\n',
    '#port=5\n',
    'voice_port=5\n',
    '',
  ]) {
    await write('.', text)
    assert.equal(await ports(), [], text)
  }
})

test('a folder in place of the file is no settings', async () => {
  await mkdir(join(folder(), 'config', 'voicechat', 'voicechat-server.properties'), { recursive: true })
  assert.equal(await ports(), [])
})

test('each system has its own folder of the game', () => {
  const home = homedir()
  assert.is(defaultGameFolder({}, 'linux'), join(home, '.minecraft'))
  assert.is(defaultGameFolder({}, 'darwin'), join(home, 'Library', 'Application Support', 'minecraft'))
  assert.is(defaultGameFolder({ APPDATA: '/roaming' }, 'win32'), join('/roaming', '.minecraft'))
  assert.is(defaultGameFolder({}, 'win32'), join(home, 'AppData', 'Roaming', '.minecraft'))
})

test.run()
