import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { browserPath, launchBrowser, openPage, WHY_NO_BROWSER } from '#support/browser/browser'
import { closingOfEachTest } from '#support/process/closing'
import { type RoomCommand, runRoomCommand, testCommands } from '#support/room/roomCommand'
import { startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

const suiteOf = suite('room open', { timeoutMs: 90_000 })
const isLinux = process.platform === 'linux'
const test = suiteOf.skipUnless(isLinux, 'the browser is a shell script named xdg-open')
const inBrowser = suiteOf.skipUnless(isLinux && browserPath, WHY_NO_BROWSER)

const ADDRESS = /^The room page: (http:\/\/127\.0\.0\.1:\d+\/(?:#token=[\w-]{32})?)$/m

const { keep } = closingOfEachTest(suiteOf)
const { start, makeFolder } = testCommands(suiteOf)
let folder = ''

suiteOf.before.each(async () => {
  folder = await makeFolder()
})

/** A desktop whose browser notes what it is given, and then exits as told. */
async function desktop(exit = 0): Promise<Readonly<Record<string, string>>> {
  const program = join(folder, 'xdg-open')
  await writeFile(program, `#!/bin/sh\nprintf '%s|' "$@" >>"$OPENED"\nexit ${exit}\n`)
  await chmod(program, 0o755)
  return {
    DATA_DIR: folder,
    PATH: `${folder}:${process.env.PATH}`,
    DISPLAY: ':0',
    OPENED: join(folder, 'opened'),
  }
}

const opened = () => readFile(join(folder, 'opened'), 'utf8').catch(() => '')

async function addressOf(command: RoomCommand): Promise<string> {
  const [, address = ''] = await command.said(ADDRESS)
  return address
}

test('it starts the service with a token, and the browser gets both in the address', async () => {
  const command = start(['open'], await desktop())
  const address = await addressOf(command)
  await command.said(/Keep this window open/)
  assert.is(await opened(), `${address}|`)
  const { origin, hash } = new URL(address)
  const meta = (token: string) => fetch(`${origin}/meta`, { headers: { Authorization: `Bearer ${token}` } })
  assert.is((await meta('')).status, 401)
  assert.is((await meta(hash.replace('#token=', ''))).status, 200)
  assert.is((await stat(join(folder, 'room', 'instance.json'))).mode & 0o077, 0)
  assert.is((await command.stop('SIGTERM')).exit, 0)
  assert.is(await readFile(join(folder, 'room', 'instance.json'), 'utf8').catch(() => 'gone'), 'gone')
  assert.not.match(command.stderr(), '{')
})

test('a second one shows the page of the service that runs, and ends', async () => {
  const settings = await desktop()
  const first = start(['open', '--no-browser'], settings)
  const address = await addressOf(first)
  assert.is(await opened(), '')
  const second = await runRoomCommand(['open', '--private'], settings)
  assert.is(second.exit, 0)
  assert.equal(second.stdout.trim().split('\n'), [
    'The service runs already, without --private.',
    `The room page: ${address}`,
  ])
  assert.is(await opened(), `${address}|`)
  await first.stop('SIGKILL')
  const third = start(['open', '--no-browser'], settings)
  assert.is.not(await addressOf(third), address, 'a service that was killed is not taken for running')
})

test('the service may be room serve or that of npm start, without a token and with one', async () => {
  const shown = async () =>
    (await runRoomCommand(['open', '--no-browser'], { DATA_DIR: folder })).stdout.trim()
  const serve = start(['serve'], { DATA_DIR: folder })
  const [, url] = await serve.said(/"url":"([^"]+)"/)
  assert.match(await shown(), new RegExp(`^The room page: ${url}/$`, 'm'))
  await serve.stop('SIGTERM')
  const settings = { ROOM_API_TOKEN: 'correct-horse+1' }
  const both = keep(await startRoomProcess({ dataDir: folder, settings }))
  assert.match(await shown(), new RegExp(`^The room page: ${both.url}/#token=correct-horse%2B1$`, 'm'))
})

test('without a desktop, or with no browser on it, it says so and shows the address', async () => {
  for (const settings of [{ DATA_DIR: folder }, await desktop(3)]) {
    const command = start(['open'], settings)
    await command.said(/No browser could be opened: open this address in one\.\n.*Ctrl-C/)
    const { origin } = new URL(await addressOf(command))
    assert.is((await fetch(origin)).status, 200)
    await command.stop('SIGINT')
  }
})

inBrowser('the page takes the token out of the address and is at work', async () => {
  const address = await addressOf(start(['open'], await desktop()))
  const browser = keep(await launchBrowser())
  const page = await openPage(browser, await opened().then((text) => text.replace('|', '') || address))
  await page.getByText('Play together').waitFor()
  assert.is(page.url(), `${new URL(address).origin}/`)
  const kept = await page.evaluate('[sessionStorage.token, JSON.stringify(localStorage), document.cookie]')
  assert.match(String(kept), new RegExp(`^${new URL(address).hash.replace('#token=', '')},\\{[^}]*\\},$`))
  assert.equal(page.complaints, [])
})

suiteOf.run()
