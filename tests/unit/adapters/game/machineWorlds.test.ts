import { execFileSync } from 'node:child_process'
import { chown, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createGameLogs, createGameName, createListening, listMods } from '@lantern-room/adapters/game'
import { listenersIn, parseLsof, parseNetstat, parseTasklist } from '#internal/adapters/game/listeningSockets'
import { openPort } from '#support/process/openPort'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'

const test = suite('worlds of this machine: sockets and logs', { timeoutMs: 30_000 })

const running = new AbortController().signal
const onLinux = test.skipUnless(process.platform === 'linux', '/proc is Linux’s')

onLinux('a socket of this process is listed with its address, and not as Java’s', async () => {
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['0.0.0.0', '0.0.0.0'],
    ['::', '::'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ] as const) {
    const server = createServer()
    const port = await openPort(server, host)
    const sockets = await createListening({})(running)
    assert.equal(
      sockets.filter((socket) => socket.port === port),
      [{ address, port, isJava: false, isOfUser: true }],
    )
    server.close()
  }
})

onLinux('processes that have ended meanwhile, are others’ or are no processes are passed over', async () => {
  const folder = await makeTempFolder('proc')
  const line = (address: string, state: string, inode: number) =>
    `   0: ${address}:63DD 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0\n`
  await mkdir(join(folder, 'net'))
  await writeFile(
    join(folder, 'net', 'tcp'),
    `${line('0501A8C0', '0A', 11)}${line('0501A8C0', '01', 12)}odd\n`,
  )
  await writeFile(join(folder, 'net', 'tcp6'), line('000080FE000000000000000001000000', '0A', 13))
  for (const [pid, comm, inode] of [
    ['10', 'java', 11],
    ['11', 'java', undefined],
    ['12', undefined, undefined],
  ] as const) {
    await mkdir(join(folder, pid, 'fd'), { recursive: true })
    if (comm) await writeFile(join(folder, pid, 'comm'), `${comm}\n`)
    if (inode) await symlink(`socket:[${inode}]`, join(folder, pid, 'fd', '3'))
    else await rm(join(folder, pid, 'fd'), { recursive: true })
  }
  assert.equal(listenersIn(folder, 1000), [
    { address: '192.168.1.5', port: 25_565, isJava: true, isOfUser: true },
  ])
  await rm(join(folder, 'net'), { recursive: true })
  assert.equal(listenersIn(folder, 1000), [])
  await removeFolders(folder)
})

test('the tools of Windows are read in any language', () => {
  const java = parseTasklist('"javaw.exe","4242","Console","1","1.234.567 K"\r\nINFO: no tasks\r\n')
  const output = [
    '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
    '  TCP    0.0.0.0:25565          0.0.0.0:0              ABHÖREN         4242',
    '  TCP    192.168.1.5:49152      52.1.2.3:443           HERGESTELLT     4242',
    '  TCP    [::1]:50000            [::]:0                 侦听            7',
    '  TCP    [fe80::1%4]:50001      [::]:0                 LISTENING       7',
    '  UDP    0.0.0.0:5353           *:*                                    7',
  ].join('\r\n')
  assert.equal(parseNetstat(output, java), [
    { address: '0.0.0.0', port: 25_565, isJava: true, isOfUser: true },
    { address: '::1', port: 50_000, isJava: false, isOfUser: false },
  ])
  assert.equal(parseNetstat('not recognized as an internal command', java), [])
})

test('lsof of macOS names every address by a star', () => {
  const own = { isJava: true, isOfUser: true }
  assert.equal(parseLsof('p501\nf31\nn*:54321\nn127.0.0.1:25565\nn[::1]:25566\nn*:*\n'), [
    { address: '::', port: 54_321, ...own },
    { address: '127.0.0.1', port: 25_565, ...own },
    { address: '::1', port: 25_566, ...own },
  ])
})

/** Logs below `.minecraft`, read with this content in their place. */
async function portsOf(prepare: (path: string, folder: string) => Promise<unknown>) {
  const folder = await makeTempFolder('logs')
  const path = join(folder, '.minecraft', 'logs', 'latest.log')
  await mkdir(join(path, '..'), { recursive: true })
  await prepare(path, folder)
  const read = createGameLogs(join(folder, '.minecraft'), {}, 'win32')
  const first = await read()
  assert.equal(await read(), first)
  await removeFolders(folder)
  return first
}

const OPENED = '[12:00:00] [Render thread/INFO]: Started serving on 54321\n'

test('the last port of a log counts, however long the log is', async () => {
  assert.equal(
    await portsOf((path) => writeFile(path, `Started serving on 1\n${OPENED}[CHAT] hi\n`)),
    [54_321],
  )
  assert.equal(
    await portsOf(async (path) => {
      await writeFile(path, '')
      await truncate(path, 2 ** 30)
      await writeFile(path, OPENED, { flag: 'a' })
    }),
    [54_321],
  )
  assert.equal(await portsOf((path) => writeFile(path, 'Started serving on 99999')), [])
})

test('a player has the name of the newest log that says one, whichever launcher has written it', async () => {
  const folder = await makeTempFolder('game-name')
  const read = createGameName(join(folder, '.minecraft'), {}, 'win32')
  const log = async (game: readonly string[], text: string, at: number) => {
    await mkdir(join(folder, ...game, 'logs'), { recursive: true })
    const path = join(folder, ...game, 'logs', 'latest.log')
    await writeFile(path, text)
    await utimes(path, at, at)
  }
  assert.is(await read(), undefined)
  await log(['.minecraft'], '[Render thread/INFO]: Setting user: Steve\r\nMore\n', 1000)
  assert.is(await read(), 'Steve')
  await log(['PrismLauncher', 'instances', 'Sky', 'minecraft'], 'x\n[main/INFO]: Setting user: 小明\n', 2000)
  await log(['.minecraft', 'versions', '1.21'], 'it ended too soon', 3000)
  assert.is(await read(), '小明')
  await removeFolders(folder)
})

test('instances of launchers are found, and a loop of links ends', async () => {
  const ports = await portsOf(async (_, folder) => {
    const instances = join(folder, 'PrismLauncher', 'instances')
    await mkdir(join(instances, 'Skyblock', 'minecraft', 'logs'), { recursive: true })
    await writeFile(join(instances, 'Skyblock', 'minecraft', 'logs', 'latest.log'), OPENED)
    await symlink('loop', join(instances, 'loop'))
    await symlink(instances, join(instances, 'again'))
  })
  assert.equal(ports, [54_321])
})

onLinux('a pipe, an old log and another user’s are not read', async () => {
  assert.equal(await portsOf(async (path) => execFileSync('mkfifo', [path])), [])
  const old = new Date(Date.now() - 2 * 24 * 3_600_000)
  assert.equal(await portsOf((path) => writeFile(path, OPENED).then(() => utimes(path, old, old))), [])
  if (process.getuid?.() !== 0) return
  assert.equal(await portsOf((path) => writeFile(path, OPENED).then(() => chown(path, 12_345, 12_345))), [])
})

test('a mods folder is read by its names, without following links, and what is none is refused by name', async () => {
  const folder = await makeTempFolder('mods')
  const path = (name: string) => join(folder, name)
  for (const name of ['a-1.0.jar', 'B.JAR', 'off.jar.disabled', 'notes.txt']) await writeFile(path(name), '')
  await mkdir(path('folder.jar'))
  await symlink('loop', path('loop'))
  await symlink('loop.jar', path('loop.jar'))
  assert.equal([...(await listMods(folder, 'modsFolder'))].sort(), ['B.JAR', 'a-1.0.jar', 'loop.jar'])
  for (const [wrong, problem] of [
    [path('loop'), /^modsFolder: The links to this folder go round in a circle: name the mods folder/],
    [path('notes.txt'), /^modsFolder: That is a file, not a folder/],
    [path('none'), /^modsFolder: There is no such folder/],
    ['mods', /^modsFolder: The path has to start at the root/],
  ] as const)
    assert.match((await rejectedRefusal(listMods(wrong, 'modsFolder'))).detail, problem)
  await Promise.all(Array.from({ length: 10_000 }, (_, at) => writeFile(path(`m${at}.jar`), '')))
  assert.match(
    (await rejectedRefusal(listMods(folder, 'modsFolder'))).detail,
    /This folder has too many files/,
  )
  await removeFolders(folder)
})

test.run()
